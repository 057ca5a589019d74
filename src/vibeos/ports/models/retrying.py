"""What may succeed when it is asked again is asked again: the one layer of retries, around any model.

Only a ModelUnavailableError is: no connection, a server that is busy or failed, an answer that broke off. A request that
is too long, a wrong key or used-up credit would fail again. The wait doubles from half a second; a provider that names
its own is waited for so long, unless that is longer than a person would want to wait without knowing.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from vibeos.ports.models.model import Deaf
from vibeos.ports.models.patience import PATIENT
from vibeos.values.errors import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from vibeos.ports.models.model import Listener, Model, Request
    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.reply import Reply
    from vibeos.ports.models.route import Route

_FIRST_WAIT = 0.5
_LONGEST_OWN_WAIT = 30.0


class Retrying:
    """A `Model` that asks another one again. Cancelling it ends the request or the wait at once."""

    def __init__(
        self,
        model: Model,
        *,
        patience: Patience = PATIENT,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`chance` (0 to 1) spreads the waits, so that many sessions do not all come back at the same moment."""
        self._model = model
        self._patience = patience
        self._sleep = sleep
        self._chance = chance

    @property
    def route(self) -> Route:
        """The model's."""
        return self._model.route

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        """Ask until there is an answer, or an error that stays, or the patience has ended."""
        for tried in range(self._patience.retries):
            try:
                return await self._model.ask(request, listener)
            except ModelUnavailableError as error:
                wait = self._wait(error, tried)
                if wait > self._patience.longest_wait:
                    raise
                listener.starts_again(f"{error.message}; asking again in {wait:.1f} s")
            await self._sleep(wait)
        return await self._model.ask(request, listener)

    async def close(self) -> None:
        """Let go of the model's connections."""
        await self._model.close()

    def _wait(self, error: ModelUnavailableError, tried: int) -> float:
        if error.retry_after is not None:
            return max(error.retry_after, 0.0)
        return min(_FIRST_WAIT * 2.0**tried, _LONGEST_OWN_WAIT) * (0.75 + self._chance() / 4)
