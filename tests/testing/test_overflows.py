"""Each vendor's way to say that a request is too long, byte for byte as people met it."""

from __future__ import annotations

from typing import get_args

import anthropic
import openai
import pytest

from testing.speaking import ANTHROPIC, OPENAI, chat, post
from vibeos.testing import OverflowForm, StrictServer, overflow

BODIES = {
    "openai": (400, b'{"error":{"message":"This model\'s maximum context length is 8 tokens. However, your messages resulted in 9 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}'),
    "anthropic": (400, b'{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"},"request_id":"req_000000000000000000000000"}'),
    "anthropic_sum": (400, b'{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 7 + 8192 > 8, decrease input length or `max_tokens` and try again"},"request_id":"req_000000000000000000000000"}'),
    "vllm": (400, b'{"error":{"message":"This model\'s maximum context length is 8 tokens. However, your request has 9 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}}'),
    "llamacpp": (400, b'{"error":{"code":400,"message":"request (9 tokens) exceeds the available context size (8 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}'),
    "ollama": (400, b'{"error":{"message":"{\\"error\\":{\\"code\\":400,\\"message\\":\\"request (9 tokens) exceeds the available context size (8 tokens), try increasing it\\",\\"type\\":\\"exceed_context_size_error\\",\\"n_prompt_tokens\\":9,\\"n_ctx\\":8}}","type":"invalid_request_error","param":null,"code":null}}'),
    "lmstudio": (400, b'{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9>= n_ctx: 8). Try to load the model with a larger context length, or provide a shorter input."}'),
    "gateway413": (413, b"<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("form", sorted(BODIES))
def test_it_has_the_status_and_the_body_of_the_real_one(form: OverflowForm, *, streamed: bool) -> None:
    with StrictServer([overflow(form, tokens=9, limit=8)]) as server:
        answer = post(server, OPENAI, chat(OPENAI, stream=streamed))
    assert (answer.status, answer.raw) == BODIES[form]
    html = form == "gateway413"
    assert answer.headers["content-type"] == ("text/html" if html else "application/json")


def test_lm_studio_says_it_in_a_stream_behind_a_status_of_200() -> None:
    with StrictServer([overflow("lmstudio_stream", tokens=9, limit=8)]) as server:
        answer = post(server, OPENAI, chat(OPENAI, stream=True))
    ((_, value),) = answer.events
    assert answer.status == 200
    assert "greater than the context length (n_keep: 9>= n_ctx: 8)" in value["error"]["message"]


def test_every_form_is_held_here() -> None:
    assert {*BODIES, "lmstudio_stream"} == set(get_args(OverflowForm))


def test_a_form_that_nobody_has_is_refused() -> None:
    with pytest.raises(AssertionError, match="'fax' is none of openai"):
        overflow("fax")  # type: ignore[arg-type]


def test_the_sdks_take_them_for_refusals() -> None:
    with StrictServer([overflow("vllm"), overflow("anthropic")]) as server:
        with (
            openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0) as client,
            pytest.raises(openai.BadRequestError, match="maximum context length is 200000"),
        ):
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}])
        with (
            anthropic.Anthropic(api_key="k", base_url=server.root_url, max_retries=0) as other,
            pytest.raises(anthropic.BadRequestError, match="prompt is too long: 215000"),
        ):
            other.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "hello"}])
    assert [one.path for one in server.requests] == [OPENAI, ANTHROPIC]
