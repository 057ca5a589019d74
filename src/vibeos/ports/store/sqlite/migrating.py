"""Bringing a database file to the schema of this program.

- A migration and its mark commit together, one transaction each; a crash leaves whole steps.
- A file of a newer program, or of another program, is refused before anything in it changes.
- A file that holds data is copied first, to `<name>.<stamp>.bak` beside it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vibeos.values.clock import stamp
from vibeos.values.errors import HomeError, StoreError, StoreVersionError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import apsw

    from vibeos.ports.store.definition import Migration
    from vibeos.values.clock import Clock

_MARKS = "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)"
_MARK = "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)"


def applied(connection: apsw.Connection, path: Path) -> int:
    """The number of the last migration that the file has seen; 0 for an empty file."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables:
        return 0
    if "migrations" not in tables:
        raise StoreError(
            f"{str(path)!r} is a database of another program.",
            remedy="Move the file away, or choose another home with VIBEOS_HOME.",
        )
    numbers = [int(str(number)) for (number,) in connection.execute("SELECT number FROM migrations")]
    return max(numbers, default=0)


def check_version(number: int, migrations: Sequence[Migration], path: Path) -> None:
    """Refuse a file that a newer program has written."""
    if number > len(migrations):
        raise StoreVersionError(
            f"{str(path)!r} was written by a newer VibeOS (its schema is {number}, this program knows {len(migrations)}).",
            remedy="Update VibeOS. Nothing in the file was changed.",
        )


def check_complete(number: int, migrations: Sequence[Migration], path: Path) -> None:
    """Refuse a file that would have to be migrated where nothing can be written."""
    check_version(number, migrations, path)
    if number < len(migrations):
        raise StoreError(
            f"{str(path)!r} was written by an older VibeOS and cannot be brought up to date: it can only be read.",
            remedy="Make the file and its folder writable for you, and try again.",
        )


def migrate(connection: apsw.Connection, path: Path, migrations: Sequence[Migration], clock: Clock) -> None:
    """Apply what is missing."""
    number = applied(connection, path)
    if number == len(migrations):
        return
    if number > 0:
        back_up(connection, path, clock)
    for migration in migrations[number:]:
        _apply(connection, migration, clock)


def _apply(connection: apsw.Connection, migration: Migration, clock: Clock) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_MARKS)
        done = connection.execute("SELECT 1 FROM migrations WHERE number = ?", (migration.number,)).fetchall()
        if not done:  # another program may have been faster
            for _ in connection.execute(migration.sql):
                pass
            connection.execute(_MARK, (migration.number, migration.name, stamp(clock())))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def back_up(connection: apsw.Connection, path: Path, clock: Clock) -> Path:
    """A whole copy of the database beside it, complete before it has its name."""
    moment = stamp(clock()).replace(":", "").replace("-", "").replace(".", "")
    copy = path.with_name(f"{path.name}.{moment}.bak")
    part = copy.with_name(f"{copy.name}.part")
    try:
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        connection.execute("VACUUM INTO ?", (str(part),))
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(copy)
    except OSError as error:
        raise HomeError(
            f"{str(copy)!r} could not be written before a migration: {error.strerror}.",
            remedy="Free some space or check the folder, and try again. Nothing was changed.",
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return copy
