"""The context is a pure function of stored rows, and valid whatever was interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from vibeos.memory.checkpoint.context import INTERRUPTED, WorkingContext, compose
from vibeos.ports.models import dump_outcomes, dump_request, dump_response, load_outcomes
from vibeos.ports.models.check import check_request
from vibeos.ports.models.plain import plain_response
from vibeos.ports.models.tools import ToolOutcome
from vibeos.record import open_record
from vibeos.record.registry import JobKind, LivingJob, MemoryJobRegistry
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record

PERSON = Envelope.person("test", author_name="Sam")


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    opened = open_record(tmp_path / "state.db")
    yield opened
    opened.close()


def calling(*ids: str) -> str:
    return dump_response(
        ModelResponse([ToolCallPart("memory", "{}", tool_call_id=call_id) for call_id in ids])
    )


def bytes_of(record: Record, session_id: str) -> list[str]:
    elements = compose(record.context.rows(session_id))
    return [dump_response(e) if isinstance(e, ModelResponse) else dump_request(e) for e in elements]


def test_the_same_rows_give_the_same_elements_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with open_record(path) as record:
        session = record.sessions.start(source="test").id
        record.messages.record_input(session, PERSON, "one")
        seq = record.messages.record_response(session, text="", payload=calling("a", "b")).context_seq
        record.messages.record_results(
            session, seq, dump_outcomes([ToolOutcome("a", "memory", "1"), ToolOutcome("b", "memory", "2")])
        )
        record.messages.record_response(session, text="two", payload=plain_response("two"))
        before = bytes_of(record, session)
    with open_record(path) as record:
        assert bytes_of(record, session) == before
        assert len(before) == 4


def test_calls_that_a_crash_left_unanswered_get_one_stored_answer_each(record: Record) -> None:
    session = record.sessions.start(source="test").id
    record.messages.record_input(session, PERSON, "one")
    record.messages.record_response(session, text="", payload=calling("a", "b"))
    WorkingContext(record, session).settle()
    WorkingContext(record, session).settle()
    rows = [row for row in record.context.rows(session) if row.kind == "results"]
    assert len(rows) == 1
    assert [(o.call_id, o.content) for o in load_outcomes(rows[0].payload)] == [
        ("a", INTERRUPTED),
        ("b", INTERRUPTED),
    ]
    check_request(compose(record.context.rows(session)))


def test_results_stand_behind_their_response_though_an_input_came_between(record: Record) -> None:
    session = record.sessions.start(source="test").id
    record.messages.record_input(session, PERSON, "one")
    record.messages.record_response(session, text="", payload=calling("a"))
    record.messages.record_input(session, PERSON, "meanwhile")
    WorkingContext(record, session).settle()
    check_request(compose(record.context.rows(session)))


def test_an_empty_response_goes_to_no_provider(record: Record) -> None:
    session = record.sessions.start(source="test").id
    record.messages.record_input(session, PERSON, "one")
    record.messages.record_response(session, text="", payload=dump_response(ModelResponse([TextPart("")])))
    record.messages.record_input(session, PERSON, "two")
    elements = compose(record.context.rows(session))
    assert len(elements) == 2
    check_request(elements)


def test_a_plain_response_is_what_the_model_library_would_load() -> None:
    from vibeos.ports.models import load_response, response_text

    assert response_text(load_response(plain_response("ü\ud800\0"[:1] + "x"))) == "üx"


@given(steps=st.lists(st.sampled_from(["input", "call", "answer", "results", "empty"]), max_size=12))
def test_any_history_cut_anywhere_composes_a_valid_request_after_settling(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    with open_record(tmp_path_factory.mktemp("any") / "state.db") as record:
        session = record.sessions.start(source="test").id
        record.messages.record_input(session, PERSON, "first")
        running = WorkingContext(record, session)
        unanswered: list[tuple[int, str]] = []
        for number, step in enumerate(steps):
            call_id = f"c{number}"
            if step == "input":
                record.messages.record_input(session, PERSON, "more")
            elif step == "call":
                message = record.messages.record_response(session, text="", payload=calling(call_id))
                unanswered.append((message.context_seq, call_id))
            elif step == "results" and unanswered:
                seq, wanted = unanswered.pop()
                outcome = ToolOutcome(wanted, "memory", "ok")
                record.messages.record_results(session, seq, dump_outcomes([outcome]))
            else:
                text = "answer" if step == "answer" else ""
                record.messages.record_response(session, text=text, payload=plain_response(text))
            running.refresh()
            assert running.messages == compose(record.context.rows(session))
        running.settle()
        record.messages.record_input(session, PERSON, "last")
        running.refresh()
        assert running.messages == compose(record.context.rows(session))
        check_request(running.messages)


def test_the_registry_names_what_runs_for_a_session_only() -> None:
    registry = MemoryJobRegistry()
    job = LivingJob(JobKind.COMMAND, "c1", "make test", "2026-01-15T00:00:00Z")
    registry.add("one", job)
    assert registry.living("one") == (job,)
    assert registry.living("two") == ()
    registry.remove("one", "c1")
    registry.remove("one", "c1")
    assert registry.living("one") == ()
