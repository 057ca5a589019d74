"""A migration is whole or nothing, data is copied before it, and a newer program's file is left alone."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import apsw
import pytest

from store.databases import COLOURS, NOTES, add, open_database, texts
from vibeos.ports.store import Migration
from vibeos.values.errors import (
    HomeError,
    StoreError,
    StoreVersionError,
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


def test_a_database_of_a_newer_program_is_refused_and_not_touched(path: Path) -> None:
    database = open_database(path, NOTES, COLOURS)
    add(database, "precious")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreVersionError, match="newer VibeOS") as caught:
        open_database(path, NOTES)
    assert "Update VibeOS" in caught.value.remedy
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["state.db"]


def test_an_older_database_is_copied_and_then_migrated(path: Path) -> None:
    database = open_database(path, NOTES)
    add(database, "old")
    database.close()
    database = open_database(path, NOTES, COLOURS)
    assert texts(database) == ["old"]
    database.close()
    assert raw(path, "SELECT colour FROM notes") == [("red",)]
    assert raw(path, "SELECT number, name FROM migrations") == [(1, "notes"), (2, "colours")]
    (backup,) = path.parent.glob("state.db.*.bak")
    assert mode(backup) == 0o600
    assert raw(backup, "SELECT id, text FROM notes", "SELECT max(number) FROM migrations") == [
        (1, "old"),
        (1,),
    ]


def test_a_new_database_makes_no_backup(path: Path) -> None:
    open_database(path, NOTES, COLOURS).close()
    open_database(path, NOTES, COLOURS).close()
    assert [file.name for file in path.parent.iterdir()] == ["state.db"]


def test_a_migration_that_fails_leaves_the_steps_before_it(path: Path) -> None:
    broken = Migration(3, "broken", "CREATE TABLE half (id INTEGER); SELECT nothing FROM nowhere;")
    with pytest.raises(StoreError):
        open_database(path, NOTES, COLOURS, broken)
    assert raw(path, "SELECT max(number) FROM migrations") == [(2,)]
    assert raw(path, "SELECT name FROM sqlite_schema WHERE name = 'half'") == []
    database = open_database(path, NOTES, COLOURS)
    add(database, "usable")
    assert texts(database) == ["usable"]
    database.close()


def test_a_backup_that_cannot_be_written_stops_the_migration(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_database(path, NOTES)
    add(database, "old")
    database.close()

    def no_space(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(HomeError, match="before a migration"):
        open_database(path, NOTES, COLOURS)
    assert raw(path, "SELECT max(number) FROM migrations") == [(1,)]
    assert list(path.parent.glob("*.bak*")) == []


def test_an_older_database_in_a_home_that_cannot_be_written_is_refused(
    path: Path, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    open_database(path, NOTES).close()
    path.parent.chmod(0o500)
    with without_root(), pytest.raises(StoreError, match="older VibeOS"):
        open_database(path, NOTES, COLOURS)
    path.parent.chmod(0o700)
