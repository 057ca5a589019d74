"""The inbox: inputs that have arrived and wait to enter their session's context.

An input is stored the moment it arrives. It enters the context in the order of arrival, exactly once, also when two
programs take at the same time or one of them dies: leaving the inbox and becoming a message is one transaction. A
delivery with a key happens at most once, for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.record.context import ContextKind
from vibeos.record.exact import cleaned
from vibeos.record.message import Draft, Message
from vibeos.record.sessions import no_such_session
from vibeos.record.writing import append
from vibeos.values.clock import Clock, stamp, system_clock

if TYPE_CHECKING:
    from vibeos.ports.store import Database, Row, Transaction
    from vibeos.values.envelopes import Envelope


@dataclass(frozen=True, slots=True)
class QueuedInput:
    """An input that waits. `is_new`: False when its key had been delivered before and nothing was stored."""

    id: int
    session_id: str
    envelope: Envelope
    text: str
    created_at: str
    key: str = ""
    is_new: bool = True


class Inbox:
    """The queues of all sessions."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def deliver(self, session_id: str, envelope: Envelope, text: str, *, key: str = "") -> QueuedInput:
        """Store an input that has arrived. Raises NotFoundError."""
        now, key = stamp(self._clock()), cleaned(key)
        with self._database.write() as transaction:
            if transaction.one("session", session_id=session_id) is None:
                raise no_such_session(session_id)
            before = transaction.one("delivered", session_id=session_id, delivery_key=key) if key else None
            if before:
                return QueuedInput(before["inbox_id"], session_id, envelope, text, now, key, is_new=False)
            return store_input(transaction, session_id, envelope, text, now=now, key=key)

    def waiting(self, session_id: str) -> tuple[QueuedInput, ...]:
        """What waits, in the order of arrival."""
        return tuple(map(_queued, self._database.look("waiting", session_id=session_id)))

    def take(self, session_id: str) -> tuple[Message, ...]:
        """Move everything that waits into the context, in the order of arrival."""
        if not self._database.look("is_anything_waiting", session_id=session_id):
            return ()
        with self._database.write() as transaction:
            return take_waiting(transaction, session_id, stamp(self._clock()))


def store_input(
    transaction: Transaction, session_id: str, envelope: Envelope, text: str, *, now: str, key: str = ""
) -> QueuedInput:
    """Put an input that arrived at `now` into the inbox of a session that is there, in the caller's transaction."""
    columns = Draft.of_input(envelope, text).columns()
    row = transaction.one("insert_input", session_id=session_id, delivery_key=key, created_at=now, **columns)
    assert row is not None
    if key:
        transaction.run("insert_delivery", session_id=session_id, delivery_key=key, inbox_id=row["id"])
    return QueuedInput(row["id"], session_id, envelope, text, now, key)


def take_waiting(transaction: Transaction, session_id: str, now: str) -> tuple[Message, ...]:
    """`Inbox.take`, in the caller's transaction."""
    messages = []
    for row in transaction.all("waiting", session_id=session_id):
        draft, written_at = Draft.of_row(row), row["created_at"]
        messages.append(
            append(transaction, session_id, draft, kind=ContextKind.INPUT, now=now, written_at=written_at)
        )
        transaction.run("delete_input", input_id=row["id"])
    return tuple(messages)


def _queued(row: Row) -> QueuedInput:
    draft = Draft.of_row(row)
    assert draft.envelope is not None
    return QueuedInput(
        row["id"], row["session_id"], draft.envelope, draft.text, row["created_at"], row["delivery_key"]
    )
