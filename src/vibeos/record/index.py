"""The index of the messages' terms. It follows the messages in the same transaction, and holds no text.

A message is indexed once and never again: its own terms (text, author's name, date) and, in a lighter column, those of
the two messages before it, where they are short. Everything here follows from the messages, so the index can be made
again from them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vibeos.record.exact import cleaned
from vibeos.values.analyser import date_terms, index_terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.ports.store import Database, Transaction
    from vibeos.record.message import Message

_NEIGHBOURS = 2
_LONGEST_NEIGHBOUR = 600
_CHUNK = 500
_REBUILD = "rebuild_index"


class _Entry(NamedTuple):
    """What the index needs of a message."""

    message_id: int
    session_id: str
    context_seq: int
    author_name: str
    text: str
    created_at: str


def own_terms(text: str, author_name: str, created_at: str) -> str:
    """The terms that a message has of itself: of its text, its author's name and its date."""
    return " ".join((_terms(text), _terms(author_name), *date_terms(created_at)))


def index_message(transaction: Transaction, message: Message) -> None:
    """Write the entry of a new message."""
    _index(
        transaction,
        _Entry(
            message.id,
            message.session_id,
            message.context_seq,
            cleaned(message.author_name),
            cleaned(message.text),
            message.created_at,
        ),
    )


def _index(transaction: Transaction, entry: _Entry) -> None:
    if not entry.text:
        return
    own = own_terms(entry.text, entry.author_name, entry.created_at)
    around = _terms_before(transaction, entry.session_id, entry.context_seq)
    transaction.run("index_message", message_id=entry.message_id, own=own, around=around)


def _terms_before(transaction: Transaction, session_id: str, context_seq: int) -> str:
    rows = transaction.all(
        "texts_before",
        session_id=session_id,
        context_seq=context_seq,
        longest=_LONGEST_NEIGHBOUR,
        most=_NEIGHBOURS,
    )
    return " ".join(_terms(row["text"]) for row in rows if len(row["text"]) <= _LONGEST_NEIGHBOUR)


def _terms(text: str) -> str:
    return _terms_of_short(text) if len(text) <= _LONGEST_NEIGHBOUR else " ".join(index_terms(text))


@lru_cache(maxsize=256)  # a short text is analysed once for itself, and not again for the two that follow it
def _terms_of_short(text: str) -> str:
    return " ".join(index_terms(text))


def rebuild(database: Database, progress: Callable[[int, int], None] | None = None) -> int:
    """Make the index again from the messages, in steps; a rebuild that was interrupted goes on where it was.

    New messages may be recorded meanwhile. `progress(done, total)` is called after each step. Returns how many
    messages were indexed.
    """
    place, total = _begin(database)
    done = 0
    while step := _step(database, place):
        place, count = step
        done += count
        if progress:
            progress(done, max(done, total))
    return done


def _begin(database: Database) -> tuple[int, int]:
    with database.write() as transaction:
        places = {row["name"]: row["place"] for row in transaction.all("chores")}
        if _REBUILD not in places:
            transaction.run("empty_index")
            transaction.run("note_chore", name=_REBUILD, place=0)
        place = places.get(_REBUILD, 0)
        counted = transaction.one("count_messages", after=place)
        return place, counted["messages"] if counted else 0


def _step(database: Database, place: int) -> tuple[int, int] | None:
    with database.write() as transaction:
        rows = transaction.all("messages_to_index", after=place, most=_CHUNK)
        if not rows:
            transaction.run("finish_chore", name=_REBUILD)
            return None
        for row in rows:
            transaction.run(
                "unindex_message", message_id=row["id"]
            )  # it may have been recorded since the beginning
            _index(transaction, _Entry(*row.values()))
        transaction.run("note_chore", name=_REBUILD, place=rows[-1]["id"])
        return rows[-1]["id"], len(rows)
