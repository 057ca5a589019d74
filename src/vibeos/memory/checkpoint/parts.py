"""The parts of a long message, so that a rule at its end can be carried without what stands before it.

A part is a slice of the message: paragraphs; lines of a paragraph that is itself too long; sentences of such a line. Stored
picks name parts by their place, so the same text must always be split the same way: no limit of a route enters here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.sizes import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PARTS = 8
LONG = 300  # tokens; the most of one message that a memo shows
_BUCKETS = 64  # so that merging stays quick, however many lines there are
_BREAKS = (
    re.compile(r"\n[ \t\r]*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…])\s|(?<=[。！？；])"),
)


class Span(NamedTuple):
    """A slice of a message, in characters."""

    start: int
    end: int


def parts_in(text: str) -> list[str]:
    """The parts of a message, one to eight, in order: all of its text but white space between them."""
    return [text[span.start : span.end] for span in _spans(text)]


def _spans(text: str) -> list[Span]:
    spans = [Span(0, len(text))]
    for pattern in _BREAKS:
        spans = [piece for span in spans for piece in _split(text, span, pattern)]
    return _merged(_bucketed(spans))


def _split(text: str, span: Span, pattern: re.Pattern[str]) -> Iterator[Span]:
    """A span's pieces at a break, if it is too long to be carried whole."""
    if estimate_tokens(text[span.start : span.end]) <= LONG:
        yield from _trimmed(text, span)
        return
    start = span.start
    for found in pattern.finditer(text, span.start, span.end):
        yield from _trimmed(text, Span(start, found.start()))
        start = found.end()
    yield from _trimmed(text, Span(start, span.end))


def _trimmed(text: str, span: Span) -> Iterator[Span]:
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    end = span.end - len(piece) + len(piece.rstrip())
    if start < end:
        yield Span(start, end)


def _bucketed(spans: list[Span]) -> list[Span]:
    """Few enough to merge one by one; the last stays on its own, since rules stand at the end."""
    if len(spans) <= _BUCKETS:
        return spans
    each = -(-(len(spans) - 1) // _BUCKETS)
    firsts = range(0, len(spans) - 1, each)
    return [Span(spans[at].start, spans[min(at + each, len(spans) - 1) - 1].end) for at in firsts] + spans[
        -1:
    ]


def _merged(spans: list[Span]) -> list[Span]:
    """Neighbours joined, the smallest together first, until there are no more than eight; the last stays alone."""
    while len(spans) > MOST_PARTS:
        at = min(range(len(spans) - 2), key=lambda place: spans[place + 1].end - spans[place].start)
        spans = [*spans[:at], Span(spans[at].start, spans[at + 1].end), *spans[at + 2 :]]
    return spans
