"""A model at an address: one request out, one answer back, streamed.

`NetworkModel` keeps a route, a key, for each event loop that it is asked in the connections there, and what elements look
like on the wire; nothing that decides what is sent. It asks once: what may succeed later is asked again by `Retrying`.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import cached_property
from typing import TYPE_CHECKING

from vibeos.ports.models.kept import Kept
from vibeos.ports.models.limits import resolve_limits
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.patience import PATIENT
from vibeos.ports.models.per_loop import PerLoop
from vibeos.ports.models.reply import Reply
from vibeos.ports.models.route import require_key

if TYPE_CHECKING:
    from vibeos.ports.models.exchange import Dialect
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.route import Route


class NetworkModel:
    """A `Model` over the network. Making one loads no model library and opens no connection."""

    def __init__(self, route: Route, api_key: str, *, patience: Patience = PATIENT) -> None:
        """Raises ModelNotConfiguredError when the route needs a key and there is none, or what is there cannot be one."""
        self._given = route
        self._key = require_key(route, api_key)
        self._patience = patience
        self._kept = Kept()
        self._dialects: PerLoop[Dialect] = PerLoop(self._open_dialect)

    def __repr__(self) -> str:
        return f"NetworkModel({self._given.name!r})"

    @cached_property
    def route(self) -> Route:
        """The route with all its limits; they are looked up when they are first asked for."""
        return resolve_limits(self._given)

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        """Ask once, and give the whole answer when it has ended.

        Raises InvalidRequestError, ContextOverflowError, ModelUnavailableError (StreamBrokenError when the answer broke
        off) or ModelRequestError.
        """
        from vibeos.ports.models.check import check_request  # noqa: PLC0415 - this loads the model library
        from vibeos.ports.models.exchange import exchange  # noqa: PLC0415 - this too

        check_request(request.messages, request.tools)
        dialect = await self._dialects.get()
        async with aclosing(exchange(dialect, request, route=self._given, key=self._key)) as answer:
            async for said in answer:
                if isinstance(said, Reply):
                    return said
                listener.wrote(said)
        raise AssertionError("an exchange ends with a reply or an error")

    async def close(self) -> None:
        """Close this event loop's connections."""
        await self._dialects.close()

    def _open_dialect(self) -> Dialect:
        if self._given.provider == "anthropic":
            from vibeos.ports.models.anthropic_messages import AnthropicMessages  # noqa: PLC0415 - heavy

            return AnthropicMessages(self._given, self._key, self._patience, self._kept)
        from vibeos.ports.models.openai_chat import OpenAIChat  # noqa: PLC0415 - heavy

        return OpenAIChat(self._given, self._key, self._patience, self._kept)
