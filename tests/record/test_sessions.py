"""Sessions: what they know of themselves, who finds them, and how they leave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from record.kit import ANY_TEXT, PERSON, WATCH, new_record, say
from vibeos.values.errors import InvalidIdError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from vibeos.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with new_record(tmp_path) as record:
        yield record


def test_a_session_knows_how_it_began(record: Record) -> None:
    parent = record.sessions.start(source="cli")
    started = record.sessions.start(
        source="mcp", project="/code/api", user_id="u1", model="openai:x", title="Deploy", parent_id=parent.id,
        mode="read_only", backend="other",
    )  # fmt: skip
    session = record.sessions.get(started.id)
    assert session == started
    assert (session.source, session.project, session.user_id, session.model) == (
        "mcp",
        "/code/api",
        "u1",
        "openai:x",
    )
    assert (session.title, session.title_is_set, session.parent_id) == ("Deploy", True, parent.id)
    assert (session.mode, session.backend, session.next_seq, session.message_count) == (
        "read_only",
        "other",
        1,
        0,
    )
    assert (session.last_active_at, session.ended_at) == (session.started_at, "")
    assert parent.started_at < session.started_at < "2026-01-15T12:00:09.000000Z"


def test_a_session_without_a_title_takes_the_first_line_that_a_person_writes(record: Record) -> None:
    session = record.sessions.start(source="cli")
    record.messages.record_input(session.id, WATCH, "the build failed")
    record.messages.record_response(session.id, text="I will look at it", payload="{}")
    assert record.sessions.get(session.id).title == ""
    say(record, session.id, "\n\n   Fix the build\nof the payment service", "and then deploy")
    assert record.sessions.get(session.id).title == "Fix the build"
    assert not record.sessions.get(session.id).title_is_set


def test_a_title_taken_from_a_message_has_at_most_sixty_characters(record: Record) -> None:
    session = record.sessions.start(source="cli")
    say(record, session.id, "word " * 100)
    assert len(record.sessions.get(session.id).title) == 60


def test_a_title_that_was_given_stays(record: Record) -> None:
    given_one = record.sessions.start(source="cli", title="Mine")
    say(record, given_one.id, "something else")
    renamed = record.sessions.start(source="cli")
    say(record, renamed.id, "first words")
    assert record.sessions.rename(renamed.id, "Second\nthoughts").title == "Second thoughts"
    say(record, renamed.id, "more words")
    assert [record.sessions.get(one.id).title for one in (given_one, renamed)] == ["Mine", "Second thoughts"]


def test_the_session_with_the_newest_activity_comes_first(record: Record) -> None:
    old, new = (record.sessions.start(source="cli") for _ in range(2))
    assert [session.id for session in record.sessions.list()] == [new.id, old.id]
    say(record, old.id, "one", "two")
    assert [(session.id, session.message_count) for session in record.sessions.list()] == [
        (old.id, 2),
        (new.id, 0),
    ]
    assert record.sessions.latest() == record.sessions.get(old.id)


def test_a_list_is_of_one_user_and_one_project_and_comes_in_pages(record: Record) -> None:
    for place in range(4):
        record.sessions.start(source="cli", project="/a" if place % 2 else "", title=f"local {place}")
    record.sessions.start(source="telegram", user_id="u1", title="remote")
    titles = [session.title for session in record.sessions.list()]
    assert titles == ["local 3", "local 2", "local 1", "local 0"]
    assert [session.title for session in record.sessions.list(project="/a")] == ["local 3", "local 1"]
    assert [session.title for session in record.sessions.list(project="")] == ["local 2", "local 0"]
    assert [session.title for session in record.sessions.list(user_id="u1")] == ["remote"]
    assert [session.title for session in record.sessions.list(user_id=None, limit=2, offset=1)] == [
        "local 3",
        "local 2",
    ]
    assert [
        record.sessions.count(),
        record.sessions.count(user_id=None),
        record.sessions.count(project="/a"),
    ] == [4, 5, 2]


def test_the_latest_session_can_be_asked_for_by_project_source_and_user(record: Record) -> None:
    here = record.sessions.start(source="cli", project="/a")
    record.sessions.start(source="mcp", project="/a")
    record.sessions.start(source="cli", user_id="u1", project="/a")
    assert record.sessions.latest(project="/a", source="cli") == here
    assert record.sessions.latest(project="/b") is None


def test_a_session_is_found_by_the_beginning_of_its_id(record: Record) -> None:
    session = record.sessions.start(source="cli")
    assert record.sessions.resolve(session.id) == session
    assert record.sessions.resolve(session.id[:-1]) == session


def test_a_beginning_that_several_ids_share_names_them(record: Record) -> None:
    sessions = [record.sessions.start(source="cli") for _ in range(3)]
    with pytest.raises(NotFoundError, match="More than one") as caught:
        record.sessions.resolve("2026")
    assert all(session.id in caught.value.message for session in sessions)
    with pytest.raises(NotFoundError):
        record.sessions.resolve("202")


def test_the_beginning_of_an_id_finds_no_session_of_another_user(record: Record) -> None:
    session = record.sessions.start(source="telegram", user_id="u1")
    with pytest.raises(NotFoundError):
        record.sessions.resolve(session.id)
    assert record.sessions.resolve(session.id, user_id="u1") == session
    assert record.sessions.resolve(session.id, user_id=None) == session


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "", "a b", "a\x00", "'; DROP TABLE sessions; --", "\udcff", "x" * 99]
)
def test_what_is_no_id_is_refused(record: Record, name: str) -> None:
    for action in (record.sessions.get, record.sessions.resolve, record.sessions.end, record.sessions.delete):
        with pytest.raises(InvalidIdError):
            action(name)


def test_a_session_that_is_not_there_is_said_so_everywhere(record: Record) -> None:
    actions: list[Callable[[], object]] = [
        lambda: record.sessions.get("20260101-000000-aaaaaa"),
        lambda: record.sessions.rename("20260101-000000-aaaaaa", "x"),
        lambda: record.sessions.end("20260101-000000-aaaaaa"),
        lambda: record.sessions.delete("20260101-000000-aaaaaa"),
        lambda: list(record.sessions.export("20260101-000000-aaaaaa")),
        lambda: record.sessions.start(source="cli", parent_id="20260101-000000-aaaaaa"),
        lambda: record.messages.record_input("20260101-000000-aaaaaa", PERSON, "x"),
        lambda: record.messages.record_response("20260101-000000-aaaaaa", text="x", payload="{}"),
        lambda: record.messages.record_notice("20260101-000000-aaaaaa", "x"),
        lambda: record.messages.record_results("20260101-000000-aaaaaa", 1, "{}"),
        lambda: record.inbox.deliver("20260101-000000-aaaaaa", PERSON, "x"),
        lambda: record.snapshots.freeze("20260101-000000-aaaaaa", "x"),
    ]
    for action in actions:
        with pytest.raises(NotFoundError) as caught:
            action()
        assert "20260101-000000-aaaaaa" in caught.value.message
    assert record.query("SELECT count(*) FROM messages").rows == ((0,),)


def test_a_session_that_ended_is_open_again_when_something_is_said_in_it(record: Record) -> None:
    session = record.sessions.start(source="cli")
    assert record.sessions.end(session.id).ended_at
    say(record, session.id, "one more thing")
    assert record.sessions.get(session.id).ended_at == ""


def test_the_model_of_a_session_is_the_one_that_answered_last(record: Record) -> None:
    session = record.sessions.start(source="cli", model="a")
    record.messages.record_response(session.id, text="x", payload="{}", model="b")
    record.messages.record_response(session.id, text="x", payload="{}")
    assert record.sessions.get(session.id).model == "b"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=ANY_TEXT)
def test_an_export_is_json_lines_that_hold_every_text_exactly(record: Record, text: str) -> None:
    session = record.sessions.start(source="cli")
    record.messages.record_input(session.id, PERSON, text)
    record.messages.record_input(session.id, WATCH, text)
    record.messages.record_response(session.id, text=text, payload="{}", model="m")
    lines = [json.loads(json.dumps(line)) for line in record.sessions.export(session.id)]
    assert [line["kind"] for line in lines] == ["session", "message", "message", "message"]
    assert ["".join(line["text"]) for line in lines[1:]] == [text, text, text]
    assert (lines[0]["id"], lines[0]["message_count"]) == (session.id, 3)
    assert [line["type"] for line in lines[1:]] == ["user", "harness", "assistant"]
    assert (lines[1]["author_name"], lines[2]["route"], lines[2]["origin_id"]) == ("Ann", "watch", "w-1")


def test_an_export_of_many_messages_is_complete_and_holds_nothing_open(record: Record) -> None:
    session = record.sessions.start(source="cli")
    say(record, session.id, *(f"text {number}" for number in range(520)))
    lines = record.sessions.export(session.id)
    next(lines)
    say(record, record.sessions.start(source="cli").id, "meanwhile")  # the export holds no transaction
    assert [line["context_seq"] for line in lines] == list(range(1, 521))
