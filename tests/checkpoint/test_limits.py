"""When a checkpoint is made and how much fits, from a route's limits alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from vibeos.memory.checkpoint.limits import MindLimits, limits_of
from vibeos.ports.models.route import parse_route

ROUTE = parse_route("openai:m", context_window=192_000, max_output_tokens=8_000)


def test_a_full_window_has_the_documents_numbers() -> None:
    limits = limits_of(ROUTE)
    assert limits.mind == MindLimits(1_000, 2_000, 1_500, 1_500)
    assert (limits.memo, limits.message, limits.tail) == (3_000, 300, 20_000)
    assert (limits.skill, limits.skills, limits.extras) == (5_000, 19_200, 900)
    assert limits.threshold == 192_000 * 9 // 10


def test_the_threshold_leaves_room_for_the_answer_and_a_margin() -> None:
    limits = limits_of(replace(ROUTE, max_output_tokens=64_000))
    assert limits.threshold == 192_000 - 48_000 - 8_000


def test_a_price_step_comes_first() -> None:
    limits = limits_of(replace(ROUTE, context_window=1_000_000, input_limit=1_000_000, price_step=200_000))
    assert limits.threshold == 180_000
    assert limits.most < 200_000
    assert limits.turn < 200_000


def test_a_price_step_under_100_000_is_none() -> None:
    assert limits_of(replace(ROUTE, price_step=32_000)) == limits_of(ROUTE)


def test_a_small_window_shrinks_mind_and_memo_but_not_one_message_below_the_memo() -> None:
    limits = limits_of(replace(ROUTE, context_window=32_000, input_limit=32_000))
    assert limits.mind.goals == 333
    assert limits.memo == 500
    assert limits.message == 300
    assert limits_of(replace(ROUTE, context_window=8_000, input_limit=8_000)).message == 125
    assert limits.tail == limits.threshold // 4


@given(
    st.integers(1_000, 2_000_000),
    st.none() | st.integers(1, 2_000_000),
    st.none() | st.integers(1, 500_000),
    st.none() | st.integers(1, 500_000),
)
def test_what_triggers_is_never_above_what_may_be_sent(
    window: int, taken: int | None, output: int | None, step: int | None
) -> None:
    limits = limits_of(
        replace(ROUTE, context_window=window, input_limit=taken, max_output_tokens=output, price_step=step)
    )
    assert 1 <= limits.threshold <= limits.most <= limits.turn <= window
