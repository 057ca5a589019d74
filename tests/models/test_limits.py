"""Limits that nobody configured: looked up without the network, or a safe guess."""

from __future__ import annotations

from vibeos.ports.models.limits import DEFAULT_CONTEXT_WINDOW, REHEARSAL_CONTEXT_WINDOW, resolve_limits
from vibeos.ports.models.route import parse_route


def test_a_known_model_has_its_own_window() -> None:
    route = resolve_limits(parse_route("openai:gpt-4o"))
    assert route.context_window == 128_000
    assert route.input_limit == 128_000
    assert route.price_step is None


def test_a_model_whose_price_rises_with_length_has_a_price_step() -> None:
    route = resolve_limits(parse_route("openai:gpt-5.4"))
    assert route.price_step is not None
    assert route.context_window is not None
    assert 100_000 <= route.price_step < route.context_window


def test_what_is_configured_stays_as_it_is() -> None:
    route = parse_route("openai:gpt-4o", context_window=9_000, max_output_tokens=500)
    assert resolve_limits(route) == route


def test_an_unknown_model_gets_the_default() -> None:
    route = resolve_limits(
        parse_route("openai:no-such-model-anywhere", base_url="https://models.example.com/v1")
    )
    assert (route.context_window, route.input_limit) == (DEFAULT_CONTEXT_WINDOW, DEFAULT_CONTEXT_WINDOW)


def test_another_address_that_serves_a_known_model_is_looked_up_by_its_name() -> None:
    proxied = resolve_limits(parse_route("openai:gpt-4.1", base_url="https://models.example.com/v1"))
    assert proxied.context_window == resolve_limits(parse_route("openai:gpt-4.1")).context_window
    assert proxied.context_window != DEFAULT_CONTEXT_WINDOW


def test_a_server_on_this_machine_is_not_taken_for_the_model_it_is_named_after() -> None:
    local = resolve_limits(parse_route("openai:gpt-4.1", base_url="http://127.0.0.1:8080/v1"))
    assert local.context_window == DEFAULT_CONTEXT_WINDOW


def test_resolving_twice_changes_nothing() -> None:
    once = resolve_limits(parse_route("openai:gpt-5.4"))
    assert resolve_limits(once) == once


def test_a_model_of_anthropic_has_its_own_window() -> None:
    route = resolve_limits(parse_route("anthropic:claude-opus-4-6"))
    assert (route.context_window or 0) >= 200_000
    assert route.input_limit == route.context_window


def test_an_unknown_model_of_anthropic_gets_the_default() -> None:
    route = resolve_limits(parse_route("anthropic:no-such-model-anywhere"))
    assert (route.context_window, route.price_step) == (DEFAULT_CONTEXT_WINDOW, None)


def test_the_rehearsal_has_a_small_window_and_a_file_says_its_own() -> None:
    assert resolve_limits(parse_route("rehearsal")).context_window == REHEARSAL_CONTEXT_WINDOW
    assert resolve_limits(parse_route("rehearsal", context_window=9_000)).input_limit == 9_000
    local = parse_route("local:model.gguf")
    assert resolve_limits(local) == local


def test_what_the_person_knows_better_wins_over_the_table() -> None:
    route = parse_route("openai:gpt-5.4", context_window=300_000, input_limit=250_000, price_step=123_456)
    resolved = resolve_limits(route)
    assert (resolved.context_window, resolved.input_limit, resolved.price_step) == (300_000, 250_000, 123_456)
