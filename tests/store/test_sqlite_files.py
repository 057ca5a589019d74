"""The SQLite file itself: who may read it, what stands in its way, and that nothing is lost then."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import apsw
import pytest

from store.databases import add, definition, open_database, texts
from vibeos.ports.store.sqlite import SqliteDatabase
from vibeos.ports.store.sqlite.database import _LOOK_SECONDS
from vibeos.values.errors import (
    FileAccessError,
    HomeError,
    NotFoundError,
    StoreBusyError,
    StoreError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "profiles" / "state.db"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def raw(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """Run SQL on the file behind our back."""
    connection = apsw.Connection(str(path))
    try:
        return [row for statement in statements for row in connection.execute(statement)]
    finally:
        connection.close()


def test_the_file_and_its_new_folders_are_private(path: Path) -> None:
    database = open_database(path)
    add(database, "one")
    assert mode(path) == mode(path.with_name("state.db-wal")) == 0o600
    assert mode(path.parent) == mode(path.parent.parent) == 0o700
    database.close()


def test_folders_that_were_there_keep_their_mode(path: Path) -> None:
    path.parent.mkdir(parents=True, mode=0o755)
    open_database(path).close()
    assert mode(path.parent) == 0o755


def test_words_survive_a_power_cut_and_deleted_ones_are_overwritten(path: Path) -> None:
    database = open_database(path)
    settings = {
        "synchronous": 2,
        "journal_mode": "wal",
        "foreign_keys": 1,
        "secure_delete": 1,
        "fullfsync": 1,
    }
    connection = database._line.connection
    assert {name: connection.pragma(name) for name in settings} == settings
    database.close()


def test_a_missing_file_is_not_created_when_it_must_be_there(path: Path) -> None:
    with pytest.raises(NotFoundError, match="no record yet"):
        SqliteDatabase.open(path, definition(), create=False)
    assert not path.parent.exists()


def test_a_file_that_is_no_database_is_refused_and_kept(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"Dear diary, " * 500)
    with pytest.raises(StoreError, match="is not a database"):
        open_database(path)
    assert path.read_bytes() == b"Dear diary, " * 500


def test_the_database_of_another_program_is_refused_and_kept(path: Path) -> None:
    path.parent.mkdir(parents=True)
    raw(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_database(path)
    assert path.read_bytes() == before


def test_a_folder_in_the_place_of_the_file_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(FileAccessError, match="is a folder"):
        open_database(path)


def test_a_file_in_the_place_of_the_folder_is_refused(path: Path) -> None:
    path.parent.parent.mkdir(parents=True)
    path.parent.write_text("not a folder", encoding="utf-8")
    with pytest.raises(HomeError):
        open_database(path)


def test_a_place_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HomeError, match="not valid UTF-8"):
        open_database(tmp_path / "\udcff" / "state.db")


def test_a_damaged_file_is_an_error_with_a_remedy(path: Path) -> None:
    database = open_database(path)
    add(database, *(f"note {number} {'x' * 200}" for number in range(200)))
    database.close()
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged") as caught:
        texts(open_database(path))
    assert "backup" in caught.value.remedy


def test_a_folder_that_cannot_be_written_cannot_get_a_database(
    tmp_path: Path, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with without_root(), pytest.raises(HomeError, match="cannot be created") as caught:
        open_database(folder / "state.db")
    assert "VIBEOS_HOME" in caught.value.remedy


@pytest.mark.parametrize("locked", ["folder", "file", "both"])
def test_a_home_that_cannot_be_written_can_be_read(
    tmp_path: Path, locked: str, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "locked" / "state.db"
    database = open_database(path)
    add(database, "kept")
    database.close()
    if locked != "folder":
        path.chmod(0o400)
    if locked != "file":
        path.parent.chmod(0o500)
    with without_root():
        database = open_database(path)
        assert database.read_only
        assert texts(database) == ["kept"]
        with pytest.raises(HomeError, match="can only be read"):
            add(database, "more")
        assert database.query("SELECT text FROM notes").rows == (("kept",),)
        database.close()
    path.parent.chmod(0o700)


def test_newest_messages_that_cannot_be_read_are_not_left_out_in_silence(
    tmp_path: Path, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "locked" / "state.db"
    database = open_database(path)
    add(database, "in the log")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("state.db", "state.db-wal"):
        (copy / name).write_bytes((path.parent / name).read_bytes())
    database.close()
    copy.chmod(0o500)
    with without_root(), pytest.raises(StoreError, match="newest messages"):
        open_database(copy / "state.db")
    copy.chmod(0o700)


def test_a_file_that_may_not_be_read_is_an_error(
    tmp_path: Path, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "locked" / "state.db"
    open_database(path).close()
    path.chmod(0)
    with without_root(), pytest.raises(FileAccessError):
        open_database(path)


def test_a_full_disk_stores_nothing_and_loses_nothing(path: Path) -> None:
    database = open_database(path)
    add(database, "before")
    pages = int(str(database._line.connection.pragma("page_count")))
    database._line.connection.pragma("max_page_count", pages + 2)
    with pytest.raises(StoreError, match="disk is full"):
        add(database, "small", "x" * 100_000)
    assert texts(database) == ["before"]
    database._line.connection.pragma("max_page_count", 1_000_000)
    add(database, "after")
    assert texts(database) == ["before", "after"]
    database.close()


WRITE_UNTIL_IT_FAILS = """
import resource, sys
from pathlib import Path
from store.databases import add, open_database, texts
from vibeos.values.errors import StoreError

database = open_database(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
stored = 0
try:
    for number in range(1_000):
        add(database, f"{number} {'x' * 2_000}")
        stored += 1
except StoreError as error:
    print(stored, len(texts(database)), bool(error.remedy))
"""


def test_a_disk_that_refuses_to_write_loses_nothing_that_was_stored(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITE_UNTIL_IT_FAILS, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    stored, seen, has_remedy = done.stdout.split()
    assert int(stored) > 5
    assert (seen, has_remedy) == (stored, "True")
    database = open_database(path)
    assert len(texts(database)) == int(stored)
    database.close()


def test_who_is_kept_waiting_too_long_gets_an_error_that_says_so(path: Path) -> None:
    holder, waiter = open_database(path), open_database(path, patience=0.05)
    with holder.write(), pytest.raises(StoreBusyError, match="too long"):
        add(waiter, "no")
    add(waiter, "yes")
    assert texts(holder) == ["yes"]
    holder.close()
    waiter.close()


def test_a_writer_waits_for_another_and_then_writes(path: Path) -> None:
    holder, waiter = open_database(path), open_database(path)
    done = threading.Event()

    def wait() -> None:
        add(waiter, "second")
        done.set()

    thread = threading.Thread(target=wait)
    with holder.write() as transaction:
        transaction.run("add_note", text="first")
        thread.start()
        time.sleep(0.1)
        assert not done.is_set()
    thread.join()
    assert texts(holder) == ["first", "second"]
    holder.close()
    waiter.close()


OPEN_AND_ADD = """
import sys
from pathlib import Path
from store.databases import add, open_database

for number in range(20):
    database = open_database(Path(sys.argv[1]))
    add(database, f"{sys.argv[2]}/{number}")
    database.close()
"""


def test_processes_that_open_a_new_home_at_once_do_not_disturb_each_other(path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    children = [
        subprocess.Popen([sys.executable, "-c", OPEN_AND_ADD, str(path), name], env=environment)
        for name in "abcd"
    ]
    assert [child.wait(60) for child in children] == [0, 0, 0, 0]
    database = open_database(path)
    assert len(texts(database)) == 80
    database.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_connection_is_not_carried_through_a_fork(path: Path) -> None:
    database = open_database(path)
    child = os.fork()
    if child == 0:
        try:
            add(database, "from the child")
        except StoreError as error:
            os._exit(7 if "spawn" in error.remedy else 1)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    add(database, "from the parent")
    assert texts(database) == ["from the parent"]
    database.close()


def test_a_file_that_was_taken_away_while_open_takes_no_more_words(tmp_path: Path) -> None:
    database = open_database(tmp_path / "state.db")
    add(database, "one")
    (tmp_path / "state.db").unlink()
    time.sleep(_LOOK_SECONDS)  # it does not look before every write
    with pytest.raises(StoreError, match="moved, deleted or replaced"):
        add(database, "two")
    database.close()
