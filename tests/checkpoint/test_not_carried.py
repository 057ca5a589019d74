"""The index of what is not carried: every number stands in it, whatever room there is, and no carried one by itself."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from vibeos.memory.checkpoint.not_carried import MOST_LINES, not_carried
from vibeos.values.sizes import estimate_tokens

_RANGE = re.compile(r"#(\d+)(?:-#(\d+))?")


def _named(text: str) -> set[int]:
    found = ((int(first), int(last or first)) for first, last in _RANGE.findall(text))
    return {number for first, last in found for number in range(first, last + 1)}


def test_ranges_pass_over_numbers_of_others_and_end_at_a_carried_one() -> None:
    assert not_carried([1, 3, 5, 9, 11], {5}, limit_tokens=100) == "#1-#3, #9-#11"


def test_where_all_are_carried_nothing_is_named() -> None:
    assert not_carried([1, 2], {1, 2}, limit_tokens=100) == ""


@given(st.sets(st.integers(1, 4_000), max_size=600), st.data(), st.integers(0, 120))
def test_each_number_is_named_in_few_lines_within_the_room(
    numbers: set[int], data: st.DataObject, room: int
) -> None:
    ordered = sorted(numbers)
    carried = data.draw(st.sets(st.sampled_from(ordered))) if ordered else set()
    text = not_carried(ordered, carried, limit_tokens=room)
    assert numbers - carried <= _named(text)
    assert text.count("\n") < MOST_LINES
    if room >= 20:
        assert estimate_tokens(text) <= room
    if "but for those" not in text:
        assert not carried & _named(text)
