"""Verbs over the record as data: SQL, read only by construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.values.errors import QueryError

if TYPE_CHECKING:
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.store import QueryResult


def query(app: VibeOS, sql: str, *, rows: int | None = None) -> QueryResult:
    """Run one SELECT over the record's tables; `rows` bounds the result."""
    from pathlib import Path

    from vibeos.ports.store import QueryLimits
    from vibeos.record import query_record

    if app.scope.user:
        raise QueryError(
            "a query sees everybody's messages, so it is for the person at this machine alone",
            remedy="Use search, or read sessions one by one.",
        )
    limits = QueryLimits() if rows is None else QueryLimits(rows=rows)
    return query_record(Path(app.scope.state_db), sql, limits=limits)
