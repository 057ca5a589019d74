"""A request that is too long: every form in which a real endpoint says so, as its whole body, and what only sounds like it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest

from models.asking import ask_model, ask_server, model_at
from models.loopback import EVENTS, Loopback, chunk, events, http, named_events, until_closed
from vibeos.ports.models import Finish
from vibeos.testing import OverflowForm, StrictServer, overflow, reply, stream_error
from vibeos.values.errors import ContextOverflowError, ModelRequestError

if TYPE_CHECKING:
    from vibeos.testing import Step

BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])
NGINX = "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body></body>\r\n</html>\r\n"


def _error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def _anthropic(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


FORMS: dict[str, tuple[int, dict[str, Any] | str]] = {
    "openai": (
        400,
        _error(
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens "
            "(139000 in the messages, 1000 in the functions). Please reduce the length of the messages or functions.",
            type="invalid_request_error",
            param="messages",
            code="context_length_exceeded",
        ),
    ),
    "openai, newer": (
        400,
        _error(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            type="invalid_request_error",
            param="input",
            code="context_length_exceeded",
        ),
    ),
    "openai, only the code": (400, _error("Too big", code="context_length_exceeded")),
    "anthropic, the prompt": (400, _anthropic("prompt is too long: 213462 tokens > 200000 maximum")),
    "anthropic, with the answer": (
        400,
        _anthropic(
            "input length and `max_tokens` exceed context limit: 182530 + 31999 > 200000, decrease input length or "
            "`max_tokens` and try again"
        ),
    ),
    "anthropic, the bytes": (
        413,
        _anthropic("Request exceeds the maximum allowed number of bytes.", "request_too_large"),
    ),
    "vllm": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens "
            "(112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    "vllm, nested": (
        400,
        _error(
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 "
            "tokens and your request has 1210 input tokens (8192 > 8192 - 1210).",
            type="BadRequestError",
            param="max_tokens",
            code=400,
        ),
    ),
    "vllm, engine": (
        400,
        _error(
            "The decoder prompt (length 9012) is longer than the maximum model length of 4096. Make sure that "
            "`max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
            type="BadRequestError",
            code=400,
        ),
    ),
    "vllm, older": (
        400,
        _error(
            "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
            code=400,
        ),
    ),
    "sglang": (
        400,
        {
            "object": "error",
            "message": "The input (85050 tokens) is longer than the model's context length (32768 tokens).",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "tgi": (
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` "
            "tokens and 100 `max_new_tokens`",
            "error_type": "validation",
        },
    ),
    "llama.cpp": (
        400,
        _error(
            "request (8708 tokens) exceeds the available context size (8192 tokens), try increasing it",
            code=400,
            type="exceed_context_size_error",
            n_prompt_tokens=8708,
            n_ctx=8192,
        ),
    ),
    "llama.cpp, older": (
        500,
        _error(
            "the request exceeds the available context size. try increasing the context size or enable context shift",
            code=500,
            type="server_error",
        ),
    ),
    "llama.cpp under a status of 200": (
        200,
        _error(
            "the request exceeds the available context size. try increasing the context size or enable context shift",
            code=400,
            type="exceed_context_size_error",
            n_prompt_tokens=14429,
            n_ctx=8192,
        ),
    ),
    "ollama": (
        400,
        _error(
            "the input length exceeds the context length", type="invalid_request_error", param=None, code=None
        ),
    ),
    "ollama, in a text": (
        400,
        _error(
            '{"error":{"code":400,"message":"request (40123 tokens) exceeds the available context size (4096 tokens), '
            'try increasing it","type":"exceed_context_size_error","n_prompt_tokens":40123,"n_ctx":4096}}',
            type="invalid_request_error",
        ),
    ),
    "lm studio": (
        400,
        {
            "error": "Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with "
            "context length of only 2048 tokens, which is not enough. Try to load the model with a larger context "
            "length, or provide a shorter input"
        },
    ),
    "lm studio, another engine": (
        400,
        {
            "error": "The number of tokens to keep from the initial prompt is greater than the context length "
            "(n_keep: 11832>= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input."
        },
    ),
    "lm studio, mlx": (400, {"error": "Context size has been exceeded."}),
    "google": (
        400,
        {
            "error": {
                "code": 400,
                "message": "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
                "status": "INVALID_ARGUMENT",
            }
        },
    ),
    "xai": (
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        },
    ),
    "mistral": (
        400,
        {
            "object": "error",
            "message": "Prompt contains 40054 tokens and 0 draft tokens, too large for model with 32768 maximum context "
            "length",
            "type": "invalid_request_prompt",
            "code": "3051",
        },
    ),
    "groq, by its rate": (
        413,
        _error(
            "Request too large for model `llama` on tokens per minute (TPM): Limit 12000, Requested 30225, please reduce "
            "your message size and try again.",
            type="tokens",
            code="rate_limit_exceeded",
        ),
    ),
    "moonshot": (
        400,
        _error(
            "Invalid request: Your request exceeded model token limit: 131072 (requested: 140123)",
            type="invalid_request_error",
        ),
    ),
    "minimax": (400, _error("invalid params, context window exceeds limit (2013)", type="bad_request_error")),
    "copilot": (
        400,
        _error(
            "prompt token count of 140012 exceeds the limit of 128000",
            code="model_max_prompt_tokens_exceeded",
        ),
    ),
    "qwen": (
        400,
        _error("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"),
    ),
    "bedrock, through a gateway": (422, {"detail": "Input is too long for requested model."}),
    "openrouter": (
        400,
        _error(
            "This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens "
            "(1227853 of text input, 353 of tool input, 65535 in the output).",
            code=400,
        ),
    ),
    "a gateway, in html": (413, NGINX),
    "a gateway, without a word": (413, ""),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_an_overflow_is_recognised_in_each_form(name: str, provider: str) -> None:
    status, body = FORMS[name]
    if status == 200:  # which no server of the other format has been seen to do
        provider = "openai"
    kind = "application/json" if isinstance(body, dict) else "text/html"
    with (
        Loopback(
            http(json.dumps(body) if isinstance(body, dict) else body, status=status, kind=kind)
        ) as server,
        pytest.raises(ContextOverflowError) as caught,
    ):
        ask_model(model_at(server.base_url, provider=provider, retries=2))
    assert f"too long for '{provider}:strict-model'" in caught.value.message
    assert "new session" in caught.value.remedy
    assert len(server.requests) == 1


@pytest.mark.parametrize("form", get_args(OverflowForm))
def test_the_strict_servers_forms_are_recognised_and_never_asked_again(form: OverflowForm) -> None:
    provider = "anthropic" if form.startswith("anthropic") else "openai"
    with StrictServer([overflow(form)]) as server, pytest.raises(ContextOverflowError):
        ask_server(server, provider=provider, retries=2)
    assert len(server.requests) == 1


@BOTH
def test_the_strict_servers_own_overflow_is_recognised(provider: str) -> None:
    with StrictServer(context_window=1_000) as server, pytest.raises(ContextOverflowError):
        ask_server(server, "x" * 50_000, provider=provider)


@BOTH
@pytest.mark.parametrize("after", [0, 2])
def test_an_overflow_that_comes_as_an_event_of_a_stream_is_recognised(provider: str, after: int) -> None:
    said = "prompt is too long: 213462 tokens > 200000 maximum"
    step: Step = stream_error(status=400, message=said, kind="invalid_request_error", after=after)
    with StrictServer([step]) as server, pytest.raises(ContextOverflowError):
        ask_server(server, provider=provider, retries=2)
    assert len(server.requests) == 1


def test_an_overflow_in_a_stream_needs_no_code_and_no_type() -> None:
    stream = events(_error("The number of tokens to keep is greater than the context length"))
    with Loopback(until_closed(stream)) as server, pytest.raises(ContextOverflowError):
        ask_model(model_at(server.base_url))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            400,
            _error("max_tokens is too large: 99999. This model supports at most 16384 completion tokens."),
        ),
        (
            400,
            _error(
                "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64."
            ),
        ),
        (400, _error("`max_tokens` must be greater than `thinking.budget_tokens`.")),
        (400, _anthropic("max_tokens: 999999 > 64000, which is the maximum allowed number of output tokens")),
        (401, _error("maximum context length")),
        (403, _error("prompt is too long", code="forbidden")),
        (404, _error("The model with the maximum context length of 128k was not found")),
        (
            429,
            _error(
                "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 22999, Requested 9000. Please "
                "try again in 4s.",
                type="tokens",
                code="rate_limit_exceeded",
            ),
        ),
        (429, _error("Rate limit reached: too many tokens per minute; reduce the length of the prompt")),
        (
            429,
            _anthropic(
                "This request would exceed your organization's rate limit of 30,000 input tokens per minute. Please "
                "reduce the prompt length or the maximum tokens requested.",
                "rate_limit_error",
            ),
        ),
        (529, _anthropic("Overloaded", "overloaded_error")),
        (500, _error("Internal server error", type="server_error")),
        (500, ""),
        (502, "<html><title>502 Bad Gateway</title></html>"),
        (400, ""),
        (400, _error("Conversation roles must alternate user/assistant/user/assistant/...")),
    ],
)
@BOTH
def test_what_only_sounds_like_an_overflow_is_none(
    status: int, body: dict[str, Any] | str, provider: str
) -> None:
    text = json.dumps(body) if isinstance(body, dict) else body
    with Loopback(http(text, status=status)) as server, pytest.raises(ModelRequestError) as caught:
        ask_model(model_at(server.base_url, provider=provider))
    assert not isinstance(caught.value, ContextOverflowError)


@BOTH
@pytest.mark.parametrize("finish", ["", "content_filter"])
def test_an_answer_that_quotes_such_a_sentence_is_an_answer(provider: str, finish: str) -> None:
    said = "The log says: prompt is too long: 213462 tokens > 200000 maximum (context_length_exceeded)."
    with StrictServer([reply(said, finish=finish)]) as server:
        got = ask_server(server, provider=provider)
    assert got.text == said
    assert got.finish is (Finish.FILTERED if finish else Finish.FINISHED)


def test_a_refusal_that_quotes_such_a_sentence_is_a_refusal() -> None:
    stream = events(chunk(refusal="I cannot: prompt is too long."), chunk(finish="stop"), b"[DONE]")
    with Loopback(until_closed(stream)) as server:
        assert ask_model(model_at(server.base_url)).finish is Finish.FILTERED


def test_an_error_event_of_anthropic_that_names_the_bytes_is_an_overflow() -> None:
    stream = named_events(
        [_anthropic("Request exceeds the maximum size", "request_too_large") | {"type": "error"}]
    )
    with Loopback(until_closed(stream, kind=EVENTS)) as server, pytest.raises(ContextOverflowError):
        ask_model(model_at(server.base_url, provider="anthropic"))
