"""Several writes as one transaction: they share one flush to the disk, which costs more than the writing.

An action takes the transaction and gives a value. Where one of them fails, none has happened; then each is done in a
transaction of its own, so that a fault of one is nobody else's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.ports.store import Database, Transaction


def write_together(
    database: Database, actions: Sequence[Callable[[Transaction], Any]]
) -> list[Any | Exception]:
    """Do all of them, in their order. In the place of each its value, or the error that it met."""
    if len(actions) > 1:
        try:
            with database.write() as transaction:
                return [action(transaction) for action in actions]
        except Exception:  # noqa: BLE001, S110 - nothing has happened yet; whose error it is shows now
            pass
    return [_alone(database, action) for action in actions]


def _alone(database: Database, action: Callable[[Transaction], Any]) -> Any | Exception:
    try:
        with database.write() as transaction:
            return action(transaction)
    except Exception as error:  # noqa: BLE001 - whoever asked for it is told; the others' writes stand
        return error
