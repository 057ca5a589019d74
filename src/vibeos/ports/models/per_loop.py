"""Something that belongs to one event loop, such as open connections, and goes when the loop goes.

It lives in an asynchronous generator, because that is what `asyncio.run` closes before it closes its loop: who asks a
model once and forgets it leaves no connection behind. Each loop has its own, also when several run at the same time.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable


class Closable(Protocol):
    """What lets go of its resources."""

    async def close(self) -> None:
        """Let go."""
        ...


T = TypeVar("T", bound=Closable)


class PerLoop(Generic[T]):
    """One thing for each event loop, opened when it is first wanted there."""

    def __init__(self, open_one: Callable[[], T]) -> None:
        self._open_one = open_one
        self._lives: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[T]]] = {}

    async def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        if loop not in self._lives:
            life = self._live(loop)
            # Nothing is awaited in there, so no other task of this loop comes between the look and the entry.
            self._lives[loop] = await anext(life), life
        return self._lives[loop][0]

    async def close(self) -> None:
        """Close the running loop's own; another is opened when it is wanted."""
        if found := self._lives.get(asyncio.get_running_loop()):
            await found[1].aclose()

    async def _live(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[T]:
        one = self._open_one()
        try:
            yield one
        finally:
            self._lives.pop(loop, None)
            await one.close()
