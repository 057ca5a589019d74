"""What turns write into the record, many sessions' at once: all that is ready in one step of the event loop shares a
transaction, and so one flush to the disk.

A write has happened when `store` gives its value. An interrupt waits for it: what was handed over is written, or the
error is raised in the place of the interrupt.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.ports.store import Transaction
    from vibeos.record import Record

T = TypeVar("T")


class Journal:
    """The way of one process's turns into one record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        # One queue for each event loop: several threads may each run one.
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()

    async def store(self, action: Callable[[Transaction], T]) -> T:
        """Do it in a transaction and give its value; raises what it raised."""
        loop = asyncio.get_running_loop()
        queue = self._queues.setdefault(loop, [])
        future: asyncio.Future[T] = loop.create_future()
        queue.append((action, future))
        if len(queue) == 1:
            # One step later, so that what becomes ready in the next one goes along.
            loop.call_soon(loop.call_soon, self._flush, queue)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if not future.done():
                self._flush(queue)
            future.result()  # what could not be written must be heard of, more than the interrupt
            raise

    def _flush(self, queue: _Queue) -> None:
        ready, queue[:] = queue[:], []
        if not ready:
            return
        try:
            done = self._record.write_together([action for action, _ in ready])
        except Exception as error:  # noqa: BLE001 - a fault of our own; who waits must hear of it
            done = [error] * len(ready)
        for (_, future), value in zip(ready, done, strict=True):
            if isinstance(value, Exception):
                future.set_exception(value)
            else:
                future.set_result(value)


_Queue = list[tuple["Callable[[Transaction], Any]", "asyncio.Future[Any]"]]
