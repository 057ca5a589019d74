"""The rows that a session resumes from, in the order in which they came; a checkpoint's replaces those before it.

An input's row refers to its message, so that its text exists once. A response's row and the row of its tool results
carry a payload, which only the agent understands, under one number. A crash loses whole rows or none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from vibeos.record.message import Draft, Message
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vibeos.ports.store import Database, Row, Transaction


class ContextKind(StrEnum):
    """What a context row is."""

    INPUT = "input"
    RESPONSE = "response"
    RESULTS = "results"
    CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One row. `message` is there for inputs, `payload` for everything else; `model` is the route that answered."""

    id: int
    session_id: str
    context_seq: int
    kind: ContextKind
    message: Message | None
    payload: str
    created_at: str
    model: str = ""


class Context:
    """Reading the rows. `Messages` and `Inbox` add them, beside their messages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, session_id: str, *, after_id: int = 0) -> tuple[ContextRow, ...]:
        """A session's rows in order, or those that came after the row `after_id`."""
        rows = self._database.look("context_rows", session_id=session_id, after_id=after_id)
        return tuple(map(_row, rows))


class Placed(NamedTuple):
    """What a checkpoint's row holds: its text, the row from which on everything stays, and rows before it that stay."""

    text: str
    keeps_from: int
    kept: frozenset[int]


def checkpoint_payload(text: str, keeps_from: int, kept: Iterable[int]) -> str:
    """What `placed` reads."""
    held = {"text": text, "keeps_from": keeps_from, "kept": sorted(kept)}
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def placed(payload: str) -> Placed:
    """What the payload of a checkpoint's row holds; raises StoreError where it is none."""
    try:
        held = json.loads(payload)
        return Placed(held["text"], held["keeps_from"], frozenset(held["kept"]))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            "a stored checkpoint cannot be read", remedy="`vibeos doctor` checks the database."
        ) from error


def insert_row(transaction: Transaction, row: ContextRow, *, message_id: int | None = None) -> None:
    """Store a row that has been given the next id of its session."""
    transaction.run(
        "insert_context_row",
        session_id=row.session_id,
        row_id=row.id,
        context_seq=row.context_seq,
        kind=row.kind.value,
        message_id=message_id,
        payload=row.payload,
        created_at=row.created_at,
    )


def _row(row: Row) -> ContextRow:
    message, kind = None, ContextKind(row["kind"])
    if kind is ContextKind.INPUT and row["message_id"] is not None:
        message = Draft.of_row(row).placed(
            message_id=row["message_id"],
            session_id=row["session_id"],
            context_seq=row["context_seq"],
            created_at=row["message_created_at"],
        )
    model = (row["author_id"] or "") if kind is ContextKind.RESPONSE else ""
    return ContextRow(
        row["id"],
        row["session_id"],
        row["context_seq"],
        kind,
        message,
        row["payload"],
        row["created_at"],
        model,
    )
