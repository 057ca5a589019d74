"""Where a context may be cut: between units, so that no call is ever parted from its result.

A unit is an input, or a response with all its results. Inputs of the turn in flight stay as they are, wherever the cut falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.record.context import ContextKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.memory.checkpoint.context import Element


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut before the element `at`: what stands before it is moved out, but for the elements `kept`."""

    at: int
    kept: tuple[int, ...]

    def moved(self, elements: Sequence[Element]) -> list[Element]:
        """What leaves the context, an earlier checkpoint not among it."""
        return [
            element
            for place, element in enumerate(elements[: self.at])
            if place not in self.kept and element.row.kind is not ContextKind.CHECKPOINT
        ]

    def stays(self, elements: Sequence[Element]) -> list[Element]:
        """What stays, in order."""
        return [*(elements[place] for place in self.kept), *elements[self.at :]]


def in_flight(elements: Sequence[Element]) -> tuple[int, ...]:
    """The places of the inputs that no answer has ended yet."""
    places: list[int] = []
    for place in range(len(elements) - 1, -1, -1):
        if elements[place].is_answer:
            break
        if elements[place].row.kind is ContextKind.INPUT:
            places.append(place)
    return tuple(reversed(places))


def tail_cut(elements: Sequence[Element], most: int) -> Cut:
    """A cut that leaves the newest units of at most `most` tokens."""
    at, size = len(elements), 0
    for start, end in reversed(_units(elements)):
        size += sum(element.size for element in elements[start:end])
        if size > most or elements[start].row.kind is ContextKind.CHECKPOINT:
            break
        at = start
    return _cut(elements, at)


def head_cut(elements: Sequence[Element], most: int, *, whole_units: int = 0) -> Cut:
    """A cut that moves out the oldest units of at most `most` tokens, or at least `whole_units` of them."""
    flying, at, size, moved = set(in_flight(elements)), 0, 0, 0
    for start, end in _units(elements):
        is_moved = start not in flying and elements[start].row.kind is not ContextKind.CHECKPOINT
        size += sum(element.size for element in elements[start:end])
        if size > most and moved >= whole_units:
            break
        at, moved = end, moved + is_moved
    return _cut(elements, at)


def before_last(elements: Sequence[Element]) -> int:
    """Where the newest unit begins."""
    units = _units(elements)
    return units[-1][0] if units else 0


def clipped(cut: Cut, elements: Sequence[Element], most_at: int) -> Cut:
    """The cut, or the one at `most_at` if that is earlier."""
    return cut if cut.at <= most_at else _cut(elements, most_at)


def _cut(elements: Sequence[Element], at: int) -> Cut:
    return Cut(at, tuple(place for place in in_flight(elements) if place < at))


def _units(elements: Sequence[Element]) -> list[tuple[int, int]]:
    units: list[tuple[int, int]] = []
    for place, element in enumerate(elements):
        if element.row.kind is ContextKind.RESULTS and units:
            units[-1] = units[-1][0], place + 1
        else:
            units.append((place, place + 1))
    return units
