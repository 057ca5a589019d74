"""What a database is to the rest of VibeOS.

- A transaction is whole or nothing, and another program's transaction never shows through it.
- Statements have names; their text belongs to a dialect and is nobody else's business.
- Who waits for another writer waits here, up to 30 seconds; nobody above sees "database is locked".
- Every error is a `StoreError` (or a `HomeError`, where a file is the trouble) that says what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

Value = str | int | float | bytes | None
Row = dict[str, Any]


class Transaction(Protocol):
    """Named statements inside one transaction. It ends with the `with` block that gave it."""

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Every row that the statement gives."""
        ...

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """The first row, or None."""
        ...

    def run(self, statement: str, /, **params: Value) -> int:
        """Do it; how many rows it changed, those of an index beneath it included."""
        ...


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Where a person's query stops: rows, bytes of text in all, seconds, and steps of the database's machine."""

    rows: int = 1_000
    size: int = 4_000_000
    seconds: float = 5.0
    steps: int = 200_000_000


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gave. `truncated`: there is more; `reason` says why it stops here and what to do."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    truncated: bool = False
    reason: str = ""


class Database(Protocol):
    """One database, safe to share between threads of one process."""

    @property
    def read_only(self) -> bool:
        """Whether `write` will be refused."""
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees one state of the database."""
        ...

    def look(self, statement: str, /, **params: Value) -> list[Row]:
        """The rows of one statement that only reads; cheaper than a transaction for it."""
        ...

    def write(self) -> AbstractContextManager[Transaction]:
        """A transaction that no other writer runs beside; it commits whole, or leaves nothing."""
        ...

    def query(self, sql: str, limits: QueryLimits = ...) -> QueryResult:
        """Answer a person's own SQL, which can only read, and only the tables that are open to it."""
        ...

    def forget(self) -> bool:
        """Let nothing that was deleted remain in the database's files; False if others' readers still hold it."""
        ...

    def faults(self) -> tuple[str, ...]:
        """What is damaged in the database, in words; empty when it is sound. Reads all of it."""
        ...

    def copies(self) -> tuple[str, ...]:
        """Older copies of the database that we made and that `forget` does not reach, by name."""
        ...

    def close(self) -> None:
        """Let go of the database. Closing twice is no error."""
        ...
