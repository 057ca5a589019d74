"""Sizes in tokens, estimated without a tokenizer: UTF-8 bytes / 4 (characters / 4 undercounts Chinese)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BYTES_PER_TOKEN = 4
IMAGE_TOKENS = 1_600


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text, rounded up; 0 for the empty text."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)


def cut_to_tokens(text: str, most: int, note: str) -> str:
    """The text, or as much of its beginning as fits into `most` tokens with a line behind it that says so."""
    if estimate_tokens(text) <= most:
        return text
    room = max(0, most - estimate_tokens(note) - 1) * BYTES_PER_TOKEN
    beginning = text.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore")
    return f"{beginning.rstrip()}\n{note}"


def even_cap(sizes: Sequence[int], room: int) -> int:
    """The longest that each may be so that all together fit into `room`: what is shorter stays whole."""
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(share, 0)
        left -= size
    return max(sizes, default=0)
