"""Letting nothing that was deleted remain in the files, also after a crash in between.

Deleting rows leaves their terms in the index's segments, and old pages in the log. A chore is noted in the transaction
that deletes; it is done when the segments have been written again without the deleted, and the log has been emptied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from vibeos.ports.store import Database

FORGET = "forget_deleted"
_PAGES = 1_000  # of the index per transaction, so that other writers get their turn
_NOTHING_LEFT = 2  # a merge that changes fewer rows had nothing to do


def finish_forgetting(database: Database) -> bool:
    """Do the chore; False where it could not be done, and stays noted for the next opening.

    That is so while another program's reading keeps old pages, or the disk is full. The deletion itself stands.
    """
    try:
        deletion = _noted(database)  # one that comes meanwhile counts on, and stays to be done
        while _merged(database):
            pass
        if not database.forget():
            return False
        with database.write() as transaction:
            transaction.run("finish_chore_at", name=FORGET, place=deletion)
    except StoreError:
        return False
    return True


def is_due(database: Database) -> bool:
    """Whether a deletion was interrupted before its end."""
    return _noted(database) is not None


def _noted(database: Database) -> int | None:
    """Which deletion the chore was last noted for; None where nothing is to be done."""
    return next((row["place"] for row in database.look("chores") if row["name"] == FORGET), None)


def _merged(database: Database) -> bool:
    with database.write() as transaction:
        return transaction.run("merge_index", pages=_PAGES) >= _NOTHING_LEFT
