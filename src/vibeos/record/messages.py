"""Messages: one row each of what a person, the agent or the harness wrote; never a tool's output.

Invariants: a message is never changed; its type comes from the route by which it came; its text comes back exactly
as it was given; it takes its session's next number, and its index entry is written in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from vibeos.record.exact import details_in, exact
from vibeos.values.envelopes import Envelope, InputRoute
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection

    from vibeos.ports.store import Database, Row
    from vibeos.record.exact import Details

_MANY = 1_000_000_000


class MessageType(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"
    HARNESS = "harness"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Message:
    """`envelope` is what an input came in; None for what the agent wrote and for notices."""

    id: int
    session_id: str
    context_seq: int
    type: MessageType
    author_id: str
    author_name: str
    source: str
    text: str
    created_at: str
    envelope: Envelope | None

    @property
    def presented(self) -> str:
        """The text as a model, a memo or another backend is shown it."""
        return self.envelope.present(self.text) if self.envelope else self.text


class Messages:
    """Reading messages. `Writer` adds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, message_id: int) -> Message:
        """One message by its id. Raises NotFoundError."""
        with self._database.read() as transaction:
            row = transaction.one("message", message_id=message_id)
        if row is None:
            raise NotFoundError(f"There is no message {message_id}.", remedy="It may have been deleted.")
        return message_of(row)

    def at(self, session_id: str, context_seq: int) -> Message:
        """One message by session and number. Raises NotFoundError."""
        with self._database.read() as transaction:
            row = transaction.one("message_at", session_id=session_id, context_seq=context_seq)
        if row is None:
            raise NotFoundError(
                f"Session {session_id!r} has no message #{context_seq}.", remedy="It may have been deleted."
            )
        return message_of(row)

    def of_session(
        self, session_id: str, *, after: int = 0, limit: int | None = None, types: Collection[MessageType] = ()
    ) -> tuple[Message, ...]:
        """A session's messages with numbers above `after`, in order; of some types only, if any are named."""
        wanted = f",{','.join(types)}," if types else ""
        most = _MANY if limit is None else limit
        with self._database.read() as transaction:
            rows = transaction.all("session_messages", session_id=session_id, after=after, types=wanted, most=most)
        return tuple(map(message_of, rows))

    def around(self, message_id: int, *, before: int = 2, after: int = 2) -> tuple[Message, ...]:
        """A message with its neighbours in the session, in order. Raises NotFoundError."""
        message = self.get(message_id)
        place = {"session_id": message.session_id, "context_seq": message.context_seq}
        with self._database.read() as transaction:
            earlier = transaction.all("messages_before", **place, most=before)
            later = transaction.all("messages_from", **place, most=after + 1)
        return tuple(map(message_of, [*reversed(earlier), *later]))


def message_of(row: Row) -> Message:
    """A row of the messages table as a value."""
    details = details_in(row["content_json"])
    kind = MessageType(row["type"])
    author_id = exact("author_id", row["author_id"], details)
    author_name = exact("author_name", row["author_name"], details)
    source = exact("source", row["source"], details)
    return Message(
        id=row["id"],
        session_id=row["session_id"],
        context_seq=row["context_seq"],
        type=kind,
        author_id=author_id,
        author_name=author_name,
        source=source,
        text=exact("text", row["content_text"], details),
        created_at=row["created_at"],
        envelope=envelope_of(kind, details, source=source, author_id=author_id, author_name=author_name),
    )


def envelope_of(kind: str, details: Details, *, source: str, author_id: str, author_name: str) -> Envelope | None:
    """What an input came in. The type decides: nothing that is stored beside a message makes a person of a program."""
    if kind == MessageType.USER:
        return Envelope.person(source, author_id=author_id, author_name=author_name)
    if kind != MessageType.HARNESS:
        return None
    return Envelope(
        InputRoute(details.get("route", InputRoute.RUN)),
        source,
        author_id=author_id,
        author_name=author_name,
        origin_id=details.get("origin_id", ""),
        origin_name=details.get("origin_name", ""),
        from_session=details.get("from_session", ""),
    )
