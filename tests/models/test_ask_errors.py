"""What goes wrong at a provider, or on the way to it, said in words with what to do next."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from models.asking import ask_server
from vibeos.ports.models import Patience, ask, parse_route, user_request
from vibeos.testing import StrictServer, drop, fault, reply
from vibeos.values.errors import ContextOverflowError, ModelRequestError


def test_a_wrong_key_names_the_variable_and_not_the_key() -> None:
    with StrictServer(api_key="right") as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server, api_key="sk-wrong-and-secret")
    assert "refused the key (HTTP 401)" in caught.value.message
    assert "model.api_key_env" in caught.value.remedy
    assert "secret" not in str(caught.value)


def test_a_key_that_a_provider_repeats_is_not_shown() -> None:
    with (
        StrictServer([fault(403, "key sk-secret may not")]) as server,
        pytest.raises(ModelRequestError) as caught,
    ):
        ask_server(server, api_key="sk-secret")
    assert "key *** may not" in caught.value.message
    assert "sk-secret" not in str(caught.value)


def test_a_missing_key_on_a_local_server_that_wants_one_is_told_the_same_way() -> None:
    with StrictServer(api_key="right") as server, pytest.raises(ModelRequestError, match="refused the key"):
        ask_server(server)


def test_an_unknown_model_is_named() -> None:
    with StrictServer(models=["known"]) as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server, model="unknown")
    assert "does not know the model 'unknown' (HTTP 404)" in caught.value.message
    assert "model.name" in caught.value.remedy


def test_an_address_without_such_a_page_points_at_the_address() -> None:
    with StrictServer() as server:
        route = parse_route("openai:m", base_url=server.base_url.removesuffix("/v1"))
        with pytest.raises(ModelRequestError, match="has no such page") as caught:
            asyncio.run(ask(route, api_key="", system="", tools=(), messages=[user_request("x")]))
    assert "usually ends in /v1" in caught.value.remedy


def test_a_server_that_is_not_there_is_named_by_its_address() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    route = parse_route("openai:m", base_url=address)
    with pytest.raises(ModelRequestError) as caught:
        asyncio.run(
            ask(
                route,
                api_key="",
                system="",
                tools=(),
                messages=[user_request("x")],
                patience=Patience(retries=0),
            )
        )
    assert f"Nothing answers at {address}" in caught.value.message
    assert "Start the server" in caught.value.remedy


def test_an_address_elsewhere_that_does_not_answer_points_at_the_network() -> None:
    from pydantic_ai.exceptions import ModelConnectionError

    from vibeos.ports.models.faults import as_request_error

    route = parse_route("openai:m", base_url="https://models.example.com/v1")
    unreachable = ModelConnectionError("m", "Connection error.", phase="connect")
    unreachable.__cause__ = OSError("Name or service not known")
    error = as_request_error(unreachable, route=route)
    assert error.message == "Nothing answers at https://models.example.com/v1: Name or service not known"
    assert error.remedy == "Check the network, and model.base_url."


@pytest.mark.parametrize("midway", [False, True])
def test_a_connection_that_breaks_is_told(midway: bool) -> None:
    with (
        StrictServer([drop(midway=midway)]) as server,
        pytest.raises(ModelRequestError, match="closed the connection"),
    ):
        ask_server(server)


def test_a_server_that_takes_too_long_is_given_up() -> None:
    with (
        StrictServer([reply("late", delay=5)]) as server,
        pytest.raises(ModelRequestError, match="did not answer in time"),
    ):
        ask_server(server, answer=0.2)


def test_too_many_requests_are_sent_again_and_then_told_with_the_wait() -> None:
    limited = fault(429, "slow down", code="rate_limit_exceeded", headers={"retry-after-ms": "10"})
    with StrictServer([limited] * 3) as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server, retries=2)
    assert len(server.requests) == 3
    assert "takes no more requests for now (HTTP 429" in caught.value.message
    assert "slow down" in caught.value.message


def test_a_fault_that_passes_is_not_seen_by_anyone() -> None:
    passing = {"retry-after-ms": "10"}
    script = [fault(429, headers=passing), fault(503, headers=passing), reply("here")]
    with StrictServer(script) as server:
        assert ask_server(server, retries=2).text == "here"
    server.assert_used_up()
    assert len({one.raw for one in server.requests}) == 1


def test_a_refused_request_is_not_sent_again() -> None:
    with StrictServer([fault(400, "no"), reply("never")]) as server, pytest.raises(ModelRequestError):
        ask_server(server, retries=2)
    assert len(server.requests) == 1


def test_used_up_credit_is_not_called_a_rate_limit() -> None:
    broke = fault(429, "quota", code="insufficient_quota", headers={"x-should-retry": "false"})
    with StrictServer([broke]) as server, pytest.raises(ModelRequestError, match="credit or quota") as caught:
        ask_server(server)
    assert "billing" in caught.value.remedy


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_failing_server_is_told_with_its_status(status: int) -> None:
    with StrictServer([fault(status, "oops")]) as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server)
    assert f"failed (HTTP {status}): 'oops'" in caught.value.message
    assert "Try again" in caught.value.remedy


@pytest.mark.parametrize("status", [400, 405, 409, 422])
def test_any_other_refusal_quotes_the_provider(status: int) -> None:
    with (
        StrictServer([fault(status, "because\nof this")]) as server,
        pytest.raises(ModelRequestError) as caught,
    ):
        ask_server(server)
    assert f"refused the request (HTTP {status}): 'because of this'" in caught.value.message
    assert not isinstance(caught.value, ContextOverflowError)


def test_the_strict_servers_own_overflow_is_recognised() -> None:
    with StrictServer(context_window=1_000) as server, pytest.raises(ContextOverflowError) as caught:
        ask_server(server, "x" * 5_000)
    assert "too long for 'openai:strict-model'" in caught.value.message
    assert "new session" in caught.value.remedy


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "Too big", "code": "context_length_exceeded"}}),
        (400, {"error": {"message": "This model's maximum context length is 4096 tokens."}}),
        (
            400,
            {"message": "This model's maximum context length is 4096 tokens. However, you requested 9000."},
        ),
        (
            400,
            {
                "error": {
                    "message": "the request exceeds the available context size",
                    "type": "exceed_context_size_error",
                }
            },
        ),
        (
            400,
            {
                "error": {
                    "code": 400,
                    "message": "request (36146 tokens) exceeds the available context size (32768 tokens)",
                }
            },
        ),
        (500, {"error": {"message": "the request exceeds the available context size. try increasing it"}}),
        (400, {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
        (
            400,
            {
                "error": {
                    "message": "This model's maximum prompt length is 131072 but the request contains 140000"
                }
            },
        ),
        (
            400,
            {
                "error": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
            },
        ),
        (422, {"detail": "Input is too long for requested model."}),
        (413, {"error": {"message": "Please reduce the length of the messages or completion."}}),
        (400, {"error": {"message": "The number of tokens to keep is greater than the context length"}}),
        (200, {"error": {"message": "maximum context length is 8192 tokens", "code": 400}}),
    ],
)
def test_an_overflow_is_recognised_in_each_dialect(status: int, body: dict[str, object]) -> None:
    with StrictServer([fault(status, body=json.dumps(body))]) as server, pytest.raises(ContextOverflowError):
        ask_server(server)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "max_tokens is too large: 99999. This model supports at most 16384 completion tokens"),
        (400, "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64"),
        (401, "maximum context length"),
        (429, "Rate limit reached: too many tokens per minute"),
    ],
)
def test_what_only_sounds_like_an_overflow_is_none(status: int, message: str) -> None:
    with StrictServer([fault(status, message)]) as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server)
    assert not isinstance(caught.value, ContextOverflowError)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", "<html><title>Welcome</title></html>"),
        ("application/json", "<html>"),
        ("application/json", ""),
        ("application/json", "null"),
        ("application/json", "{}"),
        ("application/json", '{"choices": []}'),
        ("application/json", '{"choices": 5}'),
        ("application/json", "[" * 100_000),
    ],
)
def test_an_answer_of_another_kind_of_server_points_at_the_address(content_type: str, body: str) -> None:
    script = [fault(200, body=body, headers={"content-type": content_type})]
    with (
        StrictServer(script) as server,
        pytest.raises(ModelRequestError, match="not of the OpenAI chat") as caught,
    ):
        ask_server(server)
    assert "model.base_url" in caught.value.remedy
    assert len(caught.value.message) < 500


def test_a_redirect_is_named_and_not_followed() -> None:
    with StrictServer([reply("never")]) as elsewhere:
        target = f"{elsewhere.base_url}/chat/completions"
        script = [fault(307, body="", headers={"location": target})]
        with (
            StrictServer(script) as server,
            pytest.raises(ModelRequestError, match="does not follow") as caught,
        ):
            ask_server(server, api_key="secret")
        assert elsewhere.requests == []
    assert target in caught.value.message


def test_an_error_body_of_any_form_is_quoted_on_one_short_line() -> None:
    for body in (
        "plain words",
        '{"detail": [{"msg": "bad"}]}',
        '{"error": "text"}',
        '["x"]',
        "x" * 10_000,
        "",
    ):
        with StrictServer([fault(400, body=body)]) as server, pytest.raises(ModelRequestError) as caught:
            ask_server(server)
        assert "\n" not in caught.value.message
        assert len(caught.value.message) < 500


def test_an_error_keeps_its_cause() -> None:
    with StrictServer([fault(500)]) as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server)
    assert caught.value.__cause__ is not None
