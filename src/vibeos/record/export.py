"""A session as dictionaries, one per line of a JSON Lines file: first the session, then each message in order.

A text is a string, or where JSON would not give it back exactly, a list of strings to be joined.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vibeos.record.exact import json_text
from vibeos.record.message import message_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.ports.store import Database
    from vibeos.record.message import Message
    from vibeos.record.sessions import Session

_PAGE = 500


def exported(database: Database, session: Session) -> Iterator[dict[str, Any]]:
    """Page by page, so that no transaction stays open while the caller writes."""
    yield {"kind": "session", **asdict(session)}
    after = 0
    while messages := _page(database, session.id, after):
        yield from ({"kind": "message", **_fields(message)} for message in messages)
        after = messages[-1].context_seq


def _page(database: Database, session_id: str, after: int) -> list[Message]:
    with database.read() as transaction:
        rows = transaction.all("session_messages", session_id=session_id, after=after, types="", most=_PAGE)
    return [message_of(row) for row in rows]


def _fields(message: Message) -> dict[str, Any]:
    fields = asdict(message)
    envelope = fields.pop("envelope")
    if envelope:
        fields |= {name: envelope[name] for name in ("route", "origin_id", "origin_name", "from_session")}
    return {name: json_text(value) if isinstance(value, str) else value for name, value in fields.items()}
