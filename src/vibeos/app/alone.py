"""Waiting one's turn in a session without holding up what else runs in this event loop."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from vibeos.ports.guard.lock import locked
from vibeos.values.errors import LockedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_LOOK = 0.05  # seconds between two looks whether another program's turn has ended


@asynccontextmanager
async def alone(lock: str, *, patience: float) -> AsyncIterator[None]:
    """Keep others' turns out of a session; raises LockedError where one is still running after `patience` seconds."""
    deadline = time.monotonic() + patience
    while True:
        holding = locked(lock, timeout=0)
        try:
            holding.__enter__()
        except LockedError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(_LOOK)
            continue
        break
    try:
        yield
    finally:
        holding.__exit__(None, None, None)
