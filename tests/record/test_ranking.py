"""Each signal of the ranking lifts what a person would look at first, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vibeos.record.message import Message, MessageType
from vibeos.record.ranking import SIGNALS, Candidate, Signals, scores

NONE = Signals(0, 0, 0, 0)


def candidate(
    number: int,
    text: str = "said",
    *,
    session: str = "a",
    rank: float = 1.0,
    covered: float = 0.0,
    named: bool = False,
) -> Candidate:
    message = Message(
        id=number,
        session_id=session,
        context_seq=number,
        type=MessageType.USER,
        author_id="",
        author_name="Sam",
        source="test",
        text=text,
        created_at="2026-01-01T00:00:00Z",
        envelope=None,
    )
    return Candidate(message, rank, covered, named)


@pytest.mark.parametrize(
    ("signal", "lifted", "other"),
    [
        ("author", candidate(1, named=True), candidate(5)),
        ("coverage", candidate(1, covered=1.0), candidate(5, covered=0.2)),
    ],
)
def test_a_signal_of_a_message_alone_lifts_it(signal: str, lifted: Candidate, other: Candidate) -> None:
    assert scores([lifted, other], NONE)[0] == scores([lifted, other], NONE)[1]
    first, second = scores([lifted, other], replace(NONE, **{signal: 0.5}))
    assert first > second


def test_a_long_message_gets_nothing_for_holding_the_words() -> None:
    long, short = candidate(1, "x" * 5_000, covered=1.0), candidate(5, covered=1.0)
    first, second = scores([long, short], replace(NONE, coverage=0.5))
    assert first < second


def test_an_answer_is_lifted_by_the_question_before_it_and_by_nothing_else() -> None:
    found = [
        candidate(1, "where is it?"),
        candidate(2, "there"),
        candidate(4, "no question"),
        candidate(5, "after"),
    ]
    question, answer, plain, after = scores(found, replace(NONE, answer=0.5))
    assert answer > question == plain == after


def test_a_conversation_in_which_much_was_found_lifts_its_messages() -> None:
    found = [candidate(1, session="a"), candidate(2, session="a", rank=4.0), candidate(9, session="b")]
    weak, _, alone = scores(found, replace(NONE, session=0.5))
    assert weak > alone


def test_no_signal_takes_anything_away() -> None:
    found = [candidate(number, named=number % 2 == 0, covered=number / 9) for number in range(1, 9)]
    assert all(more >= plain for more, plain in zip(scores(found, SIGNALS), scores(found, NONE), strict=True))
    assert scores([]) == []
