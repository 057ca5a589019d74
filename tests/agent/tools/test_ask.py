"""Questions to the person: asked where they are, left open where they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agent.tools.kit import Someone, answer, refusal
from vibeos.agent.person import Nobody, Question
from vibeos.agent.tools.ask import AskTool
from vibeos.record import open_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(tmp_path / "state.db") as record:
        yield record


@pytest.fixture
def session(record: Record) -> str:
    return record.sessions.start(source="test").id


def test_a_person_who_is_there_is_asked_and_answers_in_their_own_words(record: Record, session: str) -> None:
    person = Someone(" blue, but not too dark ")
    told = answer(AskTool(record, session, person), {"question": "Which colour?", "choices": ["red", "blue"]})
    assert told == "The person answered:  blue, but not too dark "
    assert person.questions == [Question("Which colour?", ("red", "blue"))]
    assert record.questions.open() == ()


@pytest.mark.parametrize("said", [None, "", "  "])
def test_no_answer_is_told_as_none(record: Record, session: str, said: str | None) -> None:
    assert "did not answer" in answer(AskTool(record, session, Someone(said)), {"question": "Well?"})


def test_where_nobody_is_there_the_question_stays_open_under_an_id(record: Record, session: str) -> None:
    told = answer(AskTool(record, session, Nobody()), {"question": "Ship it?", "choices": ["yes", "no"]})
    (left,) = record.questions.open(session)
    assert (left.question, left.choices) == ("Ship it?", ("yes", "no"))
    assert f"stays open as {left.id}" in told
    assert "1: yes, 2: no" in told


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"question": " "},
        {"question": "x" * 4_001},
        {"question": "x", "choices": ["one"]},
        {"question": "x", "choices": ["a", "a"]},
        {"question": "x", "choices": "ab"},
        {"question": "x", "choices": [1, 2]},
        "not json",
    ],
)
def test_a_malformed_question_is_nobodys(
    record: Record, session: str, arguments: dict[str, Any] | str
) -> None:
    person = Someone("never")
    assert refusal(AskTool(record, session, person), arguments)
    assert person.questions == []
