"""A SQLite file as a `Database`: one connection, one transaction at a time, whole or nothing."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from vibeos.ports.store.database import QueryLimits, QueryResult
from vibeos.ports.store.sqlite import opening
from vibeos.ports.store.sqlite.errors import read_only, translated
from vibeos.ports.store.sqlite.migrating import applied, check_complete, check_version, migrate
from vibeos.ports.store.sqlite.query import query_file
from vibeos.ports.store.sqlite.transaction import Line, SqliteTransaction
from vibeos.values.clock import system_clock
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from vibeos.ports.store.database import Row, Transaction, Value
    from vibeos.ports.store.definition import Definition
    from vibeos.values.clock import Clock

_MOST_FAULTS = 20
_FORGET_SECONDS = 5.0
_LOOK_SECONDS = 0.1  # between two looks whether the file is still there; a look costs what a message may take


class SqliteDatabase:
    """See `Database`. Made by `open`."""

    def __init__(
        self,
        connection: apsw.Connection,
        path: Path,
        definition: Definition,
        *,
        read_only: bool,
        patience: float,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._patience = patience
        self._line = Line(connection, path)
        self._file = self._file_id()
        self._looked_at = 0.0
        self._definition = definition

    @classmethod
    def open(
        cls,
        path: Path,
        definition: Definition,
        *,
        create: bool = True,
        clock: Clock = system_clock,
        patience: float = opening.PATIENCE,
    ) -> SqliteDatabase:
        """Open the file, create it if there is none, bring it to this program's schema.

        Where it cannot be written it is opened for reading. Raises NotFoundError (no file, and `create` is
        false), HomeError, StoreError, StoreVersionError.
        """
        opening.check_place(path, create=create)
        if not opening.can_write(path):
            return cls._open_to_read(path, definition, patience)
        try:
            connection = opening.connect_to_write(path, patience)
        except apsw.Error as error:
            raise translated(error, path) from error
        try:
            check_version(applied(connection, path), definition.migrations, path)
            opening.settle(connection, patience)
            migrate(connection, path, definition.migrations, clock)
        except apsw.Error as error:
            connection.close()
            raise translated(error, path) from error
        except BaseException:
            connection.close()
            raise
        return cls(connection, path, definition, read_only=False, patience=patience)

    @classmethod
    def _open_to_read(cls, path: Path, definition: Definition, patience: float) -> SqliteDatabase:
        connection = opening.connect_to_read(path, patience)
        try:
            check_complete(applied(connection, path), definition.migrations, path)
        except BaseException:
            connection.close()
            raise
        return cls(connection, path, definition, read_only=True, patience=patience)

    def read(self) -> AbstractContextManager[Transaction]:
        """See `Database.read`."""
        # The first read fixes what the transaction sees, and is the only one that may have to wait.
        return SqliteTransaction(
            self._line, self._definition.statements, "BEGIN", "SELECT count(*) FROM migrations"
        )

    def look(self, statement: str, /, **params: Value) -> list[Row]:
        """See `Database.look`."""
        with SqliteTransaction(self._line, self._definition.statements) as transaction:
            return transaction.all(statement, **params)

    def write(self) -> AbstractContextManager[Transaction]:
        """See `Database.write`."""
        if self.read_only:
            raise read_only(self.path)
        self._check_file()
        return SqliteTransaction(self._line, self._definition.statements, "BEGIN IMMEDIATE")

    def _check_file(self) -> None:
        now = time.monotonic()
        if now - self._looked_at < _LOOK_SECONDS:
            return
        if self._file_id() != self._file:
            raise StoreError(
                f"{str(self.path)!r} was moved, deleted or replaced while it was open; nothing more is written into it.",
                remedy="Put the file back and start the program again.",
            )
        self._looked_at = now

    def _file_id(self) -> tuple[int, int] | None:
        """What tells the file apart from another at the same path; None where there is none."""
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def query(self, sql: str, limits: QueryLimits = QueryLimits()) -> QueryResult:  # noqa: B008 - a frozen value
        """See `Database.query`."""
        return query_file(self.path, sql, open_tables=self._definition.open_tables, limits=limits)

    def forget(self) -> bool:
        """See `Database.forget`. False also where there is no room for a second copy of the file.

        Overwriting what is deleted is not enough: SQLite leaves copies of rows that it moved in the gaps of its
        pages. So the whole file is written again, and the log is cut to nothing.
        """
        with self._line.turn():
            self._line.execute("PRAGMA temp_store = FILE")  # in memory it would take as much as the file
            self._line.connection.set_busy_handler(opening.Patience(min(_FORGET_SECONDS, self._patience)))
            try:
                self._line.execute("VACUUM")
                ((busy, _, _),) = self._line.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except StoreError as error:
                if isinstance(error.__cause__, (apsw.BusyError, apsw.FullError)):
                    return False
                raise
            finally:
                self._line.connection.set_busy_handler(opening.Patience(self._patience))
                self._line.execute("PRAGMA temp_store = MEMORY")
            return not busy

    def faults(self) -> tuple[str, ...]:
        """See `Database.faults`: SQLite's own check, that of the index included, and rows that lost their parent."""
        with self._line.turn():
            checked = [str(row[0]) for row in self._line.execute(f"PRAGMA quick_check({_MOST_FAULTS})")]
            orphans = self._line.execute("PRAGMA foreign_key_check")[:_MOST_FAULTS]
        told = [fault for fault in checked if fault != "ok"]
        return (*told, *(_orphan(*map(str, row[:3])) for row in orphans))

    def copies(self) -> tuple[str, ...]:
        """See `Database.copies`: those made before a migration."""
        return tuple(sorted(str(file) for file in self.path.parent.glob(f"{self.path.name}.*.bak")))

    def close(self) -> None:
        """See `Database.close`."""
        self._line.close()


def _orphan(table: str, row: str, parent: str) -> str:
    return f"row {row} of {table} has lost its row of {parent}"
