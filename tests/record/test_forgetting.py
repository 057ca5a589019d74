"""A deleted session is gone: rows, index, and the bytes in the files, also after a crash in between."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from record.kit import PERSON, WATCH, new_record, say
from store.crashing import CRASHED, crashes
from vibeos.ports.store.sqlite import SqliteDatabase
from vibeos.record import ContextKind
from vibeos.values.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record

# Without the first letter: in the index a term is stored without what it shares with the term before it.
SECRET, TRACE = "zxqvjkwbpt", b"xqvjkwbpt"


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with new_record(tmp_path) as record:
        yield record


def traces(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if TRACE in file.read_bytes()]


def fill(record: Record, *, secret: str, seed: int, messages: int) -> tuple[str, str]:
    """Two sessions by turns, of which one holds the secret in all kinds of places; that one, and the other."""
    rnd = random.Random(seed)
    doomed, kept = (record.sessions.start(source="cli").id for _ in range(2))
    words = [f"word{number}" for number in range(500)]
    for number in range(messages):
        text = " ".join(rnd.choices(words, k=rnd.choice((3, 30, 600))))
        session = rnd.choice((doomed, kept))
        marked = f"{text} {secret}{number % 7} {text[:20]}" if session == doomed else text
        if rnd.random() < 0.6:
            record.messages.record_input(session, PERSON, marked)
        else:
            response = record.messages.record_response(
                session, text=marked, payload=f'{{"text": "{marked}"}}'
            )
            record.messages.record_results(session, response.context_seq, f'["{marked}"]')
    return doomed, kept


def test_a_deleted_session_leaves_no_trace_in_the_files(record: Record, tmp_path: Path) -> None:
    doomed, kept = fill(record, secret=SECRET, seed=1, messages=120)
    record.sessions.rename(doomed, f"About {SECRET}")
    record.inbox.deliver(doomed, WATCH, f"waiting {SECRET}", key=SECRET)
    record.snapshots.freeze(doomed, f"frozen {SECRET}")
    assert traces(tmp_path)
    kept_before = record.messages.of_session(kept)
    deletion = record.sessions.delete(doomed)
    assert deletion.traces_gone
    assert traces(tmp_path) == []
    assert record.search(f"{SECRET}*") == ()
    assert record.messages.of_session(kept) == kept_before
    record.close()
    assert traces(tmp_path) == []


@pytest.mark.parametrize("seed", [1, 5, 23])
def test_no_copy_stays_in_the_gaps_of_the_pages(record: Record, tmp_path: Path, seed: int) -> None:
    """SQLite leaves a copy of a row behind when it moves it; these seeds made it do so."""
    doomed = [fill(record, secret=SECRET, seed=seed + number, messages=90)[0] for number in range(3)]
    for session in doomed:
        record.sessions.delete(session)
    assert traces(tmp_path) == []


def test_a_deletion_says_what_went(record: Record) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, "one")
    response = record.messages.record_response(session, text="two", payload="{}")
    record.messages.record_results(session, response.context_seq, "{}")
    record.messages.record_notice(session, "three")
    record.inbox.deliver(session, WATCH, "four")
    record.snapshots.freeze(session, "five")
    deletion = record.sessions.delete(session)
    assert (deletion.messages, deletion.context_rows, deletion.queued, deletion.snapshots) == (3, 3, 1, 1)
    assert deletion.copies == ()
    with pytest.raises(NotFoundError):
        record.sessions.get(session)
    assert record.snapshots.get(session) is None
    assert record.context.rows(session) == ()
    assert record.inbox.waiting(session) == ()


def test_a_deletion_names_the_backups_that_it_does_not_reach(record: Record, tmp_path: Path) -> None:
    session = record.sessions.start(source="cli").id
    backup = tmp_path / "state.db.20260101T000000000000Z.bak"
    backup.touch()
    assert record.sessions.delete(session).copies == (str(backup),)


def test_sessions_that_a_deleted_one_began_stay(record: Record) -> None:
    parent = record.sessions.start(source="cli")
    child = record.sessions.start(source="cli", parent_id=parent.id)
    say(record, child.id, "still here")
    record.sessions.delete(parent.id)
    assert record.sessions.get(child.id).parent_id == ""
    assert [hit.message.text for hit in record.search("still")] == ["still here"]


def test_a_reader_that_will_not_leave_makes_traces_stay_and_the_next_opening_removes_them(
    tmp_path: Path,
) -> None:
    with new_record(tmp_path) as record, new_record(tmp_path) as other:
        session = record.sessions.start(source="cli").id
        say(record, session, f"about {SECRET}")
        record._database._patience = 0.05  # type: ignore[attr-defined]
        with other._database.read():
            deletion = record.sessions.delete(session)
        assert not deletion.traces_gone
        assert record.search(SECRET) == ()
    new_record(tmp_path).close()
    assert traces(tmp_path) == []


def test_a_disk_without_room_makes_traces_stay_and_the_session_goes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(database: SqliteDatabase) -> bool:
        raise StoreError("The disk is full")

    with new_record(tmp_path) as record, monkeypatch.context() as patch:
        session = record.sessions.start(source="cli").id
        say(record, session, f"about {SECRET}")
        patch.setattr(SqliteDatabase, "forget", no_room)
        assert not record.sessions.delete(session).traces_gone
        assert record.sessions.list() == ()
        with new_record(tmp_path) as other:  # a chore that fails keeps nobody out
            assert other.search(SECRET) == ()
    new_record(tmp_path).close()
    assert traces(tmp_path) == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_crash_at_any_write_of_a_deletion_leaves_the_session_whole_or_gone(tmp_path: Path) -> None:
    template, work = tmp_path / "template", tmp_path / "work"
    with new_record(template) as record:
        doomed, kept = (record.sessions.start(source="cli").id for _ in range(2))
        for number in range(6):
            say(record, doomed if number % 2 else kept, f"text {number} " + (SECRET if number % 2 else ""))

    def delete(folder: Path) -> None:
        with new_record(folder) as record:
            record.sessions.delete(doomed)

    seen = set()
    for code in crashes(template, work, delete):
        with new_record(work) as record:
            numbers = [message.context_seq for message in record.messages.of_session(doomed)]
            rows = [row for row in record.context.rows(doomed) if row.kind is ContextKind.INPUT]
            found = record.search(SECRET)
            assert (
                len(record.messages.of_session(kept)) == len(record.search("0 OR 2 OR 4", limit=50)) == 3
                or numbers
            )
            seen.add((code, len(numbers)))
        assert len(numbers) == len(rows) == len(found)
        assert bool(traces(work)) == bool(numbers)
    assert {(CRASHED, 3), (CRASHED, 0)} <= seen
