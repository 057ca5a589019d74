"""Cuts fall between units, whatever stands in the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint.conversations import WATCH, Talk
from vibeos.memory.checkpoint.cutting import before_last, head_cut, in_flight, tail_cut
from vibeos.ports.models.check import find_fault
from vibeos.record import open_record

if TYPE_CHECKING:
    import pytest

STEPS = st.lists(st.sampled_from(["says", "watch", "calls", "many", "answers"]), max_size=14)


def played(talk: Talk, steps: list[str]) -> None:
    for step in steps:
        match step:
            case "says":
                talk.says("a request " * 20)
            case "watch":
                talk.says("it changed", WATCH)
            case "calls":
                talk.calls(("read", '{"path":"a"}', "x" * 200))
            case "many":
                talk.calls(*[("read", '{"path":"b"}', "y" * 90)] * 3)
            case "answers":
                talk.answers("an answer " * 10)


@settings(deadline=None, max_examples=60)
@given(STEPS, st.integers(0, 400))
def test_every_cut_leaves_a_request_that_every_provider_takes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], most: int
) -> None:
    with open_record(tmp_path_factory.mktemp("cut") / "state.db") as record:
        talk = Talk(record)
        talk.says("the first request")
        played(talk, steps)
        talk.says("the newest request")
        elements = talk.context().elements
        first = elements[0].message
        for cut in (
            tail_cut(elements, most),
            head_cut(elements, most),
            head_cut(elements, most, whole_units=1),
        ):
            stays = [first, *(one.message for one in cut.stays(elements))]
            assert find_fault(stays) is None
            flying = {elements[place].row.id for place in in_flight(elements)}
            assert flying <= {one.row.id for one in cut.stays(elements)}
            assert len(cut.moved(elements)) + len(cut.stays(elements)) == len(elements)
        assert sum(one.size for one in elements[tail_cut(elements, most).at :]) <= most


def test_inputs_since_the_last_answer_are_in_flight_and_stay(talk: Talk) -> None:
    talk.says("an old request")
    talk.answers("an old answer")
    talk.says("the request")
    talk.calls(("read", "{}", "output"))
    talk.says("and this too")
    talk.calls(("read", "{}", "output"))
    elements = talk.context().elements
    cut = tail_cut(elements, 0)
    assert [elements[place].row.message.text for place in cut.kept] == ["the request", "and this too"]  # type: ignore[union-attr]
    assert [one.row.context_seq for one in cut.moved(elements)] == [1, 2, 4, 4, 6, 6]


def test_the_newest_unit_is_a_response_with_its_results(talk: Talk) -> None:
    talk.says("a request")
    talk.calls(("read", "{}", "output"))
    assert before_last(talk.context().elements) == 1
