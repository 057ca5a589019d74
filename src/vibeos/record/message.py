"""A message as a value, and how a row of the record becomes one.

The type comes from the route by which a message came, never from its text; text and names come back exactly as they
were given.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from vibeos.record.exact import cleaned, details_in, details_of, exact
from vibeos.values.envelopes import Envelope, InputRoute

if TYPE_CHECKING:
    from vibeos.ports.store import Row
    from vibeos.record.exact import Details


class MessageType(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"
    HARNESS = "harness"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `envelope` is what an input came in; None for what the agent wrote and for notices."""

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


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wrote, before it has a session, a number and a row."""

    type: MessageType
    text: str
    source: str = ""
    author_id: str = ""
    author_name: str = ""
    envelope: Envelope | None = None

    @classmethod
    def of_input(cls, envelope: Envelope, text: str) -> Draft:
        """An input. Its envelope alone decides whether a person wrote it."""
        kind = MessageType(envelope.message_type)
        return cls(kind, text, envelope.source, envelope.author_id, envelope.author_name, envelope)

    @classmethod
    def of_row(cls, row: Row) -> Draft:
        """What a row of the inbox or of the messages holds."""
        details = details_in(row["content_json"])
        kind = MessageType(row["type"])
        source = exact("source", row["source"], details)
        author_id = exact("author_id", row["author_id"], details)
        author_name = exact("author_name", row["author_name"], details)
        envelope = _envelope(kind, details, source, author_id, author_name)
        return cls(
            kind, exact("text", row["content_text"], details), source, author_id, author_name, envelope
        )

    def columns(self) -> dict[str, str | None]:
        """The columns that the inbox and the messages share."""
        exactly = {
            "text": self.text,
            "source": self.source,
            "author_id": self.author_id,
            "author_name": self.author_name,
        }
        return {
            "type": self.type.value,
            "source": cleaned(self.source),
            "author_id": cleaned(self.author_id),
            "author_name": cleaned(self.author_name),
            "content_text": cleaned(self.text),
            "content_json": details_of(exactly, _origin(self.envelope)),
        }

    def placed(self, *, message_id: int, session_id: str, context_seq: int, created_at: str) -> Message:
        """The message that it is, once it has its place."""
        return Message(
            message_id,
            session_id,
            context_seq,
            self.type,
            self.author_id,
            self.author_name,
            self.source,
            self.text,
            created_at,
            self.envelope,
        )


def message_of(row: Row) -> Message:
    """A row of the messages as a value."""
    return Draft.of_row(row).placed(
        message_id=row["id"],
        session_id=row["session_id"],
        context_seq=row["context_seq"],
        created_at=row["created_at"],
    )


def _origin(envelope: Envelope | None) -> dict[str, str]:
    """What the envelope says beyond the columns. That a person typed it is told by the type alone."""
    if envelope is None:
        return {}
    return {
        "route": "" if envelope.is_person else envelope.route.value,
        "origin_id": envelope.origin_id,
        "origin_name": envelope.origin_name,
        "from_session": envelope.from_session,
    }


def _envelope(
    kind: MessageType, details: Details, source: str, author_id: str, author_name: str
) -> Envelope | None:
    if kind not in (MessageType.USER, MessageType.HARNESS):
        return None
    return Envelope(
        _route(kind, details),
        source,
        author_id,
        author_name,
        exact("origin_id", "", details),
        exact("origin_name", "", details),
        exact("from_session", "", details),
    )


def _route(kind: MessageType, details: Details) -> InputRoute:
    """The type decides: nothing that is stored beside a message makes a person of a program, or the reverse."""
    if kind is MessageType.USER:
        return InputRoute.PERSON
    route = InputRoute(details.get("route", InputRoute.RUN))
    return InputRoute.RUN if route is InputRoute.PERSON else route
