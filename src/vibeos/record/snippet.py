"""The part of a message that shows why it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.values.analyser import words_with_places
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

LENGTH = 160
_BEFORE = 40
_READ = 20_000


def snippet(text: str, terms: AbstractSet[str]) -> str:
    """About 160 characters on one line around the first place that holds one of the terms; else the beginning."""
    place = next((start for start, _, found in words_with_places(text[:_READ]) if found & terms), 0)
    start = _start_of_word(text, place - _BEFORE) if place > _BEFORE else 0
    return ("…" if start else "") + preview(text[start : start + 2 * LENGTH], LENGTH)


def _start_of_word(text: str, place: int) -> int:
    blank = text.find(" ", place, place + _BEFORE // 2)
    return blank + 1 if blank >= 0 else place
