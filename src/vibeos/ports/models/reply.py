"""What came back from a model, as a value: the element to store, its text, its calls, its price, why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

    from vibeos.ports.models.tools import ToolCall


class Finish(StrEnum):
    """Why an answer ended."""

    FINISHED = "finished"
    TOOL_CALLS = "tool_calls"
    TRUNCATED = "truncated"  # by length: the last words, or the last call's arguments, are missing
    FILTERED = "filtered"  # the provider withheld it
    EMPTY = "empty"  # neither text nor a call


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them, 0 where it did not. `cached_tokens` are a part of `input_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a model. `response` is what is stored and sent back; the rest is read from it."""

    response: ModelResponse
    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage
    finish: Finish
