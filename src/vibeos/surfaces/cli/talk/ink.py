"""Text to what a terminal is given: Markdown rendered for its width, marks in colour, control characters shown.

Two inks with the same methods: `RichInk` for a terminal, `PlainInk` for everything else. Whatever a model or a tool
wrote passes `printable` here, before the first escape code of our own is put around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from vibeos.surfaces.cli.common import printable

if TYPE_CHECKING:
    from vibeos.surfaces.cli.talk.markdown import Renderer

_RED, _GREEN = 31, 32


class Ink(Protocol):
    """How text is written."""

    def markdown(self, text: str) -> str:
        """An answer's text as it is shown, without a line break at its end."""
        ...

    def faint(self, text: str) -> str:
        """What stands beside the conversation."""
        ...

    def good(self, text: str) -> str:
        """What went well."""
        ...

    def bad(self, text: str) -> str:
        """What did not."""
        ...


class PlainInk:
    """Text as it is, control characters shown."""

    def markdown(self, text: str) -> str:
        return printable(text.replace("\r\n", "\n"))

    faint = good = bad = markdown


class RichInk:
    """For a terminal. Without `colour`, bold and faint remain."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._renderer: Renderer | None = None

    def markdown(self, text: str) -> str:
        if self._renderer is None:
            from vibeos.surfaces.cli.talk.markdown import Renderer

            self._renderer = Renderer(colour=self._colour)
        return self._renderer.render(printable(text.replace("\r\n", "\n")))

    def faint(self, text: str) -> str:
        return f"\x1b[2m{_wrapped(printable(text))}\x1b[0m"

    def good(self, text: str) -> str:
        return self._coloured(_GREEN, text)

    def bad(self, text: str) -> str:
        return self._coloured(_RED, text)

    def _coloured(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{printable(text)}\x1b[0m" if self._colour else printable(text)


def _wrapped(text: str) -> str:
    """The text with its long lines broken between words."""
    import shutil
    import textwrap

    width = max(shutil.get_terminal_size().columns, 1)
    lines = (
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        if len(line) > width
        else [line]
        for line in text.split("\n")
    )
    return "\n".join(part for parts in lines for part in parts)
