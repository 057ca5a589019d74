"""The chat on a terminal that cannot move its cursor, or whose output goes elsewhere: lines in, lines out.

Nobody types while a turn runs. Ctrl-C reaches a turn as a signal to the event loop, and a prompt as KeyboardInterrupt.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

_PASTED_WITHIN = 0.03  # seconds: what comes faster than that was not typed
_SETTLE = 0.01  # seconds in which the loop reads a signal that the prompt has had already


class Lines:
    """A `Desk` that only grows."""

    is_beside = False

    def __init__(self, *, interrupt: Callable[[], bool], hint: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._hint = hint

    def put(self, text: str) -> None:
        click.echo(text)

    def watch(self, lines: Callable[[], str]) -> None:
        """Nothing can be drawn anew here."""

    def changed(self) -> None:
        """The same."""

    def leave(self) -> None:
        """Nobody types while a turn runs, so there is nothing to end."""

    async def read(self) -> str | None:
        try:
            return await self._typed("\n> ")
        except EOFError:
            self.put("")  # what comes next begins a line
            return None
        except KeyboardInterrupt:
            self.put("")
            self._hint()
            return ""

    async def hear(self) -> str | None:
        try:
            return await self._typed("? ")
        except (EOFError, KeyboardInterrupt):
            self.put("")
            return None

    async def _typed(self, prompt: str) -> str:
        loop = asyncio.get_running_loop()
        loop.remove_signal_handler(signal.SIGINT)
        try:
            return read_message(prompt, ". ")
        except KeyboardInterrupt:
            await asyncio.sleep(_SETTLE)
            raise
        finally:
            loop.add_signal_handler(signal.SIGINT, self._interrupt)


def read_message(prompt: str, more: str) -> str:
    """What the person typed. A backslash at the end of a line goes on with the next, and so does pasted text."""
    text = input(prompt)
    while (goes_on := text.endswith("\\")) or _is_more_there():
        try:
            following = input(more if goes_on else "")
        except EOFError:  # the next question will meet it again
            return text
        text = f"{text[:-1] if goes_on else text}\n{following}"
    return text


def _is_more_there() -> bool:
    import select

    try:
        return bool(select.select([sys.stdin], [], [], _PASTED_WITHIN)[0])
    except (OSError, ValueError):
        return False
