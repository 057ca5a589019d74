"""One connection, used by one thread at a time, and the transactions on it.

The connection belongs to the process that opened it. A child made by fork would share its file handles without its
locks, and could damage the file, so it is refused.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import apsw

from vibeos.ports.store.sqlite.errors import translated
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from vibeos.ports.store.database import Row, Value


class Line:
    """A connection to the file at `path`, with a turn for each who uses it."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._at_work = False

    def begin(self) -> None:
        """Wait until no other thread is at work."""
        if os.getpid() != self._process:
            raise StoreError(
                f"{str(self.path)!r} was opened by another process, of which this one is a copy.",
                remedy="Open the record again in a process that was started afresh (spawn, not fork).",
            )
        self._lock.acquire()
        if self._at_work:
            self._lock.release()
            raise StoreError(
                f"A transaction on {str(self.path)!r} was begun inside another of the same thread."
            )
        self._at_work = True

    def end(self) -> None:
        """Let the next one begin."""
        self._at_work = False
        self._lock.release()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """From `begin` to `end`."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def execute(self, sql: str) -> list[tuple[Value, ...]]:
        """Run SQL of the adapter's own, in a turn."""
        try:
            return self.connection.execute(sql).fetchall()
        except apsw.ConnectionClosedError as error:
            raise StoreError(f"{str(self.path)!r} has been closed.") from error
        except apsw.Error as error:
            raise translated(error, self.path) from error

    def close(self) -> None:
        """Close the connection, unless it belongs to another process."""
        if os.getpid() == self._process:
            with self._lock:
                self.connection.close()


class SqliteTransaction:
    """See `Transaction`. It begins with its `with` block and ends with it: whole, or without a trace.

    Without a `beginning` each statement stands for itself.
    """

    def __init__(self, line: Line, statements: Mapping[str, str], *beginning: str) -> None:
        self._line = line
        self._statements = statements
        self._beginning = beginning
        self._is_open = False

    def __enter__(self) -> Self:
        self._line.begin()
        try:
            for sql in self._beginning:
                self._line.execute(sql)
        except BaseException:
            self._leave()
            raise
        self._is_open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._beginning:
                self._line.execute("COMMIT")
        finally:
            self._leave()

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """See `Transaction.all`."""
        try:
            cursor = self._connection().execute(self._statements[statement], params)
            names = [column[0] for column in cursor.get_description()]
            return [dict(zip(names, values, strict=True)) for values in cursor]
        except apsw.ExecutionCompleteError:  # there is no row to describe
            return []
        except apsw.Error as error:
            raise translated(error, self._line.path) from error
        except (OverflowError, UnicodeError) as error:
            raise _not_storable(error) from error

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """See `Transaction.one`."""
        rows = self.all(statement, **params)
        return rows[0] if rows else None

    def run(self, statement: str, /, **params: Value) -> int:
        """See `Transaction.run`."""
        connection = self._connection()
        before = connection.total_changes()
        try:
            for _ in connection.execute(self._statements[statement], params):
                pass
            return connection.total_changes() - before
        except apsw.Error as error:
            raise translated(error, self._line.path) from error
        except (OverflowError, UnicodeError) as error:
            raise _not_storable(error) from error

    def _connection(self) -> apsw.Connection:
        if not self._is_open:
            raise StoreError(f"A transaction on {str(self._line.path)!r} was used after its end.")
        return self._line.connection

    def _leave(self) -> None:
        self._is_open = False
        try:
            if self._line.connection.in_transaction:
                self._line.execute("ROLLBACK")
        except apsw.ConnectionClosedError:
            pass  # closing it has undone the transaction
        finally:
            self._line.end()


def _not_storable(error: Exception) -> StoreError:
    return StoreError(
        f"A value was given that no database can hold: {error}.", remedy="Correct the number or the id."
    )
