"""The curated memory as a session saw it when it began: stored once, the same bytes for ever after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.record.sessions import no_such_session
from vibeos.values.clock import Clock, stamp, system_clock

if TYPE_CHECKING:
    from vibeos.ports.store import Database, Transaction


class Snapshots:
    """One snapshot per session."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def freeze(self, session_id: str, text: str) -> str:
        """Store the text if the session has none yet; the stored one. Raises NotFoundError."""
        content = text.encode("utf-8", "surrogatepass")
        with self._database.write() as transaction:
            if transaction.one("session", session_id=session_id) is None:
                raise no_such_session(session_id)
            transaction.run(
                "insert_snapshot", session_id=session_id, text=content, taken_at=stamp(self._clock())
            )
            return _stored(transaction, session_id) or ""

    def get(self, session_id: str) -> str | None:
        """The stored text, or None."""
        with self._database.read() as transaction:
            return _stored(transaction, session_id)


def _stored(transaction: Transaction, session_id: str) -> str | None:
    row = transaction.one("snapshot", session_id=session_id)
    return row["text"].decode("utf-8", "surrogatepass") if row else None
