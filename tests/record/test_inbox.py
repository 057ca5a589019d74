"""The inbox: what arrives is stored at once, and enters the context in order, exactly once."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from record.kit import ANY_TEXT, PERSON, WATCH, new_record
from store.crashing import CRASHED, FINISHED, crashes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with new_record(tmp_path) as record:
        yield record


@pytest.fixture
def session(record: Record) -> str:
    return record.sessions.start(source="cli").id


def texts(record: Record, session: str) -> list[str]:
    return [row.message.text for row in record.context.rows(session) if row.message]


def test_what_waits_has_no_number_until_it_is_taken(record: Record, session: str) -> None:
    queued = record.inbox.deliver(session, PERSON, "one")
    record.inbox.deliver(session, WATCH, "two")
    assert record.inbox.waiting(session)[0] == queued
    assert [(one.text, one.envelope) for one in record.inbox.waiting(session)] == [
        ("one", PERSON),
        ("two", WATCH),
    ]
    assert record.context.rows(session) == ()
    taken = record.inbox.take(session)
    assert [(message.context_seq, message.type, message.text) for message in taken] == [
        (1, "user", "one"),
        (2, "harness", "two"),
    ]
    assert [row.message for row in record.context.rows(session)] == list(taken)
    assert record.inbox.waiting(session) == ()
    assert record.inbox.take(session) == ()


def test_what_waits_survives_a_restart(tmp_path: Path) -> None:
    with new_record(tmp_path) as record:
        session = record.sessions.start(source="cli").id
        record.inbox.deliver(session, WATCH, "kept")
    with new_record(tmp_path) as record:
        assert [message.presented for message in record.inbox.take(session)] == [WATCH.present("kept")]


def test_a_message_keeps_the_time_at_which_it_arrived(record: Record, session: str) -> None:
    queued = record.inbox.deliver(session, PERSON, "early")
    (message,) = record.inbox.take(session)
    assert message.created_at == queued.created_at
    assert record.context.rows(session)[0].created_at > queued.created_at


def test_an_input_recorded_directly_comes_after_what_waits(record: Record, session: str) -> None:
    record.inbox.deliver(session, WATCH, "first")
    record.inbox.deliver(session, PERSON, "second")
    message = record.messages.record_input(session, PERSON, "third")
    assert message.context_seq == 3
    assert texts(record, session) == ["first", "second", "third"]
    assert record.inbox.waiting(session) == ()


def test_the_queues_of_two_sessions_are_apart(record: Record, session: str) -> None:
    other = record.sessions.start(source="cli").id
    record.inbox.deliver(session, PERSON, "mine")
    record.inbox.deliver(other, PERSON, "theirs")
    assert [message.text for message in record.inbox.take(session)] == ["mine"]
    assert [one.text for one in record.inbox.waiting(other)] == ["theirs"]


def test_a_key_delivers_once_also_after_it_was_taken(record: Record, session: str) -> None:
    first = record.inbox.deliver(session, WATCH, "fired", key="w-1/7")
    again = record.inbox.deliver(session, WATCH, "fired", key="w-1/7")
    assert (first.is_new, again.is_new, again.id) == (True, False, first.id)
    record.inbox.take(session)
    assert not record.inbox.deliver(session, WATCH, "fired", key="w-1/7").is_new
    assert record.inbox.deliver(session, WATCH, "fired", key="w-1/8").is_new
    record.inbox.take(session)
    assert texts(record, session) == ["fired", "fired"]


def test_the_same_key_in_another_session_is_another_delivery(record: Record, session: str) -> None:
    other = record.sessions.start(source="cli").id
    assert record.inbox.deliver(session, WATCH, "x", key="k").is_new
    assert record.inbox.deliver(other, WATCH, "x", key="k").is_new


def test_without_a_key_the_same_text_is_delivered_each_time(record: Record, session: str) -> None:
    record.inbox.deliver(session, PERSON, "continue")
    record.inbox.deliver(session, PERSON, "continue")
    assert len(record.inbox.take(session)) == 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(inputs=st.lists(st.tuples(st.sampled_from([PERSON, WATCH]), ANY_TEXT), max_size=5))
def test_any_text_waits_and_enters_exactly_and_in_order(
    record: Record, inputs: list[tuple[object, str]]
) -> None:
    session = record.sessions.start(source="cli").id
    for envelope, text in inputs:
        record.inbox.deliver(session, envelope, text)  # type: ignore[arg-type]
    assert [(one.envelope, one.text) for one in record.inbox.waiting(session)] == inputs
    assert [(message.envelope, message.text) for message in record.inbox.take(session)] == inputs


TAKER = """
import sys
from pathlib import Path
from record.kit import PERSON
from vibeos.record import open_record

with open_record(Path(sys.argv[1])) as record:
    for number in range(60):
        record.inbox.deliver(sys.argv[2], PERSON, f"{sys.argv[3]}/{number}")
        record.inbox.take(sys.argv[2])
"""


def test_two_processes_that_deliver_and_take_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    with new_record(tmp_path) as record:
        session = record.sessions.start(source="cli").id
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", TAKER, str(tmp_path / "state.db"), session]
        children = [subprocess.Popen([*command, name], env=environment) for name in "ab"]
        assert [child.wait(60) for child in children] == [0, 0]
        record.inbox.take(session)
        said = texts(record, session)
        assert [row.context_seq for row in record.context.rows(session)] == list(range(1, 121))
    for name in "ab":
        assert [text for text in said if text.startswith(name)] == [
            f"{name}/{number}" for number in range(60)
        ]
    assert len(said) == 120


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_crash_at_any_write_of_taking_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    template, work = tmp_path / "template", tmp_path / "work"
    with new_record(template) as record:
        session = record.sessions.start(source="cli").id
        for number in range(3):
            record.inbox.deliver(session, WATCH, f"{number} {'x' * 3_000}", key=str(number))

    def take(folder: Path) -> None:
        with new_record(folder) as record:
            record.inbox.take(session)

    outcomes = []
    for code in crashes(template, work, take):
        with new_record(work) as record:
            waiting, entered = len(record.inbox.waiting(session)), len(record.context.rows(session))
            outcomes.append((code, waiting, entered))
            assert (waiting, entered) in {(3, 0), (0, 3)}
            assert len(record.messages.of_session(session)) == entered
            assert len(record.search("0 OR 1 OR 2")) == entered
            record.inbox.take(session)
            assert [text[0] for text in texts(record, session)] == ["0", "1", "2"]
            assert not record.inbox.deliver(session, WATCH, "again", key="1").is_new
    assert [code for code, _, _ in outcomes].count(CRASHED) > 10
    assert outcomes[-1] == (FINISHED, 0, 3)
    assert (CRASHED, 3, 0) in outcomes
