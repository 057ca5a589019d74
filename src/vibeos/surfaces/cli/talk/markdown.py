"""Markdown for a terminal. Loads rich, so it is imported when the first answer is shown.

No word of the text is swallowed: what rich would drop (HTML, link definitions, pictures, the lines of a paragraph) is
shown as it was written.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import CodeBlock, Heading, Markdown
from rich.syntax import Syntax
from rich.theme import Theme

from vibeos.surfaces.cli.common import printable

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import ConsoleOptions, RenderResult

_THEME = Theme({"markdown.code": "bold", "markdown.h1": "bold underline", "markdown.h2": "bold"})
_END_OF_LINE = re.compile(r"(?:[ ]|\x1b\[[0-9;]*m)+$", re.MULTILINE)
_LEAST_WIDTH = 4  # below it there is nothing to wrap: the terminal breaks the lines itself


class Renderer:
    """Renders for the window as wide as it is now."""

    def __init__(self, *, colour: bool) -> None:
        self._console = Console(file=sys.__stdout__, theme=_THEME, no_color=not colour, emoji=False)
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self._parser.disable(["reference", "image", "html_block", "html_inline"])

    def render(self, text: str) -> str:
        """The text with escape codes, without blanks at the ends of lines (they would be copied along)."""
        if self._console.width < _LEAST_WIDTH:
            return text
        shown = _Whole("", hyperlinks=False)
        shown.parsed = _safe(self._parser.parse(text))
        with self._console.capture() as captured:
            self._console.print(shown)
        return _END_OF_LINE.sub(lambda end: end[0].replace(" ", ""), captured.get()).strip("\n")


class _Code(CodeBlock):
    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        yield Syntax(
            str(self.text).rstrip(),
            self.lexer_name,
            theme="ansi_dark",
            background_color="default",
            word_wrap=True,
            padding=(0, 2),
        )


class _Title(Heading):
    LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _Whole(Markdown):
    elements = {**Markdown.elements, "fence": _Code, "code_block": _Code, "heading_open": _Title}  # noqa: RUF012 - as rich has it


def _safe(tokens: list[Token]) -> list[Token]:
    """The tokens with line breaks where the text has them, and without control characters out of entities."""
    for token in tokens:
        token.content = printable(token.content)
        if token.type == "softbreak":
            token.type = "hardbreak"
        _safe(token.children or [])
    return tokens
