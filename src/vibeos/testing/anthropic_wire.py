"""The Anthropic messages format, from the endpoint's side: how it writes answers, errors and usage.

What it refuses stands in `anthropic_rules`. Usage is an estimate that a test can rely on: bytes / 4. What is read
from the cache is counted as the real endpoint counts it: up to a mark, where an earlier request had one at the end of
the same beginning; a mark looks back over twenty blocks. Unlike the real one it caches short beginnings too.
"""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

from vibeos.testing.anthropic_blocks import signature_of
from vibeos.testing.anthropic_rules import prompt_parts, refusal
from vibeos.testing.openai_rules import tokens
from vibeos.testing.steps import NO_FINISH
from vibeos.testing.wire import Refusal, WireResponse, pieces, to_json
from vibeos.values.sizes import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vibeos.testing.steps import Answer, Call, Fault
    from vibeos.testing.wire import KeptRequest, Limits

MESSAGES_PATH = "/v1/messages"
MODELS_PATH = "/v1/models"

_METHODS = {MESSAGES_PATH: "POST", MODELS_PATH: "GET"}
_FINISHES = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_LOOK_BACK = 20
_CREATED = "2024-01-01T00:00:00Z"


class AnthropicWire:
    """The format. It remembers the beginnings that were marked, so that it can say what a cache would give."""

    def __init__(self) -> None:
        self._cached: set[bytes] = set()
        self._lock = Lock()

    def refusal(self, request: KeptRequest, limits: Limits) -> Refusal | None:
        """Path and headers first, then what the body says."""
        refused = _path_refusal(request) or _header_refusal(request.headers, limits.api_key)
        if refused is not None or request.method == "GET":
            return refused
        return refusal(request.body, models=limits.models, context_window=limits.context_window)

    def render(self, answer: Answer, request: KeptRequest) -> WireResponse:
        """The answer as one message."""
        content = _content(answer, request.number)
        usage = self._usage(answer, request, content)
        message = {**_head(request), "content": content, "stop_reason": _finish(answer), "usage": usage}
        return WireResponse(200, to_json(message), _headers(request.number))

    def events(self, answer: Answer, request: KeptRequest, *, ending: bool = True) -> list[bytes]:
        """The message without its content, the blocks one after the other, the reason and the usage, the end."""
        content = _content(answer, request.number)
        usage = self._usage(answer, request, content)
        head = {**_head(request), "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
        written = [_event("message_start", message=head)]
        for index, block in enumerate(content):
            arguments = answer.calls[index - len(content)].arguments if block["type"] == "tool_use" else ""
            written += _block_events(index, block, arguments)
            if index == 0:
                written.insert(2, _event("ping"))
        if not ending:
            return written
        delta = {"stop_reason": _finish(answer), "stop_sequence": None}
        return [*written, _event("message_delta", delta=delta, usage=usage), _event("message_stop")]

    def render_models(self, models: Sequence[str]) -> WireResponse:
        """The list of models."""
        rows = [
            {"type": "model", "id": name, "display_name": name, "created_at": _CREATED} for name in models
        ]
        page = {"data": rows, "has_more": False, "first_id": models[0], "last_id": models[-1]}
        return WireResponse(200, to_json(page))

    def render_refusal(self, refused: Refusal, number: int) -> WireResponse:
        """A refusal in the shape of the real endpoint's errors."""
        error = {"type": refused.kind or _kind(refused.status), "message": refused.message}
        body = {"type": "error", "error": error, "request_id": _request_id(number)}
        return WireResponse(refused.status, to_json(body), _headers(number))

    def render_fault(self, fault: Fault, number: int) -> WireResponse:
        """A fault of the script: its own bytes, or an error of the usual shape."""
        if fault.body is not None:
            return WireResponse(fault.status, fault.body, fault.headers)
        message = fault.message or (
            "Overloaded" if fault.status == 529 else f"The script says {fault.status}."
        )
        response = self.render_refusal(Refusal(message, fault.status, kind=fault.kind), number)
        return replace(response, headers={**response.headers, **fault.headers})

    def error_event(self, fault: Fault, number: int) -> bytes:
        """A fault in the middle of a stream, which has begun with 200."""
        return b"event: error\ndata: " + self.render_fault(fault, number).body + b"\n\n"

    def _usage(self, answer: Answer, request: KeptRequest, content: list[dict[str, Any]]) -> dict[str, Any]:
        given = dict(answer.usage or {})
        whole, marked, read = self._cache(request.body)
        prompt = given.get("prompt_tokens", tokens(whole))
        cached = given.get("cached_tokens", read // BYTES_PER_TOKEN)
        created = 0 if "prompt_tokens" in given else marked // BYTES_PER_TOKEN - cached
        return {
            "input_tokens": prompt - cached - created,
            "cache_creation_input_tokens": created,
            "cache_read_input_tokens": cached,
            "output_tokens": given.get("completion_tokens", tokens(len(to_json(content)))),
        }

    def _cache(self, body: dict[str, Any]) -> tuple[int, int, int]:
        """Bytes of the prompt: all, up to the last mark, and up to the longest beginning that is known already."""
        size, sizes, keys, marks, running = 0, [], [], [], sha256()
        for index, (part, is_marked) in enumerate(prompt_parts(body)):
            running.update(part)
            size += len(part)
            sizes.append(size)
            keys.append(running.digest())
            marks += [index] if is_marked else []
        with self._lock:
            known = [
                sizes[index]
                for mark in marks
                for index in range(max(0, mark - _LOOK_BACK), mark + 1)
                if keys[index] in self._cached
            ]
            self._cached.update(keys[mark] for mark in marks)
        return size, max((sizes[mark] for mark in marks), default=0), max(known, default=0)


def _path_refusal(request: KeptRequest) -> Refusal | None:
    path = request.path.partition("?")[0]
    if path not in _METHODS:
        return Refusal("Not Found", 404)
    if request.method != _METHODS[path]:
        return Refusal("Method Not Allowed", 405)
    return None


def _header_refusal(headers: Mapping[str, str], api_key: str | None) -> Refusal | None:
    """The key comes as `x-api-key`; newer clients send it as a bearer."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    own = headers.get("x-api-key", "")
    key = own or (bearer if scheme.lower() == "bearer" else "")
    if not key:
        return Refusal("x-api-key header is required", 401)
    if api_key is not None and key != api_key:
        return Refusal("invalid x-api-key" if own else "Invalid bearer token", 401)
    if not headers.get("anthropic-version"):
        return Refusal("anthropic-version: header is required")
    return None


def _kind(status: int) -> str:
    return _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")


def _headers(number: int) -> dict[str, str]:
    return {"request-id": _request_id(number)}


def _request_id(number: int) -> str:
    return f"req_{number:024}"


def _head(request: KeptRequest) -> dict[str, Any]:
    return {
        "id": f"msg_{request.number:024}",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "stop_sequence": None,
    }


def _content(answer: Answer, number: int) -> list[dict[str, Any]]:
    """Thinking, text and calls. Arguments that are no object have no place outside a stream: they become empty."""
    content: list[dict[str, Any]] = []
    if answer.reasoning:
        signature = signature_of(answer.reasoning)
        content.append({"type": "thinking", "thinking": answer.reasoning, "signature": signature})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    for index, one in enumerate(answer.calls, 1):
        call_id = one.call_id or f"toolu_{number}_{index}"
        content.append({"type": "tool_use", "id": call_id, "name": one.name, "input": _input(one)})
    return content


def _input(one: Call) -> dict[str, Any]:
    try:
        value = json.loads(one.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _block_events(index: int, block: dict[str, Any], arguments: str) -> Iterator[bytes]:
    empty = {"thinking": "", "signature": "", "text": "", "input": {}}
    begun = {name: empty.get(name, value) for name, value in block.items()}
    yield _event("content_block_start", index=index, content_block=begun)
    for delta in _deltas(block, arguments):
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _deltas(block: dict[str, Any], arguments: str) -> Iterator[dict[str, str]]:
    match block["type"]:
        case "thinking":
            for piece in pieces(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "text":
            for piece in pieces(block["text"]):
                yield {"type": "text_delta", "text": piece}
        case "tool_use":
            for piece in ["", *pieces(arguments)]:
                yield {"type": "input_json_delta", "partial_json": piece}


def _finish(answer: Answer) -> str | None:
    finish = answer.finish or ("tool_use" if answer.calls else "end_turn")
    return None if finish == NO_FINISH else _FINISHES.get(finish, finish)


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + b"data: " + to_json({"type": kind, **fields}) + b"\n\n"
