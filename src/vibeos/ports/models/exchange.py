"""One request on its way to a provider and its answer on the way back, piece by piece and then whole.

What providers have in common stands here, what they have not in a `Dialect`. The library reports a stream that stopped
as an answer that is finished, so an answer without a reason for its end counts as broken off here. Importing this module
loads pydantic_ai.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import httpx2
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPartDelta,
    ToolCallPartDelta,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from vibeos.ports.models.faults import Scene, as_request_error, without_end
from vibeos.ports.models.http_client import MOST_BYTES, too_long
from vibeos.ports.models.messages import sendable, system_request
from vibeos.ports.models.quiet import Quietly
from vibeos.ports.models.replies import reply_of
from vibeos.values.text import well_formed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from pydantic_ai.messages import ModelMessage, ModelResponseStreamEvent
    from pydantic_ai.models import Model, StreamedResponse
    from pydantic_ai.settings import ModelSettings

    from vibeos.ports.models.model import Request
    from vibeos.ports.models.reply import Reply
    from vibeos.ports.models.route import Route
    from vibeos.ports.models.tools import ToolSpec

# What the library and the SDKs raise on an answer whose form they did not foresee, besides their own errors.
_FAULTS = (
    AgentRunError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RuntimeError,  # RecursionError is one
    TypeError,
    ValueError,
    httpx2.HTTPError,
)


class Dialect(Protocol):
    """How one provider is asked, over connections that belong to one event loop."""

    def model(self, messages: Sequence[ModelMessage]) -> Model[Any]:
        """The library's model for a request with these messages."""
        ...

    def settings(self) -> ModelSettings:
        """What is asked for beside the messages and tools."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


async def exchange(
    dialect: Dialect, request: Request, *, route: Route, key: str
) -> AsyncGenerator[str | Reply]:
    """The pieces of the answer's text as they come, and the whole reply as the last.

    Raises ContextOverflowError, StreamBrokenError, ModelUnavailableError or ModelRequestError.
    """
    scene = Scene(route, key)
    try:
        async with AsyncExitStack() as stack:
            stream = await Quietly(stack.enter_async_context(_open(dialect, request)))
            scene = Scene(route, key, began=True)
            pieces, events = _Pieces(route), aiter(stream)
            while (event := await Quietly(anext(events, None))) is not None:
                if piece := pieces.take(event):
                    yield piece
            if not _has_ended(stream):
                raise without_end(scene)
            reply = reply_of(sendable(stream.get()))
    except _FAULTS as error:
        raise as_request_error(error, scene) from error
    if reply.text and not pieces.wrote:  # it came whole
        yield reply.text
    yield reply


def _open(dialect: Dialect, request: Request) -> Any:
    messages = [system_request(request.system), *request.messages] if request.system else [*request.messages]
    tools = [_definition(tool) for tool in request.tools]
    return model_request_stream(
        dialect.model(request.messages),
        messages,
        model_settings=dialect.settings(),
        model_request_parameters=ModelRequestParameters(function_tools=tools),
        instrument=False,
    )


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters_json_schema)
    )


class _Pieces:
    """Reads the text out of a stream's events, and sees to it that an answer does not grow without end."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._size = 0
        self.wrote = False

    def take(self, event: ModelResponseStreamEvent) -> str:
        """The next piece of the answer's text; empty when the event brings none."""
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                # Texts with something else between them stand in paragraphs of their own, as in the whole answer.
                if text and self.wrote and event.previous_part_kind != "text":
                    text = f"\n\n{text}"
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                pass
            case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=str(hidden))):
                return self._count(hidden)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(hidden))):
                return self._count(hidden)
            case _:
                return ""
        self._count(text)
        self.wrote = self.wrote or bool(text)
        return well_formed(text)

    def _count(self, text: str) -> str:
        self._size += len(text)
        if self._size > MOST_BYTES:
            raise too_long(self._route.address, MOST_BYTES)
        return ""


def _has_ended(stream: StreamedResponse) -> bool:
    """Whether the provider said why its answer ended; the library does not know every reason by name."""
    return stream.finish_reason is not None or "finish_reason" in (stream.provider_details or {})
