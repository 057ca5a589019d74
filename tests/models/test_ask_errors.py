"""What goes wrong at a provider, or on the way to it, said in words with what to do next."""

from __future__ import annotations

import socket

import pytest

from models.asking import ask_model, ask_server, model_at
from vibeos.ports.models import parse_route
from vibeos.testing import Step, StrictServer, drop, fault, reply
from vibeos.values.errors import ContextOverflowError, ModelRequestError, ModelUnavailableError


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
        model = model_at(server.base_url.removesuffix("/v1"))
        with pytest.raises(ModelRequestError, match="has no such page") as caught:
            ask_model(model)
    assert "usually ends in /v1" in caught.value.remedy


def test_a_server_that_is_not_there_is_named_by_its_address() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with pytest.raises(ModelUnavailableError) as caught:
        ask_model(model_at(address))
    assert f"Nothing answers at {address}" in caught.value.message
    assert "Start the server" in caught.value.remedy


def test_an_address_elsewhere_that_does_not_answer_points_at_the_network() -> None:
    from pydantic_ai.exceptions import ModelConnectionError

    from vibeos.ports.models.faults import Scene, as_request_error

    route = parse_route("openai:m", base_url="https://models.example.com/v1")
    unreachable = ModelConnectionError("m", "Connection error.", phase="connect")
    unreachable.__cause__ = OSError("Name or service not known")
    error = as_request_error(unreachable, Scene(route))
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


def test_a_refused_request_is_not_sent_again() -> None:
    with StrictServer([fault(400, "no"), reply("never")]) as server, pytest.raises(ModelRequestError):
        ask_server(server, retries=2)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("provider", "step"),
    [
        ("openai", fault(429, "You exceeded your current quota", code="insufficient_quota")),
        ("openai", fault(402, "Insufficient credits")),
        ("anthropic", fault(400, "Your credit balance is too low to access the Anthropic API.")),
        ("anthropic", fault(402, "Your account has no credit.", kind="billing_error")),
    ],
)
def test_used_up_credit_is_not_called_a_rate_limit_and_not_asked_again(provider: str, step: Step) -> None:
    with StrictServer([step]) as server, pytest.raises(ModelRequestError, match="credit or quota") as caught:
        ask_server(server, provider=provider, retries=2)
    assert "billing" in caught.value.remedy
    assert not isinstance(caught.value, ModelUnavailableError)


def test_a_request_that_is_longer_than_the_accounts_rate_is_not_asked_again() -> None:
    said = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000."
    with (
        StrictServer([fault(429, said, code="rate_limit_exceeded")]) as server,
        pytest.raises(ModelRequestError, match="no request of this length") as caught,
    ):
        ask_server(server, retries=2)
    assert "model.context_window" in caught.value.remedy
    assert not isinstance(caught.value, ContextOverflowError)


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
