"""How long elements of a conversation are, estimated in tokens without a tokenizer; see `values.sizes`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic_ai.messages import (
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from vibeos.values.sizes import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_ai.messages import ModelMessage

    from vibeos.ports.models.tools import ToolSpec

FRAME = 4  # what the wire adds around each part


def element_tokens(message: ModelMessage) -> int:
    """Tokens of one element, with what frames it."""
    return sum(estimate_tokens(text) + FRAME for text in _texts(message))


def tools_tokens(tools: Iterable[ToolSpec]) -> int:
    """Tokens of the tools as a model is told of them."""
    return sum(
        estimate_tokens(
            f"{tool.name}{tool.description}{json.dumps(tool.parameters_json_schema, ensure_ascii=False)}"
        )
        + FRAME
        for tool in tools
    )


def _texts(message: ModelMessage) -> Iterator[str]:
    parts = message.parts
    if isinstance(message, ModelResponse):
        for part in parts:
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ThinkingPart):
                yield f"{part.content}{part.signature or ''}"
            elif isinstance(part, ToolCallPart):
                arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
                yield f"{part.tool_name}{part.tool_call_id}{arguments}"
        return
    for part in parts:
        if isinstance(part, ToolReturnPart):
            yield f"{part.tool_call_id}{part.content}"
        elif isinstance(part, UserPromptPart):
            yield part.content if isinstance(part.content, str) else "".join(map(str, part.content))
