"""A turn on the terminal: the answer as it is written, a line for each call and whether it worked.

Finished blocks are put on the sheet for good; what is still being written and what is still running stand in the
part of it that is drawn anew (`watch`), so nothing is printed twice and nothing flickers.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Protocol

from vibeos.surfaces.cli.common import printable
from vibeos.surfaces.cli.talk.blocks import Block, Blocks
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.ports.models.tools import ToolCall, ToolOutcome
    from vibeos.surfaces.cli.talk.ink import Ink
    from vibeos.values.catalogue import Catalogue

# How a command's output begins when it did not end with 0; what comes behind the status is known from the seconds.
_ENDED_BADLY = re.compile(r"\[(exit status (?!0\b)-?\d+[^\],]*|time limit of [^\]:]*)")
_LONGEST_GIST = 70
_LONGEST_ERROR = 160


class Sheet(Protocol):
    """Where it is shown."""

    def put(self, text: str) -> None:
        """Print a text for good, followed by a line break."""
        ...

    def watch(self, lines: Callable[[], str]) -> None:
        """What is still changing; it is asked for whenever the sheet is drawn."""
        ...

    def changed(self) -> None:
        """What is still changing has changed."""
        ...


class Shown:
    """The progress of this conversation's turns. `last_text`: what was written since the last call."""

    def __init__(
        self, sheet: Sheet, ink: Ink, words: Catalogue, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sheet = sheet
        self._ink = ink
        self._words = words
        self._clock = clock
        self._blocks = Blocks()
        self._running: dict[int, tuple[ToolCall, float]] = {}
        self._waits_since: float | None = None
        self._is_first = True
        self.last_text = ""
        sheet.watch(self.unfinished)

    def begins(self) -> None:
        """A turn begins."""
        self.last_text, self._waits_since = "", self._clock()
        self._sheet.changed()

    def ends(self) -> None:
        """The turn has ended, however it did: what was written stays, what still ran was stopped."""
        self._finish()
        for call, _ in self._running.values():
            stopped = self._words.text("chat.call_stopped")
            self._sheet.put(self._ink.fitted(f"{_label(call)} {self._ink.bad('✗')} {stopped}"))
        self._running.clear()
        self._waits_since = None
        self._sheet.changed()

    def wrote(self, piece: str) -> None:
        self.last_text += piece
        for block in self._blocks.feed(piece):
            self._put(block)
        self._sheet.changed()

    def starts_again(self, reason: str) -> None:
        self._finish()
        self.last_text, self._is_first = "", True
        self._sheet.put(self._ink.faint(self._words.text("chat.starts_again", reason=preview(reason, 200))))

    def calls(self, call: ToolCall) -> None:
        self._finish()
        self.last_text = ""
        self._running[id(call)] = (call, self._clock())
        self._sheet.changed()

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        _, since = self._running.pop(id(call), (call, self._clock()))
        seconds = self._ink.faint(f"{self._clock() - since:.1f}s")
        self._sheet.put(self._ink.fitted(f"{_label(call)} {self._result(outcome)} {seconds}"))
        self._waits_since = self._clock()

    def took(self, texts: tuple[str, ...]) -> None:
        self._finish()
        for text in texts:
            self._sheet.put(self._ink.faint(f"  ← {preview(text, _LONGEST_GIST)}"))

    def answer(self, text: str) -> None:
        """A whole answer that was not seen while it was written."""
        self.wrote(text)
        self._finish()

    def unfinished(self) -> str:
        """What is still being written and what is still running."""
        if tail := self._blocks.tail:
            return printable(tail.replace("\r", ""))
        now = self._clock()
        if self._running:
            return "\n".join(f"{_label(call)} … {now - since:.0f}s" for call, since in self._running.values())
        if self._waits_since is not None:
            return self._words.text("chat.waiting", seconds=f"{now - self._waits_since:.0f}")
        return ""

    def _finish(self) -> None:
        for block in self._blocks.finish():
            self._put(block)
        self._is_first = True

    def _put(self, block: Block) -> None:
        text = self._ink.markdown(block.text)
        self._sheet.put(f"\n{text}" if block.apart and not self._is_first else text)
        self._is_first = False

    def _result(self, outcome: ToolOutcome) -> str:
        error = _error(outcome)
        return self._ink.good("✓") if error is None else f"{self._ink.bad('✗')} {error}"


def _label(call: ToolCall) -> str:
    return f"  · {printable(call.name)} {gist(call)}".rstrip()


def gist(call: ToolCall) -> str:
    """What the call is about, on one short line: the values that a person would recognise it by."""
    arguments = call.parsed() or {}
    words = [str(value) for value in arguments.values() if isinstance(value, str | int | float)]
    return printable(preview(" ".join(words), _LONGEST_GIST))


def _error(outcome: ToolOutcome) -> str | None:
    """Why it failed; None where it did not."""
    if ended := _ENDED_BADLY.match(outcome.content):
        return printable(preview(ended[1], _LONGEST_ERROR))
    try:
        answer = json.loads(outcome.content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict) or answer.get("success") is not False:
        return None
    return printable(preview(str(answer.get("error", "")), _LONGEST_ERROR))
