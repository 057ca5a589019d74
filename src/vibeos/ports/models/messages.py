"""Our seam over `pydantic_ai.messages`: the elements of a conversation, built from values and kept as JSON text.

What a person said, what a model answered and what tools gave are elements of the library's types, so that
every provider's mapping is the library's. Two things are ours. Elements that we build carry no clock, so the
same rows make the same bytes. The dump is lossless and stable: dumping what was loaded gives the same text.

Importing this module loads pydantic_ai (0.8 s); import it where a model is really asked.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from vibeos.ports.models.reply import Usage
from vibeos.ports.models.tools import ToolCall, ToolOutcome, legal_tool_name
from vibeos.values.errors import InvalidRequestError
from vibeos.values.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_ai.messages import ModelResponsePart

__all__ = [
    "ModelMessage",
    "ModelRequest",
    "ModelResponse",
    "dump_request",
    "dump_response",
    "load_request",
    "load_response",
    "outcomes_in",
    "outcomes_request",
    "response_text",
    "response_usage",
    "system_request",
    "tool_calls",
    "user_request",
]

_NO_CLOCK = datetime(1970, 1, 1, tzinfo=UTC)


def user_request(*texts: str) -> ModelRequest:
    """What was said to the model: one user message for each text, in their order."""
    return ModelRequest(parts=[UserPromptPart(well_formed(text), timestamp=_NO_CLOCK) for text in texts])


def outcomes_request(outcomes: Iterable[ToolOutcome]) -> ModelRequest:
    """The results of the calls of the response before."""
    return ModelRequest(
        parts=[
            ToolReturnPart(one.tool_name, well_formed(one.content), one.call_id, timestamp=_NO_CLOCK)
            for one in outcomes
        ]
    )


def system_request(text: str) -> ModelRequest:
    """The system prompt as the first element of what is sent. It is no part of a stored conversation."""
    return ModelRequest(parts=[SystemPromptPart(well_formed(text), timestamp=_NO_CLOCK)])


def response_text(response: ModelResponse) -> str:
    """What the model said to the person, without its thinking; empty when it only called tools."""
    return well_formed(response.text or "")


def tool_calls(response: ModelResponse) -> list[ToolCall]:
    """The calls of a response, in its order."""
    return [
        ToolCall(part.tool_call_id, part.tool_name, _arguments(part))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]


def outcomes_in(request: ModelRequest) -> list[ToolOutcome]:
    """The results that `outcomes_request` was made of; empty for an input."""
    return [
        ToolOutcome(part.tool_call_id, part.tool_name, str(part.content))
        for part in request.parts
        if isinstance(part, ToolReturnPart)
    ]


def response_usage(response: ModelResponse) -> Usage:
    """What the provider counted for this response and the request before it; zeros where it did not."""
    usage = response.usage
    return Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens)


def sendable(response: ModelResponse) -> ModelResponse:
    """The response as it can be stored and sent back: well-formed text, calls with ids of their own and legal names.

    Some models repeat an id inside one answer or leave it empty, or write stray tokens into a name, and one such
    answer would make every later request of its session invalid. A new id keeps the old one's length and letters,
    since some providers check both; a changed name is one that no tool has, which is for the model to be told.
    """
    taken: set[str] = set()
    return replace(
        response,
        parts=[_sendable_part(part, taken) for part in response.parts],
        model_name=_clean(response.model_name),
        provider_response_id=_clean(response.provider_response_id),
        provider_details=_clean(response.provider_details),
    )


def dump_response(response: ModelResponse) -> str:
    """The response as JSON text, with all that the provider may want back: thinking, signatures, ids."""
    return _dump(response)


def load_response(text: str) -> ModelResponse:
    """The response that was dumped; raises InvalidRequestError when the text is none."""
    message = _load(text, "response")
    assert isinstance(message, ModelResponse)
    return message


def dump_request(request: ModelRequest) -> str:
    """An input or tool results as JSON text."""
    return _dump(request)


def load_request(text: str) -> ModelRequest:
    """The request that was dumped; raises InvalidRequestError when the text is none."""
    message = _load(text, "request")
    assert isinstance(message, ModelRequest)
    return message


def thinking_parts(messages: Iterable[ModelMessage]) -> Iterator[ThinkingPart]:
    """The thinking in a conversation, oldest first."""
    for message in messages:
        if isinstance(message, ModelResponse):
            yield from (part for part in message.parts if isinstance(part, ThinkingPart))


def says_something(response: ModelResponse) -> bool:
    """Whether a response holds text other than blanks."""
    return any(isinstance(part, TextPart) and part.content.strip() for part in response.parts)


def _arguments(part: ToolCallPart) -> str:
    return part.args if isinstance(part.args, str) else part.args_as_json_str()


def _sendable_part(part: ModelResponsePart, taken: set[str]) -> ModelResponsePart:
    match part:
        case TextPart() | ThinkingPart():
            return replace(
                part, content=well_formed(part.content), provider_details=_clean(part.provider_details)
            )
        case ToolCallPart():
            call_id = _free_id(well_formed(part.tool_call_id), taken)
            taken.add(call_id)
            return _renamed(part, call_id, legal_tool_name(part.tool_name))
    return part


def _renamed(part: ToolCallPart, call_id: str, name: str) -> ToolCallPart:
    return replace(
        part,
        tool_call_id=call_id,
        tool_name=name,
        args=_clean(part.args),
        provider_details=_clean(part.provider_details),
    )


def _clean(value: Any) -> Any:
    """The same value with every text in it well-formed."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {_clean(key): _clean(one) for key, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, list) else value


_LONGEST_ID = 40  # OpenAI refuses longer ones, and with them every later request


def _free_id(wanted: str, taken: set[str]) -> str:
    wanted = wanted[:_LONGEST_ID] or "call"
    free, number = wanted, 1
    while free in taken:
        number += 1
        free = f"{wanted[: max(1, len(wanted) - len(str(number)))]}{number}"
    return free


def _dump(message: ModelMessage) -> str:
    return ModelMessagesTypeAdapter.dump_json([message]).decode()[1:-1]


def _load(text: str, kind: str) -> ModelMessage:
    try:
        messages = ModelMessagesTypeAdapter.validate_json(f"[{text}]")
    except ValidationError as error:
        raise _unreadable(kind) from error
    if len(messages) != 1 or messages[0].kind != kind:
        raise _unreadable(kind)
    return messages[0]


def _unreadable(kind: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"A stored {kind} cannot be read: it is not of the form that this version writes",
        remedy="Nothing was sent. Begin a new session; `vibeos doctor` checks the database.",
    )
