"""Entries as text: how a curated file is read, joined and measured. Pure functions.

A file is its entries joined by a line that holds only `§`. Reading is tolerant (line ends of any system, a
byte-order mark, blanks around the mark, repeated entries), writing is strict, and every entry that was
written reads back as exactly that entry.
"""

from __future__ import annotations

import re

from vibeos.values.text import is_well_formed, nfc

DELIMITER = "\n§\n"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MARK = re.compile(r"^[ \t]*§[ \t]*$", re.MULTILINE)


class NotTextError(ValueError):
    """The bytes are not UTF-8 text."""


def decode(data: bytes) -> str:
    """The text of a file's bytes, lines ended by `\\n`; raises `NotTextError`."""
    try:
        text = data.removeprefix(_BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError as error:
        raise NotTextError(f"byte {error.start} is not UTF-8") from error
    if "\0" in text:
        raise NotTextError(f"a NUL stands at character {text.index(chr(0))}")
    return with_plain_line_ends(text)


def parse(text: str) -> tuple[str, ...]:
    """The entries of a file's text, in order, each once."""
    pieces = (clean(piece) for piece in _MARK.split(text))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def join(entries: tuple[str, ...]) -> str:
    """The text of a file that holds these entries."""
    return DELIMITER.join(entries)


def length(entries: tuple[str, ...]) -> int:
    """The size that limits apply to: code points of the joined text, delimiters included."""
    return len(join(entries))


def clean(text: str) -> str:
    """An entry's text as it is stored and compared: composed, plain line ends, no blanks at its edges."""
    return _stripped(nfc(with_plain_line_ends(text)))


def _stripped(text: str) -> str:
    """Without blanks and byte-order marks at the edges; in a loop, since either may hide the other."""
    while (bare := text.strip().strip("\ufeff")) != text:
        text = bare
    return text


def with_plain_line_ends(text: str) -> str:
    """The text with every line ended by `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def fault_of(entry: str) -> str:
    """The catalogue key of what forbids this cleaned text as an entry, or empty."""
    if not entry:
        return "memory.empty_content"
    if not is_well_formed(entry):
        return "memory.ill_formed"
    return "memory.delimiter" if _MARK.search(entry) else ""
