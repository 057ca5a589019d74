"""A person's own SQL, read only by construction.

It runs on a connection of its own that cannot write, where an authorizer permits reading the open tables and calling
the listed functions, and nothing else; rows, bytes, seconds and machine steps have limits. One statement only, and
what it is must be plain before anything runs.
"""

from __future__ import annotations

import re
import time
from threading import Lock
from typing import TYPE_CHECKING

import apsw

from vibeos.ports.store.database import QueryLimits, QueryResult, Value
from vibeos.ports.store.sqlite.errors import translated
from vibeos.ports.store.sqlite.opening import check_place, connect_to_read
from vibeos.values.errors import NotFoundError, QueryError
from vibeos.values.text import is_well_formed, preview

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_LONGEST_SQL = 100_000
_STEPS_BETWEEN_LOOKS = 500
_MOST_MEMORY = 400_000_000  # bytes that SQLite may take in this process while a query runs

_ALLOWED_TABLE_FUNCTIONS = frozenset({"json_each", "json_tree"})
_ALLOWED_FUNCTIONS = frozenset(
    """
    abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh count cume_dist
    current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor format glob
    group_concat hex if ifnull iif instr json json_array json_array_length json_error_position json_extract
    json_group_array json_group_object json_insert json_object json_pretty json_quote json_remove
    json_replace json_set json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10
    log2 lower max median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont
    percentile_disc pi pow power printf quote radians rank replace round row_number sign sin sinh sqrt strftime
    string_agg substr substring subtype sum tan tanh time timediff total trim trunc typeof unhex unicode unistr
    unistr_quote unixepoch unlikely upper -> ->>
    """.split()  # noqa: SIM905 - a hundred quoted words read worse
)
_ALLOWED_ACTIONS = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE})
_LIMITS = {
    apsw.SQLITE_LIMIT_LENGTH: 4_000_000,
    apsw.SQLITE_LIMIT_SQL_LENGTH: _LONGEST_SQL,
    apsw.SQLITE_LIMIT_COLUMN: 200,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 100,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 50,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
    apsw.SQLITE_LIMIT_VDBE_OP: 25_000,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}


def _instr(text: Value, part: Value) -> Value:
    """SQLite's own compares at every place, which can take hours in one step that nothing interrupts."""
    if text is None or part is None:
        return None
    if isinstance(text, bytes) and isinstance(part, bytes):
        return text.find(part) + 1
    return _text(text).find(_text(part)) + 1


def _replace(text: Value, old: Value, new: Value) -> Value:
    """As `_instr`: SQLite's own is quadratic."""
    if text is None or old is None or new is None:
        return None
    whole, wanted, put = _text(text), _text(old), _text(new)
    if (
        wanted
        and len(whole) + whole.count(wanted) * max(0, len(put) - len(wanted))
        > _LIMITS[apsw.SQLITE_LIMIT_LENGTH]
    ):
        raise apsw.TooBigError("string or blob too big")
    return whole.replace(wanted, put) if wanted else whole


def _trim(text: Value, signs: Value = " ") -> Value:
    """As `_instr`: SQLite's own compares each end with each sign."""
    return None if text is None or signs is None else _text(text).strip(_text(signs))


def _text(value: Value) -> str:
    """The value as SQLite reads it where it wants a text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


_LINEAR_FUNCTIONS: dict[str, Callable[..., Value]] = {"instr": _instr, "replace": _replace, "trim": _trim}
# The limit of memory is the whole process's, so queries in several threads come one by one.
_TURN = Lock()

_PIECE = (
    r"(?P<blank>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`(?:[^`]|``)*(?:`|\Z)|\[[^\]]*(?:\]|\Z)"
    r"|(?P<end>;)|(?P<word>\w+)|."
)
_FIRST_WORDS = frozenset({"SELECT", "WITH", "VALUES", "EXPLAIN"})


def query_file(
    path: Path,
    sql: str,
    *,
    open_tables: Sequence[str],
    limits: QueryLimits = QueryLimits(),  # noqa: B008 - a frozen value
) -> QueryResult:
    """Answer one SELECT over the open tables of a file. Creates nothing; raises QueryError, NotFoundError."""
    statement = single_statement(sql, open_tables)
    check_place(path, create=False)
    connection = connect_to_read(path)
    with _TURN:
        memory = apsw.hard_heap_limit(_MOST_MEMORY)
        try:
            return _Query(connection, open_tables, limits).answer(statement)
        except apsw.Error as error:
            raise translated(error, path) from error
        finally:
            connection.close()
            apsw.hard_heap_limit(memory)


def single_statement(sql: str, open_tables: Sequence[str] = ()) -> str:
    """The one statement that a text is, if it is one that reads. Raises QueryError before anything has run."""
    if len(sql.encode("utf-8", "surrogatepass")) > _LONGEST_SQL:
        raise QueryError(f"The query is longer than {_LONGEST_SQL:,} bytes.", remedy="Ask for less at once.")
    if not is_well_formed(sql):
        raise QueryError("The query holds a NUL or half of a surrogate pair.", remedy=_allowed(open_tables))
    first, statements, in_statement = "", 0, False
    for piece in re.finditer(_PIECE, sql, re.DOTALL):
        if piece["end"]:
            in_statement = False
        elif piece["blank"] is None and not in_statement:
            in_statement, statements = True, statements + 1
            first = first or piece[0].upper()
    if statements == 0:
        raise QueryError("The query is empty.", remedy=_allowed(open_tables))
    if first not in _FIRST_WORDS:
        raise QueryError(
            f"A query can only read: {preview(first, 40)!r} is refused.", remedy=_allowed(open_tables)
        )
    if statements > 1:
        raise QueryError(f"This is {statements} statements; a query is one.", remedy="Ask them one by one.")
    return sql


def _allowed(open_tables: Sequence[str]) -> str:
    tables = f" Open tables: {', '.join(open_tables)}." if open_tables else ""
    return f"One SELECT (or WITH, VALUES, EXPLAIN QUERY PLAN) is allowed.{tables}"


class _Query:
    """One query on one connection: its guard, its clock and its counters."""

    def __init__(self, connection: apsw.Connection, open_tables: Sequence[str], limits: QueryLimits) -> None:
        self._connection = connection
        self._open_tables = open_tables
        self._limits = limits
        self._closed_names = self._names_of("SELECT name FROM sqlite_schema") | self._names_of(
            "PRAGMA module_list"
        )
        self._closed_names -= set(open_tables) | _ALLOWED_TABLE_FUNCTIONS
        self._refused = ""
        self._stopped = ""
        self._columns: tuple[str, ...] = ()
        self._steps = 0
        self._deadline = time.monotonic() + limits.seconds
        self._missing = self._names_of("SELECT name FROM sqlite_schema").isdisjoint(open_tables)

    def answer(self, sql: str) -> QueryResult:
        if self._missing:
            raise NotFoundError("There is no record yet.", remedy="It begins with the first conversation.")
        self._guard()
        rows: list[tuple[Value, ...]] = []
        try:
            reason = self._collect(sql, rows)
        except (apsw.AuthError, apsw.SQLError) as error:
            raise self._refusal(error) from error
        except apsw.InterruptError as error:
            if not rows:
                raise QueryError(
                    f"The query was stopped: {self._stopped}.", remedy="Ask for less."
                ) from error
            reason = f"stopped here: {self._stopped}"
        except (apsw.TooBigError, apsw.NoMemError, MemoryError, apsw.BindingsError) as error:
            what = "it needs more memory than a query may take" if not str(error) else str(error)
            raise QueryError(f"The query was refused: {what}.", remedy="Ask for less at once.") from error
        except UnicodeError as error:
            raise QueryError(
                "The query gave text that is not Unicode.", remedy="Ask for it as hex(…) or as a blob."
            ) from error
        return QueryResult(self._columns, tuple(rows), bool(reason), reason)

    def _collect(self, sql: str, rows: list[tuple[Value, ...]]) -> str:
        """Gather rows up to a limit; the reason why it stopped there, or empty."""
        size = 0
        for row in self._connection.execute(sql):
            if self._look(steps=0):
                return f"stopped here: {self._stopped}"
            if len(rows) >= self._limits.rows:
                return f"there are more than {self._limits.rows:,} rows; use LIMIT and OFFSET, or raise the row limit"
            size += sum(map(_size_of, row))
            if size > self._limits.size:
                return f"there is more than {self._limits.size:,} bytes; ask for parts, as in substr(content_text, 1, 300)"
            rows.append(row)
        return ""

    def _guard(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA temp_store = MEMORY")
        for name, function in _LINEAR_FUNCTIONS.items():
            connection.create_scalar_function(name, function, deterministic=True)
        for limit, value in _LIMITS.items():
            connection.limit(limit, value)
        connection.set_exec_trace(self._note_columns)
        connection.set_progress_handler(self._look, _STEPS_BETWEEN_LOOKS)
        connection.set_authorizer(self._authorize)

    def _note_columns(self, cursor: apsw.Cursor, _sql: str, _bindings: object) -> bool:
        self._columns = tuple(column[0] for column in cursor.get_description())
        return True

    def _look(self, steps: int = _STEPS_BETWEEN_LOOKS) -> bool:
        """Whether to stop, asked every so many steps and for each row."""
        self._steps += steps
        if self._steps > self._limits.steps:
            self._stopped = f"it took more than {self._limits.steps:,} steps"
        elif time.monotonic() > self._deadline:
            self._stopped = f"it took more than {self._limits.seconds:g} seconds"
        return bool(self._stopped)

    def _authorize(
        self, action: int, first: str | None, second: str | None, _database: str | None, _inner: str | None
    ) -> int:
        match action:
            case apsw.SQLITE_READ:
                allowed, what = self._may_read(first or "", second or ""), f"table {first!r}"
            case apsw.SQLITE_FUNCTION:
                allowed, what = (second or "").lower() in _ALLOWED_FUNCTIONS, f"function {second!r}"
            case _:
                allowed, what = action in _ALLOWED_ACTIONS, "what would change or configure the database"
        if not allowed:
            self._refused = self._refused or what
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    def _may_read(self, table: str, column: str) -> bool:
        if table in self._open_tables or table in _ALLOWED_TABLE_FUNCTIONS:
            return True
        # Of a common table expression SQLite asks only when no column of it is read, by the name it was given.
        name = table.lower()
        return not column and name not in self._closed_names and not name.startswith(("sqlite_", "pragma_"))

    def _refusal(self, error: apsw.Error) -> QueryError:
        if self._refused:
            return QueryError(f"Refused: {self._refused}.", remedy=_allowed(self._open_tables))
        return QueryError(f"The query was not understood: {error}.", remedy=_allowed(self._open_tables))

    def _names_of(self, sql: str) -> set[str]:
        return {str(row[0]).lower() for row in self._connection.execute(sql)}


def _size_of(value: Value) -> int:
    """Bytes of one value of a result."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass"))
    return len(value) if isinstance(value, bytes) else 8
