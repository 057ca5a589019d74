"""The index of what is not carried: numbers and ranges of the person's messages, no text, never nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.sizes import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MOST_LINES = 20
_ON_A_LINE = 10
_OLDER = " (but for those that are carried)"


class _Range(NamedTuple):
    first: int
    last: int

    def __str__(self) -> str:
        return f"#{self.first}" if self.first == self.last else f"#{self.first}-#{self.last}"


def not_carried(numbers: Sequence[int], carried: Collection[int], *, limit_tokens: int) -> str:
    """The numbers that are not carried as lines of ranges; "" where all are.

    `numbers`: the person's messages, in order. A range may pass over numbers of others, never over a carried one. Where
    the ranges take more room than there is, the oldest become one that says so; one range stands always.
    """
    ranges = _ranges(numbers, carried)
    for exact in range(min(len(ranges), MOST_LINES * _ON_A_LINE), 0, -1):
        text = _text(ranges, exact)
        if text.count("\n") < MOST_LINES and estimate_tokens(text) <= limit_tokens:
            return text
    return _text(ranges, 0) if ranges else ""


def _ranges(numbers: Sequence[int], carried: Collection[int]) -> list[_Range]:
    ranges: list[_Range] = []
    is_open = False
    for number in numbers:
        if number in carried:
            is_open = False
        elif is_open:
            ranges[-1] = _Range(ranges[-1].first, number)
        else:
            ranges.append(_Range(number, number))
            is_open = True
    return ranges


def _text(ranges: list[_Range], exact: int) -> str:
    """The newest ranges one by one, those before them as one."""
    older = ranges[: len(ranges) - exact]
    told = [str(one) for one in ranges[len(older) :]]
    lines = [", ".join(told[at : at + _ON_A_LINE]) for at in range(0, len(told), _ON_A_LINE)]
    if older:
        lines.insert(0, f"{_Range(older[0].first, older[-1].last)}{_OLDER}")
    return "\n".join(lines)
