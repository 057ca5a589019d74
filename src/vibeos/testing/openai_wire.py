"""The OpenAI chat completions format, from the endpoint's side: how it writes answers, errors and usage.

What it refuses stands in `openai_rules`. Usage is an estimate that a test can rely on: the prompt's bytes / 4,
and as cached what the prompt has in common with the one before it, from its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vibeos.testing.openai_rules import prompt_bytes, refusal, tokens
from vibeos.testing.wire import Refusal, WireResponse, to_json
from vibeos.values.sizes import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.testing.script import Answer, Fault

CHAT_PATH = "/v1/chat/completions"
MODELS_PATH = "/v1/models"

_CREATED = 1_700_000_000

__all__ = [
    "CHAT_PATH",
    "MODELS_PATH",
    "key_refusal",
    "prompt_bytes",
    "refusal",
    "render",
    "render_fault",
    "render_models",
    "render_refusal",
]


def render(answer: Answer, *, body: dict[str, Any], number: int, cached_bytes: int = 0) -> WireResponse:
    """The answer as a response; `cached_bytes` is how much of the prompt was the same the last time."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": one.call_id or f"call_{number}_{index}",
                "type": "function",
                "function": {"name": one.name, "arguments": one.arguments},
            }
            for index, one in enumerate(answer.calls, 1)
        ]
    finish = answer.finish or ("tool_calls" if answer.calls else "stop")
    completion = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": _CREATED + number,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": _usage(
            answer, prompt=len(prompt_bytes(body)), said=len(to_json(message)), cached=cached_bytes
        ),
    }
    return WireResponse(200, to_json(completion))


def render_refusal(refused: Refusal) -> WireResponse:
    """A refusal in the shape of the real endpoint's errors."""
    error = {"message": refused.message, "type": refused.kind, "param": refused.param, "code": refused.code}
    return WireResponse(refused.status, to_json({"error": error}))


def render_fault(fault: Fault) -> WireResponse:
    """A fault of the script: its own bytes, or an error of the usual shape."""
    if fault.body is not None:
        return WireResponse(fault.status, fault.body, fault.headers)
    kind = fault.kind or ("server_error" if fault.status >= 500 else "invalid_request_error")
    message = fault.message or f"The script says {fault.status}."
    body = render_refusal(Refusal(message, fault.status, fault.param, fault.code, kind)).body
    return WireResponse(fault.status, body, fault.headers)


def render_models(models: Sequence[str]) -> WireResponse:
    """The list of models."""
    rows = [
        {"id": name, "object": "model", "created": _CREATED, "owned_by": "vibeos-testing"} for name in models
    ]
    return WireResponse(200, to_json({"object": "list", "data": rows}))


def key_refusal(authorization: str, api_key: str | None) -> Refusal | None:
    """Why this Authorization header does not do."""
    scheme, _, key = authorization.partition(" ")
    if api_key is None or (scheme.lower() == "bearer" and key == api_key):
        return None
    if not key:
        return Refusal(
            "You didn't provide an API key. Provide it in an Authorization header using Bearer auth.", 401
        )
    shown = f"{key[:4]}***" if len(key) > 8 else "***"
    return Refusal(f"Incorrect API key provided: {shown}.", 401, code="invalid_api_key")


def _usage(answer: Answer, *, prompt: int, said: int, cached: int) -> dict[str, Any]:
    given = dict(answer.usage or {})
    prompt_tokens = given.get("prompt_tokens", tokens(prompt))
    completion_tokens = given.get("completion_tokens", tokens(said))
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": given.get("cached_tokens", cached // BYTES_PER_TOKEN)},
        "completion_tokens_details": {"reasoning_tokens": tokens(len(answer.reasoning.encode()))},
    }
