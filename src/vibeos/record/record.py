"""The record as one thing to hold: a database, and its nouns."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from vibeos.ports.store import Definition, QueryLimits, QueryResult
from vibeos.record import forgetting, index, search, together
from vibeos.record.checkpoints import Checkpoints
from vibeos.record.context import Context
from vibeos.record.inbox import Inbox
from vibeos.record.messages import Messages
from vibeos.record.projects import Projects
from vibeos.record.questions import Questions
from vibeos.record.sessions import Sessions
from vibeos.record.skill_loads import SkillLoads
from vibeos.record.snapshots import Snapshots
from vibeos.values.clock import Clock, system_clock
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from vibeos.ports.store import Database, Transaction

OPEN_TABLES = ("sessions", "messages", "context_rows", "checkpoints", "checkpoint_attempts")
_FOLDER = Path(__file__).parent


class Record:
    """Everything that was said in one profile. Close it, or use it in a `with` block."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self.sessions = Sessions(database, clock)
        self.messages = Messages(database, clock)
        self.context = Context(database)
        self.inbox = Inbox(database, clock)
        self.snapshots = Snapshots(database, clock)
        self.projects = Projects(database, clock)
        self.questions = Questions(database, clock)
        self.skill_loads = SkillLoads(database, clock)
        self.checkpoints = Checkpoints(database, clock)

    @property
    def read_only(self) -> bool:
        """Whether nothing can be recorded, because the home cannot be written."""
        return self._database.read_only

    def search(
        self,
        query: str,
        *,
        project: str | None = None,
        user_id: str | None = "",
        limit: int = 10,
        exclude_session: str = "",
    ) -> tuple[search.SearchHit, ...]:
        """Messages for what a person typed (see `search_query`), the best first.

        `project`: None is any. `user_id`: empty is the local person, None everybody.
        """
        where = search.Filter(project, user_id, exclude_session)
        return search.search(self._database, query, where, limit=limit)

    def query(self, sql: str, limits: QueryLimits = QueryLimits()) -> QueryResult:  # noqa: B008 - a frozen value
        """Answer a person's own SQL over `OPEN_TABLES`, which can only read. Raises QueryError."""
        return self._database.query(sql, limits)

    def write_together(self, actions: Sequence[Callable[[Transaction], Any]]) -> list[Any | Exception]:
        """Several writes as one transaction; see `together`."""
        return together.write_together(self._database, actions)

    def rebuild_index(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make the search index again from the messages; see `index.rebuild`."""
        return index.rebuild(self._database, progress)

    def faults(self) -> tuple[str, ...]:
        """What is damaged in the database, in words; empty when it is sound. Reads all of it."""
        return self._database.faults()

    def finish_chores(self) -> None:
        """Finish a deletion that a crash interrupted."""
        if not self.read_only and forgetting.is_due(self._database):
            forgetting.finish_forgetting(self._database)

    def close(self) -> None:
        """Let go of the database, with the index up to the last message where that can be written."""
        with suppress(StoreError):  # closed before, or no room: whoever searches next makes up for it
            index.catch_up(self._database)
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_record(path: Path, *, clock: Clock = system_clock, create: bool = True) -> Record:
    """Open the record in a SQLite file (`Scope.state_db`), making or migrating it where needed.

    With `create=False` a missing file is a NotFoundError. In a home that cannot be written the record is opened for
    reading. Raises HomeError, StoreError, StoreVersionError.
    """
    from vibeos.ports.store.sqlite import SqliteDatabase  # noqa: PLC0415 - who only imports the record loads no SQLite

    record = Record(SqliteDatabase.open(path, definition(), create=create, clock=clock), clock)
    try:
        record.finish_chores()
    except BaseException:
        record.close()
        raise
    return record


def query_record(path: Path, sql: str, *, limits: QueryLimits = QueryLimits()) -> QueryResult:  # noqa: B008 - frozen
    """`Record.query` on a file that is not open; it creates nothing. Raises NotFoundError, QueryError."""
    from vibeos.ports.store.sqlite import query_file  # noqa: PLC0415 - as above

    return query_file(path, sql, open_tables=OPEN_TABLES, limits=limits)


def definition(dialect: str = "sqlite") -> Definition:
    """The record's statements and migrations for a dialect."""
    return Definition.load(_FOLDER, dialect, open_tables=OPEN_TABLES)
