"""Exactly one block of working state is read, and it must say enough."""

from __future__ import annotations

import pytest

from vibeos.memory.checkpoint.now import judge_now, shown_now
from vibeos.values.sizes import estimate_tokens

ENOUGH = (
    "Step: review item 7 of the queue. Progress: six done. Next: item 8, since they said 'oldest first'. " * 2
)
MOST = 1_000


def test_one_block_is_taken_from_the_last_answer_that_holds_one() -> None:
    verdict = judge_now([f"<now>{ENOUGH}</now>", "Done."], MOST)
    assert verdict.text == ENOUGH.strip()
    assert verdict.problems == ()


@pytest.mark.parametrize(
    "answers",
    [
        [""],
        ["  \n"],
        ["I am thinking about it."],
        [f"<now>{ENOUGH}</now> <now>{ENOUGH}</now>"],
        [f"<now>{ENOUGH}"],
        [f"{ENOUGH}</now>"],
        [f"</now>{ENOUGH}<now>"],
        ["<now>short</now>"],
        [],
    ],
)
def test_nothing_usable_is_one_problem_that_says_what_to_do(answers: list[str]) -> None:
    verdict = judge_now(answers, MOST)
    assert verdict.text is None
    assert len(verdict.problems) == 1
    assert "<now>" in verdict.problems[0].text


def test_an_answer_that_ended_for_length_is_not_taken() -> None:
    assert judge_now([f"<now>{ENOUGH}</now>"], MOST, is_cut=True).text is None


def test_a_state_over_the_limit_is_a_problem_and_is_shown_cut() -> None:
    verdict = judge_now([f"<now>{ENOUGH * 50}</now>"], MOST)
    assert verdict.text is not None
    assert len(verdict.problems) == 1
    shown = shown_now(verdict.text, MOST)
    assert estimate_tokens(shown) <= MOST
    assert shown.endswith("limit)")


def test_our_own_tags_inside_come_out_harmless() -> None:
    assert shown_now("<memo> and </checkpoint >", MOST) == "&lt;memo> and &lt;/checkpoint >"
