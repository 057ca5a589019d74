"""Text to what a terminal is given: Markdown rendered for its width, marks in colour, control characters shown.

Two inks with the same methods: `RichInk` for a terminal, `PlainInk` for everything else. Whatever a model or a tool
wrote passes `printable` here, before the first escape code of our own is put around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from vibeos.surfaces.cli.common import printable
from vibeos.surfaces.cli.talk.wrapping import wrapped

if TYPE_CHECKING:
    from vibeos.surfaces.cli.talk.markdown import Renderer

_RED, _GREEN = 31, 32


class Ink(Protocol):
    """How text is written."""

    def markdown(self, text: str) -> str:
        """An answer's text as it is shown, without a line break at its end."""
        ...

    def plain(self, text: str) -> str:
        """A text word for word, its long lines broken at blanks."""
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

    def fitted(self, text: str) -> str:
        """A text that is written already, its long lines broken at blanks."""
        ...


class PlainInk:
    """Text as it is, control characters shown."""

    def markdown(self, text: str) -> str:
        return printable(text.replace("\r\n", "\n"))

    plain = faint = good = bad = markdown

    def fitted(self, text: str) -> str:
        return text


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

    def plain(self, text: str) -> str:
        return self.fitted(printable(text))

    def faint(self, text: str) -> str:
        return f"\x1b[2m{self.plain(text)}\x1b[0m"

    def good(self, text: str) -> str:
        return self._coloured(_GREEN, text)

    def bad(self, text: str) -> str:
        return self._coloured(_RED, text)

    def _coloured(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{printable(text)}\x1b[0m" if self._colour else printable(text)

    def fitted(self, text: str) -> str:
        import shutil

        return wrapped(text, shutil.get_terminal_size().columns)
