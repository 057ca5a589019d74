"""A conversation in the OpenAI chat format, as plain values, and a model that somebody's own function asks in it.

Both directions lose nothing of text, calls and results, which is all that this format has in common between servers.
"""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import (
    FinishReason,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from vibeos.ports.models.messages import response_text, sendable, tool_calls
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.overflow import is_overflow
from vibeos.ports.models.replies import reply_of
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import ContextOverflowError, ModelRequestError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from vibeos.ports.models.messages import ModelMessage
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.reply import Reply
    from vibeos.ports.models.route import Route

    Chat: TypeAlias = list[dict[str, Any]]
    Ask: TypeAlias = Callable[[Chat, Chat], Any | Awaitable[Any]]

_FINISHES: dict[str, FinishReason] = {
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_call",
}


def chat_messages(messages: Iterable[ModelMessage], system: str = "") -> Chat:
    """The conversation as `messages` of a request, the system prompt first."""
    head = [{"role": "system", "content": system}] if system else []
    return [*head, *(one for message in messages for one in _chat(message))]


def chat_tools(tools: Iterable[ToolSpec]) -> Chat:
    """The tools as `tools` of a request."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters_json_schema),
            },
        }
        for tool in tools
    ]


def tool_specs(tools: Sequence[Mapping[str, Any]]) -> tuple[ToolSpec, ...]:
    """The tools that `tools` of a request describes. Raises ModelRequestError where one is none."""
    try:
        functions = [tool["function"] for tool in tools]
        return tuple(
            ToolSpec(one["name"], one.get("description", ""), one.get("parameters") or {"type": "object"})
            for one in functions
        )
    except (KeyError, TypeError) as error:
        raise ModelRequestError(
            f"a tool is not in the OpenAI chat format: {error!r} is missing",
            remedy='Give each as {"type": "function", "function": {"name": …, "description": …, "parameters": …}}.',
        ) from error


def chat_response(answer: Any) -> ModelResponse:
    """The response that an endpoint gave: a whole completion, its message, or an object that dumps as one.

    Raises ModelRequestError where it is none of them.
    """
    found = answer.model_dump() if hasattr(answer, "model_dump") else answer
    try:
        choice = found["choices"][0] if "choices" in found else {"message": found}
        message = choice["message"]
        parts = list(_parts(message))
        return sendable(
            ModelResponse(
                parts=parts,
                finish_reason=_FINISHES.get(choice.get("finish_reason") or "", "stop"),
                usage=_usage(found.get("usage") or {}),
                model_name=found.get("model"),
            )
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelRequestError(
            f"the answer is no completion in the OpenAI chat format: {preview(repr(found))}",
            remedy="Return the completion, or its message with 'content' and 'tool_calls'.",
        ) from error


class ChatModel:
    """A `Model` over a function that asks an endpoint of the OpenAI chat format: `ask(messages, tools)`.

    The function may be a coroutine. Whatever it raises is a failed request; nothing is asked twice.
    """

    def __init__(self, ask: Ask, route: Route) -> None:
        self._ask = ask
        self._route = route

    @property
    def route(self) -> Route:
        return self._route

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        """Ask the function. Raises ContextOverflowError, ModelRequestError."""
        messages = chat_messages(request.messages, request.system)
        try:
            answer = self._ask(messages, chat_tools(request.tools))
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:  # the edge to a function that is not ours
            raise _as_ours(error) from error
        reply = reply_of(chat_response(answer))
        if reply.text:
            listener.wrote(reply.text)
        return reply

    async def close(self) -> None:
        """The function's connections are its own."""


def _chat(message: ModelMessage) -> Iterator[dict[str, Any]]:
    if isinstance(message, ModelResponse):
        calls = [
            {
                "id": one.call_id,
                "type": "function",
                "function": {"name": one.name, "arguments": one.arguments or "{}"},
            }
            for one in tool_calls(message)
        ]
        yield {
            "role": "assistant",
            "content": response_text(message) or None,
            **({"tool_calls": calls} if calls else {}),
        }
        return
    for part in message.parts:
        if isinstance(part, ToolReturnPart):
            yield {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
        elif isinstance(part, UserPromptPart):
            yield {"role": "user", "content": part.content}


def _parts(message: Mapping[str, Any]) -> Iterator[TextPart | ToolCallPart]:
    if message["role"] != "assistant":
        raise KeyError("role")
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(one.get("text", "") for one in content)
    if content:
        yield TextPart(content)
    for call in message.get("tool_calls") or []:
        function = call["function"]
        arguments = function.get("arguments") or ""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        yield ToolCallPart(function["name"], text, tool_call_id=call.get("id") or "")


def _usage(usage: Mapping[str, Any]) -> RequestUsage:
    details = usage.get("prompt_tokens_details") or {}
    return RequestUsage(
        input_tokens=usage.get("prompt_tokens") or 0,
        output_tokens=usage.get("completion_tokens") or 0,
        cache_read_tokens=details.get("cached_tokens") or 0,
    )


def _as_ours(error: Exception) -> ModelRequestError:
    status = getattr(error, "status_code", None)
    code = getattr(error, "code", None)
    said = preview(str(error), 300)
    codes = (code,) if isinstance(code, str) else ()
    if is_overflow(
        status=status if isinstance(status, int) else None, codes=codes, sentence=str(error)[:10_000]
    ):
        return ContextOverflowError(f"the request is longer than the model takes: {said}")
    return ModelRequestError(f"the model could not be asked: {type(error).__name__}: {said}")
