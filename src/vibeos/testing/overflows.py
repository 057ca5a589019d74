"""How real endpoints say that a request is too long: status and body, as each of them sends it.

They were taken from what people met and reported, not from descriptions. LM Studio says it in a stream with an error
event behind a status of 200, so it has two forms; a gateway that counts bytes answers in HTML.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, get_args

from vibeos.testing.steps import Answer, BadStream, Fault, Step

if TYPE_CHECKING:
    from collections.abc import Callable

OverflowForm = Literal[
    "openai",
    "anthropic",
    "anthropic_sum",
    "vllm",
    "llamacpp",
    "ollama",
    "lmstudio",
    "lmstudio_stream",
    "gateway413",
]

_HTML = (
    "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n"
    "<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)
_REPLY_ROOM = 8_192
_REQUEST_ID = "req_000000000000000000000000"


def overflow(form: OverflowForm, *, tokens: int = 215_000, limit: int = 200_000) -> Step:
    """A step in which the request of so many tokens is longer than the model takes, said in one vendor's form."""
    assert form in get_args(OverflowForm), f"{form!r} is none of {', '.join(get_args(OverflowForm))}"
    if form == "gateway413":
        return Step(Fault(413, headers={"Content-Type": "text/html"}, body=_HTML.encode()))
    body = _body(form, tokens, limit)
    failed = Fault(400, body=json.dumps(body, separators=(",", ":")).encode())
    if form == "lmstudio_stream":
        return Step(BadStream(Answer(), "error", 0, failed))
    return Step(failed)


def _body(form: OverflowForm, tokens: int, limit: int) -> dict[str, Any]:
    forms: dict[str, Callable[[int, int], dict[str, Any]]] = {
        "openai": _openai,
        "anthropic": _anthropic,
        "anthropic_sum": _anthropic_sum,
        "vllm": _vllm,
        "llamacpp": _llamacpp,
        "ollama": _ollama,
        "lmstudio": _lmstudio,
        "lmstudio_stream": _lmstudio_stream,
    }
    return forms[form](tokens, limit)


def _openai(tokens: int, limit: int) -> dict[str, Any]:
    message = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    kind, code = "invalid_request_error", "context_length_exceeded"
    return {"error": {"message": message, "type": kind, "param": "messages", "code": code}}


def _anthropic(tokens: int, limit: int) -> dict[str, Any]:
    return _anthropic_error(f"prompt is too long: {tokens} tokens > {limit} maximum")


def _anthropic_sum(tokens: int, limit: int) -> dict[str, Any]:
    """The prompt alone fits; with the room for the answer it does not."""
    prompt = min(tokens, limit - 1)
    return _anthropic_error(
        f"input length and `max_tokens` exceed context limit: {prompt} + {_REPLY_ROOM} > {limit}, "
        "decrease input length or `max_tokens` and try again"
    )


def _anthropic_error(message: str) -> dict[str, Any]:
    error = {"type": "invalid_request_error", "message": message}
    return {"type": "error", "error": error, "request_id": _REQUEST_ID}


def _vllm(tokens: int, limit: int) -> dict[str, Any]:
    message = (
        f"This model's maximum context length is {limit} tokens. However, your request has {tokens} input tokens. "
        "Please reduce the length of the input messages."
    )
    return {"error": {"message": message, "type": "BadRequestError", "param": None, "code": 400}}


def _llamacpp(tokens: int, limit: int) -> dict[str, Any]:
    message = (
        f"request ({tokens} tokens) exceeds the available context size ({limit} tokens), try increasing it"
    )
    return {
        "error": {
            "code": 400,
            "message": message,
            "type": "exceed_context_size_error",
            "n_prompt_tokens": tokens,
            "n_ctx": limit,
        }
    }


def _ollama(tokens: int, limit: int) -> dict[str, Any]:
    """What the server below it said, as it said it, in a text."""
    inner = json.dumps(_llamacpp(tokens, limit), separators=(",", ":"))
    return {"error": {"message": inner, "type": "invalid_request_error", "param": None, "code": None}}


def _lmstudio(tokens: int, limit: int) -> dict[str, Any]:
    return {
        "error": "The number of tokens to keep from the initial prompt is greater than the context length "
        f"(n_keep: {tokens}>= n_ctx: {limit}). Try to load the model with a larger context length, or provide a "
        "shorter input."
    }


def _lmstudio_stream(tokens: int, limit: int) -> dict[str, Any]:
    return {"error": {"message": _lmstudio(tokens, limit)["error"]}}
