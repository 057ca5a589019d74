"""The prompt: editing, history, several lines, completion of commands, while turns run and print above it.

One prompt stands at the bottom the whole time; above it the part of the sheet that is still changing. What is printed
for good goes above both. The cursor's position is never asked of the terminal: a slow line would type the answer
into the message.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app_or_none, run_in_terminal
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import get_cwidth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyPressEvent

_LEAST_ROWS = 4  # of what is still changing, in a low window
_TICK = 1.0  # seconds between two looks at what is still changing


class Typed(History):
    """What was typed before, out of the record, which is its only copy."""

    def __init__(self, before: Callable[[], list[str]]) -> None:
        super().__init__()
        self._before = before

    def load_history_strings(self) -> Iterable[str]:
        return reversed(self._before())

    def store_string(self, string: str) -> None:
        """The record has it already."""


class CommandCompleter(Completer):
    """Completes a slash command, and what may follow it."""

    def __init__(self, candidates: Callable[[str], Sequence[tuple[str, str]]]) -> None:
        self._candidates = candidates

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - the library's signature
        typed = document.text_before_cursor
        for text, what in self._candidates(typed):
            yield Completion(text, start_position=-len(typed), display_meta=what)


class Keyboard:
    """A `Desk` whose prompt stands below everything else."""

    is_beside = True

    def __init__(
        self,
        *,
        before: Callable[[], list[str]],
        candidates: Callable[[str], Sequence[tuple[str, str]]],
        interrupt: Callable[[], bool],
        hint: Callable[[], None],
        term: str,
        colour: bool,
    ) -> None:
        """`interrupt` does what Ctrl-C asks for and says whether there was anything; `hint` says how to leave."""
        self._candidates = candidates
        self._interrupt = interrupt
        self._hint = hint
        self._waiting: list[str] = []
        self._lines: Callable[[], str] = str
        self._frozen = ""
        self._draft = ""
        self._has_left = False
        self._question: asyncio.Future[str | None] | None = None
        self._printing: set[asyncio.Future[None]] = set()
        self._stdout = sys.stdout
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            history=Typed(before),
            completer=CommandCompleter(candidates),
            complete_while_typing=Condition(self._is_command),
            key_bindings=self._bindings(),
            prompt_continuation=lambda _width, _line, is_soft: "" if is_soft else ". ",
            enable_suspend=True,
            refresh_interval=_TICK,
            output=Vt100_Output(self._stdout, self._size, term=term, enable_cpr=False),
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
        )
        self._session.app.min_redraw_interval = 0.03
        self._session.app.ttimeoutlen = 0.1

    def put(self, text: str) -> None:
        if self._waiting:
            self._waiting.append(text)
            return
        self._frozen = self._lines()
        self._waiting.append(text)
        if get_app_or_none() is None:
            self._flush()
            return
        printing = asyncio.ensure_future(run_in_terminal(self._flush))
        self._printing.add(printing)
        printing.add_done_callback(self._printing.discard)

    def watch(self, lines: Callable[[], str]) -> None:
        self._lines = lines

    def changed(self) -> None:
        self._session.app.invalidate()

    async def read(self) -> str | None:
        """What the person typed, once it is no answer to a question; None when they leave."""
        while not self._has_left:
            draft, self._draft = self._draft, ""
            try:
                text = await self._session.prompt_async(default=draft, handle_sigint=False)
            except EOFError:
                if not self._answer(None):
                    return None
                continue
            if not self._answer(text):
                return text
        return None

    async def hear(self) -> str | None:
        """The answer to a question that was just put; what stood in the prompt comes back afterwards."""
        buffer = self._session.default_buffer
        self._draft = buffer.text
        buffer.reset()
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._question = answer
        self.changed()
        try:
            return await answer
        finally:
            self._question = None
            if self._draft and self._session.app.is_running:
                buffer.insert_text(self._draft)
                self._draft = ""
            self.changed()

    def _answer(self, text: str | None) -> bool:
        """Take it as the answer to the open question; False where there is none."""
        if self._question is None or self._question.done():
            return False
        self._question.set_result(text)
        self._question = None
        return True

    def leave(self) -> None:
        """End `read` as Ctrl-D does, for good."""
        self._has_left = True
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(exception=EOFError())

    def _flush(self) -> None:
        text = "".join(f"{one}\n" for one in self._waiting)
        self._waiting.clear()
        self._stdout.write(text)
        self._stdout.flush()

    def _message(self) -> FormattedText:
        mark = "> " if self._question is None else "? "
        if self._session.app.is_done:
            return FormattedText([("", f"\n{mark}")])
        lines = self._frozen if self._waiting else "" if self._question else self._lines()
        size = self._size()
        shown = "\n".join(last_rows(lines, size.columns, max(_LEAST_ROWS, size.rows // 2)))
        return FormattedText([("ansidefault", f"{shown}\n" if shown else ""), ("", f"\n{mark}")])

    def _size(self) -> Size:
        try:
            columns, rows = os.get_terminal_size(self._stdout.fileno())
        except (OSError, ValueError):
            columns, rows = 80, 24
        return Size(rows=rows or 24, columns=columns or 80)

    def _is_command(self) -> bool:
        text = self._session.default_buffer.text
        return text.startswith("/") and "\n" not in text

    def _has_one_candidate(self) -> bool:
        buffer = self._session.default_buffer
        is_at_end = buffer.cursor_position == len(buffer.text)
        return self._is_command() and is_at_end and len(self._candidates(buffer.text)) == 1

    def _bindings(self) -> KeyBindings:
        keys, typing = KeyBindings(), has_focus(DEFAULT_BUFFER)

        @keys.add("enter", filter=typing)
        def _send(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.document.current_line_before_cursor.endswith("\\"):
                buffer.delete_before_cursor()
                buffer.newline(copy_margin=False)
                return
            if self._question is None and buffer.text.strip():
                buffer.append_to_history()
            event.app.exit(result=buffer.text)

        @keys.add("escape", "enter", filter=typing)
        def _new_line(event: KeyPressEvent) -> None:
            event.current_buffer.newline(copy_margin=False)

        @keys.add("tab", filter=typing & Condition(self._has_one_candidate))
        def _complete(event: KeyPressEvent) -> None:
            # At once: the library's own way loses the key while it still looks for what may be meant.
            buffer = event.current_buffer
            ((text, _),) = self._candidates(buffer.text)
            buffer.delete_before_cursor(len(buffer.text))
            buffer.insert_text(text)

        @keys.add("c-c", filter=typing)
        def _stop(event: KeyPressEvent) -> None:
            if self._answer(None) or self._interrupt():
                return
            if event.current_buffer.text:
                event.current_buffer.reset()
            else:
                self._hint()

        return keys


def last_rows(text: str, columns: int, most: int) -> list[str]:
    """The last rows of a text in a window of this width, at most so many."""
    if not text:
        return []
    rows: list[str] = []
    for line in reversed(text.expandtabs(4).split("\n")):
        rows = [*_wrapped(line, max(columns - 1, 1), most), *rows]
        if len(rows) >= most:
            break
    return rows[-most:]


def _wrapped(line: str, columns: int, most: int) -> list[str]:
    """The line in rows, broken behind a blank where there is one."""
    rows, row, width = [], "", 0
    for character in line[-columns * most * 2 :]:  # more would not be seen
        size = get_cwidth(character)
        while row and width + size > columns:
            fits = row.rfind(" ") + 1 or len(row)
            rows.append(row[:fits])
            row = row[fits:]
            width = get_cwidth(row)
        row += character
        width += size
    return [*rows, row]
