"""The index follows the messages, and can be made again from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from record.kit import PERSON, new_record, say

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
    assert record.search("apple") == ()
    steps: list[tuple[int, int]] = []
    assert record.rebuild_index(lambda done, total: steps.append((done, total))) == 80
    assert steps == [(80, 80)]
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


def test_the_index_follows_the_messages_in_the_same_transaction(record: Record) -> None:
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
