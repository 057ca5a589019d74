"""The index follows the messages, and can be made again from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from record.kit import PERSON, new_record, say
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with new_record(tmp_path) as record:
        yield record


def found(record: Record, query: str, **where: str | int | None) -> list[str]:
    return [hit.message.text for hit in record.search(query, **where)]  # type: ignore[arg-type]


def test_the_index_can_be_made_again_from_the_messages(record: Record) -> None:
    sessions = [record.sessions.start(source="cli").id for _ in range(3)]
    for number in range(40):
        say(record, sessions[number % 3], f"apple number {number}")
        record.messages.record_response(
            sessions[number % 3], text=f"pear {number}" if number % 2 else "", payload="{}"
        )
    queries = ("apple", "pear 7", '"number 12"', "apple -7", "january")
    before = [record.search(query, limit=50) for query in queries]
    with record._database.write() as transaction:
        transaction.run("empty_index")
    steps: list[tuple[int, int]] = []
    assert record.rebuild_index(lambda done, total: steps.append((done, total))) == 60  # twenty said nothing
    assert steps == [(60, 60)]
    assert [record.search(query, limit=50) for query in queries] == before


def test_a_rebuild_that_was_interrupted_goes_on_and_new_messages_are_not_lost(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vibeos.record.index._CHUNK", 10)
    session = record.sessions.start(source="cli").id
    say(record, session, *(f"apple number {number}" for number in range(35)))

    def stop(done: int, total: int) -> None:
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record.rebuild_index(stop)
    say(record, session, "apple in the meantime")
    assert record.rebuild_index() == 16
    assert len(record.search("apple", limit=99)) == 36
    assert record.rebuild_index() == 36
    assert len(record.search("apple", limit=99)) == 36


def test_what_was_rolled_back_never_enters_the_index(record: Record) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, "an apple")
    database = record._database
    with pytest.raises(ZeroDivisionError):
        _record_and_fail(record, session)
    assert found(record, "pear") == []
    rows = record.query("SELECT count(*) FROM messages").rows
    with database.read() as transaction:
        assert transaction.one("count_postings", expression='"ann"', most=10) == {"postings": rows[0][0]}


def _record_and_fail(record: Record, session: str) -> None:
    from vibeos.record.message import Draft
    from vibeos.record.writing import append

    with record._database.write() as transaction:
        append(
            transaction,
            session,
            Draft.of_input(PERSON, "a pear"),
            kind=None,
            now="2026-01-15T00:00:00.000000Z",
        )
        raise ZeroDivisionError


def test_a_session_is_not_found_any_more_when_it_is_deleted(record: Record) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, "an apple")
    record.sessions.delete(session)
    assert record.search("apple") == ()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_search_finds_every_message_that_is_there_and_none_that_was_deleted(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vibeos.record.index.BATCH", data.draw(st.sampled_from([2, 3, 64])))
    folder = tmp_path_factory.mktemp("record")
    record = new_record(folder)
    kept: dict[str, list[str]] = {}
    for number in range(data.draw(st.integers(1, 25))):
        match data.draw(st.sampled_from(["say", "say", "say", "silent", "delete", "search", "crash"])):
            case "say" | "silent" as how:
                session = data.draw(st.sampled_from([*kept, "new"]))
                if session == "new":
                    session = record.sessions.start(source="cli").id
                    kept[session] = []
                if how == "say":
                    say(record, session, f"apple n{number}x")
                    kept[session].append(f"apple n{number}x")
                else:
                    record.messages.record_response(session, text="", payload="{}")
            case "delete" if kept:
                gone = data.draw(st.sampled_from([*kept]))
                record.sessions.delete(gone)
                del kept[gone]
            case "crash":
                record._database.close()  # without the record's own closing, as a killed program
                record = new_record(folder)
            case _:
                record.search("apple")
    expected = sorted(text for texts in kept.values() for text in texts)
    assert sorted(found(record, "apple", limit=99)) == expected
    record.close()


def test_a_record_that_was_closed_can_be_searched_to_its_end_where_nothing_can_be_written(
    record: Record, tmp_path: Path
) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, "an apple")
    record.close()
    with new_record(tmp_path) as again, again._database.read() as transaction:
        assert transaction.one("count_unindexed", until=10**9) == {"messages": 0}


def test_a_search_refuses_while_very_much_is_missing_in_the_index(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vibeos.record.index._MOST_BEHIND", 2)
    session = record.sessions.start(source="cli").id
    say(record, session, "one apple", "two apples", "three apples")
    with pytest.raises(StoreError, match="made again; 3 messages"):
        record.search("apple")
    record.rebuild_index()
    assert len(record.search("apple")) == 3
