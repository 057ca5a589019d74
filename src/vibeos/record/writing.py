"""The one path by which a message enters the record: number, row, index entry and context row, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.record import index
from vibeos.record.context import ContextRow, insert_row
from vibeos.record.exact import cleaned, safe_json
from vibeos.record.message import Draft, Message, MessageType
from vibeos.record.sessions import no_such_session
from vibeos.values.text import preview

if TYPE_CHECKING:
    from vibeos.ports.store import Transaction
    from vibeos.record.context import ContextKind

_TITLE = 60


def append(
    transaction: Transaction,
    session_id: str,
    draft: Draft,
    *,
    kind: ContextKind | None,
    now: str,
    written_at: str = "",
    payload: str = "",
    model: str = "",
) -> Message:
    """Give a draft the next number of its session and store it, in the context as `kind`, or outside it.

    `written_at`: when that was before `now`. Raises NotFoundError.
    """
    place = transaction.one("next_number", session_id=session_id, now=now, model=cleaned(model))
    if place is None:
        raise no_such_session(session_id)
    if not place["title"] and draft.type is MessageType.USER:
        transaction.run("take_title", session_id=session_id, title=title_from(draft.text))
    message = draft.placed(
        message_id=place["message_id"],
        session_id=session_id,
        context_seq=place["context_seq"],
        created_at=written_at or now,
    )
    _insert(transaction, message, draft)
    index.follow(transaction, message.id)
    if kind:
        row = ContextRow(
            place["row_id"], session_id, message.context_seq, kind, None, safe_json(payload), now
        )
        insert_row(transaction, row, message_id=message.id)
    return message


def _insert(transaction: Transaction, message: Message, draft: Draft) -> None:
    transaction.run(
        "insert_message",
        message_id=message.id,
        session_id=message.session_id,
        context_seq=message.context_seq,
        created_at=message.created_at,
        **draft.columns(),
    )


def title_from(text: str) -> str:
    """A title for a session that begins with this text: its first line, at most 60 characters."""
    lines = (preview(line, _TITLE) for line in text[:10_000].splitlines())
    return next(filter(None, lines), "")
