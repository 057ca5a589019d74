"""Several writes as one transaction: they share one flush to the disk, which costs more than the writing.

An action takes the transaction and gives a value. Where one of them fails, none has happened; then each is done in a
transaction of its own, so that a fault of one is nobody else's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.ports.store import Database, Transaction


def write_together(
    database: Database, actions: Sequence[Callable[[Transaction], Any]]
) -> list[Any | VibeOSError]:
    """Do all of them, in their order. In the place of each its value, or the error that it met."""
    if len(actions) > 1:
        try:
            with database.write() as transaction:
                return [action(transaction) for action in actions]
        except VibeOSError:
            pass  # nothing has happened yet; whose error it is shows now
    return [_alone(database, action) for action in actions]


def _alone(database: Database, action: Callable[[Transaction], Any]) -> Any | VibeOSError:
    try:
        with database.write() as transaction:
            return action(transaction)
    except VibeOSError as error:
        return error
