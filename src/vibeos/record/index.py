"""The index of the messages' terms. It follows the messages in their order, and holds no text.

A message is indexed once and never again: its own terms (text, author's name, date) and, in a lighter column, those of
the two messages before it, where they are short. Everything here follows from the messages, so the index can be made
again from them.

Messages are indexed by the batch, inside the transaction of the message that fills it: an index entry of its own would
cost each message half as much again as all the rest, and five pages more on the disk. What stands in the index is always
the messages up to a certain id, all of them; whoever searches brings it up to the last one first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.analyser import date_terms, index_terms
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.ports.store import Database, Transaction

_NEIGHBOURS = 2
_LONGEST_NEIGHBOUR = 600
BATCH = 64
_CHUNK = 500
_LAST = 2**63 - 1
_MOST_BEHIND = 20_000  # a second or two of work
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


def follow(transaction: Transaction, message_id: int) -> None:
    """Take note of a new message: the one that fills a batch brings the index up to itself."""
    if message_id % BATCH == 0:
        _step(transaction, after=0, most=4 * BATCH)


def catch_up(database: Database) -> None:
    """Bring the index up to the last message.

    Raises StoreError where it cannot: nothing can be written here, or very much is missing because the index is just
    being made again.
    """
    (row,) = database.look("count_unindexed", until=_LAST)
    behind = row["messages"]
    if not behind:
        return
    if database.read_only:
        raise StoreError(
            f"{behind:,} of the newest messages are not in the search index yet, and it cannot be written here.",
            remedy="Search once where the home can be written, or read the messages with `vibeos data query`.",
        )
    if behind > _MOST_BEHIND:
        raise StoreError(
            f"The search index is being made again; {behind:,} messages are still missing in it.",
            remedy="Wait until it is done, or run `vibeos data reindex` if nothing does it.",
        )
    _finish(database)


def newest(database: Database) -> int:
    """The id of the last message; 0 where there is none."""
    (row,) = database.look("newest_message")
    return int(row["id"])


def holds_all(transaction: Transaction, until: int) -> bool:
    """Whether every message up to this id is in the index that this transaction sees."""
    return transaction.one("count_unindexed", until=until) == {"messages": 0}


def _finish(database: Database, each: Callable[[int], None] | None = None) -> None:
    """Step by step, so that others who write get their turn."""
    place = 0
    while True:
        with database.write() as transaction:
            place, count = _step(transaction, after=place, most=_CHUNK)
            if not count:
                transaction.run("finish_chore", name=_REBUILD)  # whoever began it
                return
        if each:
            each(count)


def _step(transaction: Transaction, *, after: int, most: int) -> tuple[int, int]:
    """Index the next messages; the last one's id, and how many they were."""
    rows = transaction.all("messages_to_index", after=after, most=most)
    for row in rows:
        _index(transaction, _Entry(*row.values()))
    return (rows[-1]["id"], len(rows)) if rows else (after, 0)


def _index(transaction: Transaction, entry: _Entry) -> None:
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
    total = _begin(database)
    done = 0

    def each(count: int) -> None:
        nonlocal done
        done += count
        if progress:
            progress(done, max(done, total))

    _finish(database, each)
    return done


def _begin(database: Database) -> int:
    with database.write() as transaction:
        if all(row["name"] != _REBUILD for row in transaction.all("chores")):
            transaction.run("empty_index")
            transaction.run("note_chore", name=_REBUILD, place=0)
        counted = transaction.one("count_unindexed", until=_LAST)
        return counted["messages"] if counted else 0
