"""What the agent says on the way to its answer, told beside it: whoever asks once reads it, a script that takes the answer
from standard output does not get it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from vibeos.agent.progress import Unwatched
from vibeos.surfaces.cli.talk.ink import PlainInk

if TYPE_CHECKING:
    from vibeos.ports.models.tools import ToolCall
    from vibeos.surfaces.cli.talk.ink import Ink


class OnTheWay(Unwatched):
    """A `Progress` that puts each text that calls follow on standard error, as soon as the first of them begins."""

    def __init__(self, ink: Ink) -> None:
        self._ink = ink if sys.stderr is not None and sys.stderr.isatty() else PlainInk()
        self._text = ""

    def wrote(self, piece: str) -> None:
        self._text += piece

    def starts_again(self, reason: str) -> None:  # noqa: ARG002 - what is asked again is told when it comes
        self._text = ""

    def calls(self, call: ToolCall) -> None:  # noqa: ARG002 - what is called is not said
        text, self._text = self._text, ""
        if text.strip():
            click.echo(self._ink.markdown(text), err=True)
