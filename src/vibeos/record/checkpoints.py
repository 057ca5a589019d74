"""The checkpoints of a session: what stands in for the older part of its conversation, and every attempt to make one.

One transaction commits a checkpoint: its row enters the context, and the rows that it replaces leave it, tool outputs
with them. What was said stays in the messages. The record keeps a checkpoint's parts as texts and understands none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from vibeos.record.context import ContextKind, ContextRow, checkpoint_payload, insert_row
from vibeos.record.exact import cleaned, safe_json
from vibeos.record.sessions import no_such_session
from vibeos.values.clock import Clock, stamp, system_clock
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.ports.store import Database, Row, Transaction


class CheckpointMode(StrEnum):
    """How it came about."""

    FULL = "full"
    PARTIAL = "partial"  # the turn did not fit, so the older part alone was gone through
    DROP = "drop"  # no model was asked


@dataclass(frozen=True, slots=True)
class CheckpointDraft:
    """A checkpoint before it has its row.

    `text`: what the model reads. `keeps_from`: the context row from which on everything stays; `kept`: rows before it that
    stay too. `mind`, `memo`, `more`: JSON. `sizes` in tokens.
    """

    mode: CheckpointMode
    text: str
    covers: int
    keeps_from: int
    kept: tuple[int, ...]
    mind: str
    memo: str
    now: str
    more: str
    sizes: Mapping[str, int]
    usage: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    model: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A committed checkpoint; `row_id` is its row in the context."""

    session_id: str
    row_id: int
    parent_row: int | None
    mode: CheckpointMode
    covers: int
    mind: str
    memo: str
    now: str
    more: str
    sizes: Mapping[str, int]
    usage: Mapping[str, int]
    problems: tuple[str, ...]
    model: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt. `reason`: why it failed, or what was settled; `size_before` and `size_after` of the request in tokens."""

    mode: CheckpointMode
    is_made: bool
    reason: str
    problems: tuple[str, ...]
    requests: int
    usage: Mapping[str, int]
    size_before: int
    size_after: int
    model: str
    started_at: str
    number: int = 0
    row_id: int | None = None
    ended_at: str = ""


class Checkpoints:
    """The checkpoints of all sessions. Raises NotFoundError where there is no such session."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def now(self) -> str:
        """The time as it is stored."""
        return stamp(self._clock())

    def commit(
        self, session_id: str, draft: CheckpointDraft, attempt: Attempt, *, after: int | None
    ) -> Checkpoint:
        """Put the checkpoint in the place of what it replaces, or change nothing.

        `after` is the checkpoint that it goes on from. Raises StoreError if another one is in force by now.
        """
        now = self.now()
        with self._database.write() as transaction:
            before = transaction.one("latest_checkpoint", session_id=session_id)
            if (before["row_id"] if before else None) != after:
                raise StoreError(
                    f"another program has made a checkpoint of session {session_id!r} meanwhile",
                    remedy="Nothing was changed; the next request begins from that one.",
                )
            place = transaction.one("next_row", session_id=session_id, now=now)
            if place is None:
                raise no_such_session(session_id)
            made = _checkpoint(session_id, place["row_id"], after, draft, now)
            _insert(transaction, made, draft)
            _insert_attempt(transaction, session_id, attempt, row_id=made.row_id, now=now)
        return made

    def note(self, session_id: str, attempt: Attempt) -> None:
        """Keep an attempt that came to nothing."""
        with self._database.write() as transaction:
            _insert_attempt(transaction, session_id, attempt, row_id=None, now=self.now())

    def replace_results(self, session_id: str, row_id: int, payload: str) -> None:
        """Put results that were cut to fit in the place of those that did not."""
        with self._database.write() as transaction:
            transaction.run(
                "replace_payload", session_id=session_id, row_id=row_id, payload=safe_json(payload)
            )

    def latest(self, session_id: str) -> Checkpoint | None:
        """The one in force."""
        with self._database.read() as transaction:
            row = transaction.one("latest_checkpoint", session_id=session_id)
        return _of_row(row) if row else None

    def of_session(self, session_id: str) -> tuple[Checkpoint, ...]:
        """All of them, the oldest first."""
        with self._database.read() as transaction:
            return tuple(map(_of_row, transaction.all("session_checkpoints", session_id=session_id)))

    def attempts(self, session_id: str) -> tuple[Attempt, ...]:
        """Every attempt, the oldest first."""
        with self._database.read() as transaction:
            return tuple(map(_attempt, transaction.all("session_attempts", session_id=session_id)))


def _insert(transaction: Transaction, made: Checkpoint, draft: CheckpointDraft) -> None:
    kept = sorted(draft.kept)
    row = ContextRow(
        made.row_id,
        made.session_id,
        made.covers,
        ContextKind.CHECKPOINT,
        None,
        safe_json(checkpoint_payload(draft.text, draft.keeps_from, kept)),
        made.created_at,
    )
    insert_row(transaction, row)
    transaction.run(
        "insert_checkpoint",
        session_id=made.session_id,
        row_id=made.row_id,
        parent_row=made.parent_row,
        mode=made.mode.value,
        covers=made.covers,
        mind=safe_json(made.mind),
        memo=safe_json(made.memo),
        now=cleaned(made.now),
        more=safe_json(made.more),
        sizes=_json(made.sizes),
        usage=_json(made.usage),
        problems=safe_json(_json(list(made.problems))),
        model=cleaned(made.model),
        created_at=made.created_at,
    )
    transaction.run(
        "delete_replaced_rows",
        session_id=made.session_id,
        row_id=made.row_id,
        keeps_from=draft.keeps_from,
        kept=_json(kept),
    )


def _insert_attempt(
    transaction: Transaction, session_id: str, attempt: Attempt, *, row_id: int | None, now: str
) -> None:
    transaction.run(
        "insert_attempt",
        session_id=session_id,
        mode=attempt.mode.value,
        outcome="made" if attempt.is_made else "failed",
        reason=cleaned(attempt.reason),
        problems=safe_json(_json(list(attempt.problems))),
        requests=attempt.requests,
        usage=_json(attempt.usage),
        size_before=attempt.size_before,
        size_after=attempt.size_after,
        row_id=row_id,
        model=cleaned(attempt.model),
        started_at=attempt.started_at,
        ended_at=now,
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _checkpoint(
    session_id: str, row_id: int, parent: int | None, draft: CheckpointDraft, now: str
) -> Checkpoint:
    return Checkpoint(
        session_id,
        row_id,
        parent,
        draft.mode,
        draft.covers,
        draft.mind,
        draft.memo,
        draft.now,
        draft.more,
        draft.sizes,
        draft.usage,
        draft.problems,
        draft.model,
        now,
    )


def _of_row(row: Row) -> Checkpoint:
    values: dict[str, Any] = {name: row[name] for name in Checkpoint.__slots__}
    values["mode"] = CheckpointMode(row["mode"])
    for name in ("sizes", "usage"):
        values[name] = json.loads(row[name])
    values["problems"] = tuple(json.loads(row["problems"]))
    return Checkpoint(**values)


def _attempt(row: Row) -> Attempt:
    return Attempt(
        CheckpointMode(row["mode"]),
        row["outcome"] == "made",
        row["reason"],
        tuple(json.loads(row["problems"])),
        row["requests"],
        json.loads(row["usage"]),
        row["size_before"],
        row["size_after"],
        row["model"],
        row["started_at"],
        row["number"],
        row["row_id"],
        row["ended_at"],
    )
