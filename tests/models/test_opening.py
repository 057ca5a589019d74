"""From a route to a model: which kind, with which limits, and what it costs before anything is asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

from models.asking import ask_model
from vibeos.ports.models import NetworkModel, Patience, open_model, parse_route
from vibeos.ports.models.limits import DEFAULT_CONTEXT_WINDOW
from vibeos.testing import StrictServer, fault, reply
from vibeos.values.errors import ModelNotConfiguredError


@pytest.mark.parametrize("name", ["openai:gpt-4.1", "anthropic:claude-opus-4-6"])
def test_a_known_model_comes_with_its_limits(name: str) -> None:
    route = open_model(parse_route(name), "key").route
    assert route.name == name
    assert (route.context_window or 0) > DEFAULT_CONTEXT_WINDOW
    assert route.input_limit == route.context_window


@pytest.mark.parametrize("name", ["openai:nobody-knows-it", "anthropic:nobody-knows-it"])
def test_an_unknown_model_comes_with_a_safe_guess(name: str) -> None:
    route = open_model(parse_route(name), "key").route
    assert (route.context_window, route.input_limit, route.price_step) == (DEFAULT_CONTEXT_WINDOW,) * 2 + (
        None,
    )


@pytest.mark.parametrize("name", ["openai:gpt-4.1", "anthropic:claude-opus-4-6"])
def test_what_is_configured_wins(name: str) -> None:
    route = open_model(parse_route(name, context_window=9_000, max_output_tokens=700), "key").route
    assert (route.context_window, route.input_limit, route.max_output_tokens) == (9_000, 9_000, 700)


def test_the_rehearsal_has_a_small_window_of_its_own() -> None:
    assert open_model(parse_route("rehearsal")).route.context_window == 32_000
    assert open_model(parse_route("rehearsal", context_window=8_000)).route.context_window == 8_000


def test_a_missing_key_is_told_before_anything_is_asked() -> None:
    with pytest.raises(ModelNotConfiguredError, match="ANTHROPIC_API_KEY is not set"):
        open_model(parse_route("anthropic:claude-opus-4-6"))


def test_an_opened_model_asks_again_what_may_pass() -> None:
    with StrictServer([fault(503, headers={"retry-after-ms": "1"}), reply("here")]) as server:
        model = open_model(parse_route("openai:strict-model", base_url=server.base_url))
        assert ask_model(model).text == "here"


def test_an_opened_model_asks_once_when_it_is_told_to() -> None:
    with StrictServer([fault(503), reply("never")]) as server:
        model = open_model(
            parse_route("openai:strict-model", base_url=server.base_url), patience=Patience(retries=0)
        )
        with pytest.raises(Exception, match="HTTP 503"):
            ask_model(model)
    assert len(server.requests) == 1


def test_opening_loads_no_model_library_and_shows_no_key() -> None:
    program = (
        "import sys; from vibeos.ports.models import open_model, parse_route\n"
        "for name in ('openai:gpt-5', 'anthropic:claude'): open_model(parse_route(name), 'sk-secret')\n"
        "print(*[n for n in ('pydantic_ai', 'openai', 'anthropic', 'httpx2', 'genai_prices') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
    assert "secret" not in repr(NetworkModel(parse_route("openai:gpt-5"), "sk-secret"))
