"""The seam to agents of pydantic-ai: what such an agent is about to send, and a way to put something else in its place.

Everything of that library stays here. `HistoryHook` is a capability for its `Agent`; a `Rewriter` is plain code over our
own values. Importing this module loads pydantic_ai.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import httpx2
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    ModelRequest,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from vibeos.ports.models.faults import Scene, as_request_error
from vibeos.ports.models.messages import sendable, system_request
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.replies import reply_of
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.values.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.tools import RunContext

    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.reply import Reply
    from vibeos.ports.models.route import Route


@dataclass(frozen=True, slots=True)
class Said:
    """What one request of an agent's history holds. `told`: what the library itself says to the model."""

    system: tuple[str, ...]
    typed: tuple[str, ...]
    told: tuple[str, ...]
    outcomes: tuple[ToolOutcome, ...]


class Rewriter(Protocol):
    """Gives the messages that an agent sends instead of those it would."""

    async def rewrite(
        self, messages: Sequence[ModelMessage], model: AgentModel, *, run_id: str
    ) -> list[ModelMessage]:
        """`model` asks the agent's own model with the agent's own instructions and tools."""
        ...

    def answered(self, response: ModelResponse) -> None:
        """What the model answered."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class HistoryHook(AbstractCapability[Any]):
    """Gives a pydantic-ai agent's history to a rewriter before each request: `Agent(…, capabilities=[hook])`."""

    def __init__(self, rewriter: Rewriter, route: Route) -> None:
        self._rewriter = rewriter
        self._route = route

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        model = AgentModel(request_context, self._route)
        messages = await self._rewriter.rewrite(
            list(request_context.messages), model, run_id=ctx.run_id or ""
        )
        request_context.messages = list(messages)
        ctx.messages[:] = messages
        return request_context

    async def after_model_request(  # its arguments are the library's
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        *,
        request_context: ModelRequestContext,  # noqa: ARG002
        response: ModelResponse,
    ) -> ModelResponse:
        self._rewriter.answered(response)
        return response

    def close(self) -> None:
        """Let go of the record, once the agent is not asked any more."""
        self._rewriter.close()


class AgentModel:
    """A `Model` over the one that an agent is about to ask; its requests begin like the agent's own."""

    def __init__(self, context: ModelRequestContext, route: Route) -> None:
        self._context = context
        self._route = route

    @property
    def route(self) -> Route:
        return self._route

    @property
    def system(self) -> str:
        """The agent's instructions as one text."""
        parts = self._context.model_request_parameters.instruction_parts or ()
        return "\n\n".join(part.content for part in parts)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The agent's tools as its model is told of them."""
        parameters = self._context.model_request_parameters
        return tuple(
            ToolSpec(tool.name, tool.description or "", tool.parameters_json_schema)
            for tool in (*parameters.function_tools, *parameters.output_tools)
        )

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        """Ask with the agent's parameters, and with those tools of the request that the agent has not."""
        parameters = self._context.model_request_parameters
        known = {tool.name for tool in self.tools}
        more = [_definition(tool) for tool in request.tools if tool.name not in known]
        try:
            response = await model_request(
                self._context.model,
                list(request.messages),
                model_settings=self._context.model_settings,
                model_request_parameters=replace(
                    parameters,
                    function_tools=[*parameters.function_tools, *more],
                    allow_text_output=True,
                ),
            )
        except (AgentRunError, httpx2.HTTPError) as error:
            raise as_request_error(error, Scene(self._route)) from error
        reply = reply_of(sendable(response))
        if reply.text:
            listener.wrote(reply.text)
        return reply

    async def close(self) -> None:
        """The agent's model is its own."""


def said_in(request: ModelRequest) -> Said:
    """What an agent's request holds. Raises InvalidRequestError for pictures and other files, which are not kept."""
    system, typed, told, outcomes = [], [], [], []
    for part in request.parts:
        match part:
            case SystemPromptPart():
                system.append(part.content)
            case UserPromptPart():
                typed.append(_text(part))
            case ToolReturnPart():
                outcomes.append(ToolOutcome(part.tool_call_id, part.tool_name, part.model_response_str()))
            case _ if getattr(part, "tool_call_id", None) and getattr(part, "tool_name", None):
                outcomes.append(_refusal(part))
            case _ if hasattr(part, "model_response"):
                told.append(part.model_response())
    return Said(tuple(system), tuple(typed), tuple(told), tuple(outcomes))


def after(messages: Sequence[ModelMessage], known: Sequence[ModelMessage]) -> list[ModelMessage] | None:
    """What follows the known beginning; None where the messages do not begin like it.

    Part by part, since an agent joins requests that stand side by side.
    """
    left = [part for message in known for part in message.parts]
    rest: list[ModelMessage] = []
    for message in messages:
        parts = list(message.parts)
        count = min(len(parts), len(left))
        if parts[:count] != left[:count]:
            return None
        left = left[count:]
        if parts[count:]:
            rest.append(replace(message, parts=parts[count:]))  # type: ignore[arg-type]
    return None if left else rest


def system_element(texts: Sequence[str]) -> ModelRequest:
    """The system prompts of an agent that has no instructions, as it would send them."""
    return system_request("\n\n".join(texts))


def _refusal(part: Any) -> ToolOutcome:
    return ToolOutcome(part.tool_call_id, part.tool_name, part.model_response())


def _text(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    if all(isinstance(one, str) for one in part.content):
        return "\n".join(str(one) for one in part.content)
    raise InvalidRequestError(
        "a message of the person holds a picture or another file, which checkpoints do not carry yet",
        remedy="Give the model its description or its path as text.",
    )


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters_json_schema)
    )
