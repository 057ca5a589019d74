"""From a model's response to a `Reply`: one rule for every kind of model, a test's script too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.models.messages import response_text, says_something, tool_calls
from vibeos.ports.models.reply import Finish, Reply, Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse


def reply_of(response: ModelResponse) -> Reply:
    """The reply that a response is: its text, its calls, its price, why it ended."""
    calls = tuple(tool_calls(response))
    usage = response.usage
    return Reply(
        response=response,
        text=response_text(response),
        calls=calls,
        usage=Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens),
        finish=_finish(response, has_calls=bool(calls)),
    )


def _finish(response: ModelResponse, *, has_calls: bool) -> Finish:
    match response.finish_reason:
        case "length":
            return Finish.TRUNCATED
        case "content_filter":
            return Finish.FILTERED
    if has_calls:
        return Finish.TOOL_CALLS
    return Finish.FINISHED if says_something(response) else Finish.EMPTY
