"""Long lines broken at their blanks, for windows narrower than they are. Nothing is taken away but the blanks at a break.

Widths are columns of a terminal: a Chinese character has two, an escape code for a colour none. What has no blank in it
and is longer than a line is left to the terminal, which breaks it anywhere.
"""

from __future__ import annotations

import re
import unicodedata

_BLANKS = " \t"  # and no others: some are there to hold words together
_WORDS = re.compile(rf"[{_BLANKS}]*[^{_BLANKS}]+|[{_BLANKS}]+$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def wrapped(text: str, columns: int) -> str:
    """The text with no line longer than `columns`, where its blanks allow that."""
    return "\n".join(part for line in text.split("\n") for part in _lines(line, max(columns, 1)))


def columns_of(text: str) -> int:
    """How many columns the text takes."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    return sum(map(_columns, _COLOUR.sub("", text)))


def _lines(line: str, columns: int) -> list[str]:
    if columns_of(line) <= columns:
        return [line]
    lines, here, width = [], "", 0
    for word in _WORDS.findall(line):
        if here and width + columns_of(word) > columns:
            lines.append(here)
            here = word.lstrip(_BLANKS)
            width = columns_of(here)
        else:
            here += word
            width += columns_of(word)
    return [*lines, here] if here.strip(_BLANKS) or not lines else lines


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
