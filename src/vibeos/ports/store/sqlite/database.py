"""A SQLite file as a `Database`: one connection, one transaction at a time, whole or nothing.

The connection belongs to the process that opened it. A child made by fork would share its file handles without its
locks, and could damage the file, so it is refused.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from vibeos.ports.store.database import QueryLimits, QueryResult, Row, Transaction, Value
from vibeos.ports.store.sqlite import opening
from vibeos.ports.store.sqlite.errors import read_only, translated
from vibeos.ports.store.sqlite.migrating import applied, check_complete, check_version, migrate
from vibeos.ports.store.sqlite.query import query_file
from vibeos.values.clock import system_clock
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vibeos.ports.store.definition import Definition
    from vibeos.values.clock import Clock

_MOST_FAULTS = 20
_FORGET_SECONDS = 5.0


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
        self._connection = connection
        self._definition = definition
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._at_work = False

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

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """See `Database.read`."""
        with self._turn():
            self._execute("BEGIN")
            # The first read fixes what the transaction sees, and is the only one that may have to wait.
            self._execute("SELECT count(*) FROM migrations")
            yield from self._transaction()

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """See `Database.write`."""
        if self.read_only:
            raise read_only(self.path)
        with self._turn():
            self._execute("BEGIN IMMEDIATE")
            yield from self._transaction()

    def query(self, sql: str, limits: QueryLimits = QueryLimits()) -> QueryResult:  # noqa: B008 - a frozen value
        """See `Database.query`."""
        return query_file(self.path, sql, open_tables=self._definition.open_tables, limits=limits)

    def forget(self) -> bool:
        """See `Database.forget`. False also where there is no room for a second copy of the file.

        Overwriting what is deleted is not enough: SQLite leaves copies of rows that it moved in the gaps of its
        pages. So the whole file is written again, and the log is cut to nothing.
        """
        with self._turn():
            self._execute("PRAGMA temp_store = FILE")  # in memory it would take as much as the file
            self._connection.set_busy_handler(opening.Patience(min(_FORGET_SECONDS, self._patience)))
            try:
                self._execute("VACUUM")
                ((busy, _, _),) = self._execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except StoreError as error:
                if isinstance(error.__cause__, (apsw.BusyError, apsw.FullError)):
                    return False
                raise
            finally:
                self._connection.set_busy_handler(opening.Patience(self._patience))
                self._execute("PRAGMA temp_store = MEMORY")
            return not busy

    def faults(self) -> tuple[str, ...]:
        """See `Database.faults`: SQLite's own check, that of the index included, and rows that lost their parent."""
        with self._turn():
            checked = [str(row[0]) for row in self._execute(f"PRAGMA quick_check({_MOST_FAULTS})")]
            orphans = self._execute("PRAGMA foreign_key_check")[:_MOST_FAULTS]
        told = [fault for fault in checked if fault != "ok"]
        return (*told, *(_orphan(*map(str, row[:3])) for row in orphans))

    def copies(self) -> tuple[str, ...]:
        """See `Database.copies`: those made before a migration."""
        return tuple(sorted(str(file) for file in self.path.parent.glob(f"{self.path.name}.*.bak")))

    def close(self) -> None:
        """See `Database.close`."""
        if os.getpid() == self._process:
            with self._lock:
                self._connection.close()

    def _transaction(self) -> Iterator[Transaction]:
        transaction = _SqliteTransaction(self._connection, self._definition.statements, self.path)
        try:
            yield transaction
            self._execute("COMMIT")
        finally:
            transaction.end()
            if self._connection.in_transaction:
                self._execute("ROLLBACK")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise StoreError(
                f"{str(self.path)!r} was opened by another process, of which this one is a copy.",
                remedy="Open the record again in a process that was started afresh (spawn, not fork).",
            )
        with self._lock:
            if self._at_work:
                raise StoreError(
                    f"A transaction on {str(self.path)!r} was begun inside another of the same thread."
                )
            self._at_work = True
            try:
                yield
            finally:
                self._at_work = False

    def _execute(self, sql: str) -> list[tuple[Value, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except apsw.ConnectionClosedError as error:
            raise StoreError(f"{str(self.path)!r} has been closed.") from error
        except apsw.Error as error:
            raise translated(error, self.path) from error


def _orphan(table: str, row: str, parent: str) -> str:
    return f"row {row} of {table} has lost its row of {parent}"


class _SqliteTransaction:
    """See `Transaction`."""

    def __init__(self, connection: apsw.Connection, statements: Mapping[str, str], path: Path) -> None:
        self._connection: apsw.Connection | None = connection
        self._statements = statements
        self._path = path

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        try:
            cursor = self._open().execute(self._statements[statement], params)
            names = [column[0] for column in cursor.get_description()]
            return [dict(zip(names, values, strict=True)) for values in cursor]
        except apsw.ExecutionCompleteError:  # there is no row to describe
            return []
        except apsw.Error as error:
            raise translated(error, self._path) from error

    def one(self, statement: str, /, **params: Value) -> Row | None:
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def run(self, statement: str, /, **params: Value) -> int:
        connection = self._open()
        before = connection.total_changes()
        try:
            for _ in connection.execute(self._statements[statement], params):
                pass
            return connection.total_changes() - before
        except apsw.Error as error:
            raise translated(error, self._path) from error

    def end(self) -> None:
        """Nothing can be done through it any more."""
        self._connection = None

    def _open(self) -> apsw.Connection:
        if self._connection is None:
            raise StoreError(f"A transaction on {str(self._path)!r} was used after its end.")
        return self._connection
