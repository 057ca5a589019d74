"""`Model`: what an agent asks. One request in, one reply out, and the answer's text piece by piece on the way.

A model over the network, a file run in this process, the rehearsal and a test's script are all one of these, so the
agent never knows which one it talks to. Importing this module loads no model library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.models.messages import ModelMessage
    from vibeos.ports.models.reply import Reply
    from vibeos.ports.models.route import Route
    from vibeos.ports.models.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class Request:
    """All that a model is given, in the order in which it is sent: the system prompt, the tools, the conversation."""

    system: str
    tools: tuple[ToolSpec, ...]
    messages: Sequence[ModelMessage]


class Listener(Protocol):
    """Whoever follows an answer while it is written."""

    def wrote(self, piece: str) -> None:
        """The next piece of the answer's text."""
        ...

    def starts_again(self, reason: str) -> None:
        """What was written of this answer is void; the model is being asked once more, for this reason."""
        ...


class Deaf:
    """A listener that nobody is behind."""

    def wrote(self, piece: str) -> None:
        """Nothing."""

    def starts_again(self, reason: str) -> None:
        """Nothing."""


class Model(Protocol):
    """One model that can be asked. It keeps nothing of a conversation."""

    @property
    def route(self) -> Route:
        """What it is called and what fits into it."""
        ...

    async def ask(self, request: Request, listener: Listener = ...) -> Reply:
        """Ask, and give the whole answer when it has ended.

        Raises InvalidRequestError when the request breaks the providers' rules (nothing is sent), ContextOverflowError
        when it is longer than the model takes, ModelUnavailableError when the same request may succeed later
        (StreamBrokenError when its answer broke off), ModelRequestError for anything else that went wrong on the way.
        Cancelling it ends the request.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and processes. It may be asked again afterwards."""
        ...
