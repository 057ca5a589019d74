"""What stands in the last message of a conversation, as text that a script can look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelRequest, TextPart, ToolReturnPart, UserPromptPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic_ai.messages import ModelMessage


def last_text(messages: Sequence[ModelMessage]) -> str:
    """The text of the last message, its parts joined; empty when there is none."""
    return "".join(_texts(messages[-1])) if messages else ""


def _texts(message: ModelMessage) -> Iterator[str]:
    if not isinstance(message, ModelRequest):
        yield from (part.content for part in message.parts if isinstance(part, TextPart))
        return
    for part in message.parts:
        if isinstance(part, ToolReturnPart):
            yield part.model_response_str()
        elif isinstance(part, UserPromptPart):
            content = part.content
            yield from (
                [content] if isinstance(content, str) else (one for one in content if isinstance(one, str))
            )
