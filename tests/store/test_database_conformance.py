"""What every database must do, whichever it is. A new backend joins by one more line in BACKENDS."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from store.databases import add, open_database, texts
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from vibeos.ports.store import Database

    Open = Callable[[], Database]

BACKENDS: dict[str, Callable[[Path], Database]] = {
    "sqlite": lambda folder: open_database(folder / "state.db")
}


@pytest.fixture(params=BACKENDS)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same database again and again; closes every one at the end."""
    opened: list[Database] = []

    def connect() -> Database:
        opened.append(BACKENDS[request.param](tmp_path))
        return opened[-1]

    yield connect
    for database in opened:
        database.close()


def test_what_was_written_is_read_by_another_connection(connect: Open) -> None:
    add(connect(), "one", "two")
    assert texts(connect()) == ["one", "two"]


def test_a_statement_gives_rows_by_name_and_one_gives_the_first_or_nothing(connect: Open) -> None:
    database = connect()
    with database.write() as transaction:
        assert transaction.all("add_note", text="one") == [{"id": 1}]
        assert transaction.one("note", text="one") == {"id": 1, "text": "one"}
        assert transaction.one("note", text="two") is None
        assert transaction.all("note", text="two") == []


def test_run_says_how_many_rows_it_changed(connect: Open) -> None:
    database = connect()
    add(database, "one", "two", "three")
    with database.write() as transaction:
        assert transaction.run("delete_notes") == 3
        assert transaction.run("delete_notes") == 0


def add_and_raise(database: Database, error: BaseException) -> None:
    with database.write() as transaction:
        transaction.run("add_note", text="lost")
        raise error


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt()])
def test_what_interrupts_a_transaction_leaves_nothing_of_it(connect: Open, error: BaseException) -> None:
    database = connect()
    add(database, "before")
    with pytest.raises(type(error)):
        add_and_raise(database, error)
    assert texts(database) == ["before"]


def test_a_statement_that_fails_takes_the_whole_transaction_with_it(connect: Open) -> None:
    database = connect()
    add(database, "taken")
    with pytest.raises(StoreError):
        add(database, "fresh", "taken")
    assert texts(database) == ["taken"]


def test_a_reader_sees_one_state_while_another_writes(connect: Open) -> None:
    reader, writer = connect(), connect()
    add(writer, "one")
    with reader.read() as transaction:
        assert len(transaction.all("notes")) == 1
        add(writer, "two")
        assert len(transaction.all("notes")) == 1
    assert texts(reader) == ["one", "two"]


def test_a_reader_sees_the_state_of_its_begin_even_if_it_reads_late(connect: Open) -> None:
    reader, writer = connect(), connect()
    with reader.read() as transaction:
        add(writer, "late")
        assert transaction.all("notes") == []


def test_references_are_kept(connect: Open) -> None:
    database = connect()
    with pytest.raises(StoreError), database.write() as transaction:
        transaction.run("add_secret", note_id=77)


def test_a_transaction_inside_another_is_refused_and_does_not_hang(connect: Open) -> None:
    database = connect()
    with pytest.raises(StoreError, match="inside another"), database.write(), database.read():
        pass
    add(database, "still usable")
    assert texts(database) == ["still usable"]


def test_a_transaction_is_of_no_use_after_its_end(connect: Open) -> None:
    database = connect()
    with database.write() as transaction:
        pass
    with pytest.raises(StoreError, match="after its end"):
        transaction.run("add_note", text="late")


def test_a_statement_that_makes_no_sense_is_a_store_error(connect: Open) -> None:
    database = connect()
    with pytest.raises(StoreError), database.read() as transaction:
        transaction.all("nonsense")


def test_threads_share_a_database_and_lose_nothing(connect: Open) -> None:
    database = connect()

    def work(name: int) -> None:
        for count in range(25):
            add(database, f"{name}/{count}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(texts(database)) == {f"{name}/{count}" for name in range(4) for count in range(25)}


def test_closing_twice_is_no_error_and_using_it_afterwards_is_one(connect: Open) -> None:
    database = connect()
    database.close()
    database.close()
    with pytest.raises(StoreError, match="closed"):
        texts(database)


def test_nothing_of_what_was_deleted_is_held_back_when_nobody_reads(connect: Open) -> None:
    database = connect()
    add(database, "one")
    with database.write() as transaction:
        transaction.run("delete_notes")
    assert database.forget() is True
    assert texts(database) == []


def test_a_look_gives_what_has_been_committed(connect: Open) -> None:
    database, other = connect(), connect()
    assert database.look("note", text="one") == []
    add(other, "one")
    assert database.look("note", text="one") == [{"id": 1, "text": "one"}]
