"""The OpenAI chat completions format, from the endpoint's side: how it writes answers, errors and usage.

What it refuses stands in `openai_rules`. Usage is an estimate that a test can rely on: the prompt's bytes / 4,
and as cached what the prompt has in common with the one before it, from its beginning.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from vibeos.testing.openai_rules import prompt_bytes, refusal, tokens
from vibeos.testing.steps import NO_FINISH
from vibeos.testing.wire import Refusal, WireResponse, pieces, to_json
from vibeos.values.sizes import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vibeos.testing.steps import Answer, Fault
    from vibeos.testing.wire import KeptRequest, Limits

CHAT_PATH = "/v1/chat/completions"
MODELS_PATH = "/v1/models"

_CREATED = 1_700_000_000
_DONE = b"data: [DONE]\n\n"
_METHODS = {CHAT_PATH: "POST", MODELS_PATH: "GET"}
_FINISHES = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}

__all__ = ["CHAT_PATH", "MODELS_PATH", "OpenAIWire", "prompt_bytes"]


class OpenAIWire:
    """The format. It remembers the last prompt, so that it can say what the next one has in common with it."""

    def __init__(self) -> None:
        self._last_prompt = b""
        self._lock = Lock()

    def refusal(self, request: KeptRequest, limits: Limits) -> Refusal | None:
        """Path and key first, then what the body says."""
        refused = _path_refusal(request) or _key_refusal(request.headers, limits.api_key)
        if refused is not None or request.method == "GET":
            return refused
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return Refusal(
                "Unsupported content type. This API method only accepts 'application/json' requests."
            )
        return refusal(request.body, models=limits.models, context_window=limits.context_window)

    def render(self, answer: Answer, request: KeptRequest) -> WireResponse:
        """The answer as one completion."""
        message = _message(answer, request.number)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(answer)}
        completion = {
            **_head(request, "chat.completion"),
            "choices": [choice],
            "usage": self._usage(answer, request, message),
        }
        return WireResponse(200, to_json(completion))

    def events(self, answer: Answer, request: KeptRequest, *, ending: bool = True) -> list[bytes]:
        """The answer as chunks, then the reason, the usage where it is wanted, and the mark of the end."""
        message = _message(answer, request.number)
        head = _head(request, "chat.completion.chunk")
        with_usage = bool((request.body.get("stream_options") or {}).get("include_usage"))
        no_usage: dict[str, Any] = {"usage": None} if with_usage else {}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return _event({**head, "choices": [choice], **no_usage})

        usage = self._usage(answer, request, message)
        written = [chunk(delta) for delta in _deltas(message)]
        if not ending:
            return written
        written.append(chunk({}, _finish(answer)))
        if with_usage:
            written.append(_event({**head, "choices": [], "usage": usage}))
        return [*written, _DONE]

    def render_models(self, models: Sequence[str]) -> WireResponse:
        """The list of models."""
        rows = [
            {"id": name, "object": "model", "created": _CREATED, "owned_by": "vibeos-testing"}
            for name in models
        ]
        return WireResponse(200, to_json({"object": "list", "data": rows}))

    def render_refusal(self, refused: Refusal, number: int) -> WireResponse:  # noqa: ARG002 - for the other format
        """A refusal in the shape of the real endpoint's errors."""
        error = {
            "message": refused.message,
            "type": refused.kind or _kind(refused.status),
            "param": refused.param,
            "code": refused.code,
        }
        return WireResponse(refused.status, to_json({"error": error}))

    def render_fault(self, fault: Fault, number: int) -> WireResponse:
        """A fault of the script: its own bytes, or an error of the usual shape."""
        if fault.body is not None:
            return WireResponse(fault.status, fault.body, fault.headers)
        message = fault.message or f"The script says {fault.status}."
        refused = Refusal(message, fault.status, fault.param, fault.code, fault.kind)
        return replace(self.render_refusal(refused, number), headers=fault.headers)

    def error_event(self, fault: Fault, number: int) -> bytes:
        """A fault in the middle of a stream, which has begun with 200."""
        return b"data: " + self.render_fault(fault, number).body + b"\n\n"

    def _usage(self, answer: Answer, request: KeptRequest, message: dict[str, Any]) -> dict[str, Any]:
        prompt = prompt_bytes(request.body)
        with self._lock:
            cached = _common_prefix(self._last_prompt, prompt)
            self._last_prompt = prompt
        given = dict(answer.usage or {})
        prompt_tokens = given.get("prompt_tokens", tokens(len(prompt)))
        completion_tokens = given.get("completion_tokens", tokens(len(to_json(message))))
        return {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
            "prompt_tokens_details": {"cached_tokens": given.get("cached_tokens", cached // BYTES_PER_TOKEN)},
            "completion_tokens_details": {"reasoning_tokens": tokens(len(answer.reasoning.encode()))},
        }


def _path_refusal(request: KeptRequest) -> Refusal | None:
    path = request.path.partition("?")[0]
    if path not in _METHODS:
        return Refusal(f"Invalid URL ({request.method} {path})", 404)
    if request.method != _METHODS[path]:
        return Refusal(f"Not allowed to {request.method} on {path}.", 405, code="method_not_supported")
    return None


def _key_refusal(headers: Mapping[str, str], api_key: str | None) -> Refusal | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if api_key is None or (scheme.lower() == "bearer" and key == api_key):
        return None
    if not key:
        return Refusal(
            "You didn't provide an API key. Provide it in an Authorization header using Bearer auth.", 401
        )
    shown = f"{key[:4]}***" if len(key) > 8 else "***"
    return Refusal(f"Incorrect API key provided: {shown}.", 401, code="invalid_api_key")


def _kind(status: int) -> str:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "requests"
    return "server_error" if status >= 500 else "invalid_request_error"


def _head(request: KeptRequest, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{request.number}",
        "object": kind,
        "created": _CREATED + request.number,
        "model": request.body["model"],
    }


def _message(answer: Answer, number: int) -> dict[str, Any]:
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
    return message


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The message bit by bit: who speaks, then thinking, text and calls, each in pieces."""
    only_calls = message["content"] is None and "tool_calls" in message
    yield {"role": "assistant", "content": None if only_calls else "", "refusal": None}
    for piece in pieces(message.get("reasoning_content", "")):
        yield {"reasoning_content": piece}
    for piece in pieces(message["content"] or ""):
        yield {"content": piece}
    for index, one in enumerate(message.get("tool_calls", [])):
        begun = {**one, "function": {"name": one["function"]["name"], "arguments": ""}}
        yield {"tool_calls": [{"index": index, **begun}]}
        for piece in pieces(one["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _finish(answer: Answer) -> str | None:
    finish = answer.finish or ("tool_calls" if answer.calls else "stop")
    return None if finish == NO_FINISH else _FINISHES.get(finish, finish)


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + to_json(value) + b"\n\n"


def _common_prefix(one: bytes, other: bytes) -> int:
    """How many bytes two texts share from their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
