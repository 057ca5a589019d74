"""Routes: what the configuration may say, and what it is told when it cannot be used."""

from __future__ import annotations

import pytest

from vibeos.ports.models.route import ANTHROPIC_ADDRESS, OPENAI_ADDRESS, parse_route, require_key
from vibeos.values.errors import ModelNotConfiguredError


def test_a_route_holds_what_the_configuration_says() -> None:
    route = parse_route(
        " openai:gpt-5 ",
        base_url="https://models.example.com/v1/",
        api_key_env="EXAMPLE_KEY",
        context_window=64_000,
        max_output_tokens=4_000,
    )
    assert (route.name, route.provider, route.model) == ("openai:gpt-5", "openai", "gpt-5")
    assert (route.base_url, route.address) == ("https://models.example.com/v1",) * 2
    assert route.api_key_env == "EXAMPLE_KEY"
    assert (route.context_window, route.input_limit, route.max_output_tokens) == (64_000, 64_000, 4_000)


def test_without_an_address_the_provider_has_its_own() -> None:
    route = parse_route("openai:gpt-5")
    assert (route.base_url, route.address, route.api_key_env) == ("", OPENAI_ADDRESS, "OPENAI_API_KEY")
    assert route.needs_key


def test_a_model_may_have_colons_and_slashes_in_its_name() -> None:
    assert parse_route("openai:qwen2.5:7b-instruct").model == "qwen2.5:7b-instruct"
    assert parse_route("openai:acme/coder").model == "acme/coder"


def test_anthropic_has_an_address_and_a_key_of_its_own() -> None:
    route = parse_route("anthropic:claude-sonnet-5")
    assert (route.name, route.provider, route.model) == (
        "anthropic:claude-sonnet-5",
        "anthropic",
        "claude-sonnet-5",
    )
    assert (route.base_url, route.address, route.api_key_env) == ("", ANTHROPIC_ADDRESS, "ANTHROPIC_API_KEY")
    assert route.needs_key


@pytest.mark.parametrize("name", ["rehearsal", "rehearsal:", " rehearsal ", "rehearsal: "])
def test_the_rehearsal_needs_nothing_at_all(name: str) -> None:
    route = parse_route(name, base_url="https://models.example.com/v1", api_key_env="EXAMPLE_KEY")
    assert (route.name, route.provider, route.model) == ("rehearsal", "rehearsal", "")
    assert (route.base_url, route.address, route.api_key_env) == ("", "", "")
    assert not route.needs_key
    assert require_key(route, "") == ""


def test_the_rehearsal_takes_no_model() -> None:
    with pytest.raises(ModelNotConfiguredError, match="the rehearsal is one itself") as caught:
        parse_route("rehearsal:gpt-5")
    assert "'rehearsal'" in caught.value.remedy


@pytest.mark.parametrize("path", ["model.gguf", "/models/My Model Q4.gguf", "C:\\models\\a.gguf", "~/м.gguf"])
def test_a_local_model_is_a_file_and_needs_no_key(path: str) -> None:
    route = parse_route(f"local:{path}", base_url="https://models.example.com/v1", api_key_env="EXAMPLE_KEY")
    assert (route.name, route.provider, route.model) == (f"local:{path}", "local", path)
    assert (route.address, route.api_key_env, route.is_loopback) == ("", "", True)
    assert not route.needs_key


@pytest.mark.parametrize("name", ["local:", "local: ", "local:a\nb", "local:a\0b"])
def test_a_local_route_without_a_file_is_refused(name: str) -> None:
    with pytest.raises(ModelNotConfiguredError, match="does not name a file") as caught:
        parse_route(name)
    assert "local:FILE.gguf" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt-5", "openai:gpt-5"),
        ("openia:gpt-5", "openai:gpt-5"),
        ("OpenAI:gpt-5", "openai:gpt-5"),
        ("openai/gpt-5", "openai:gpt-5"),
        ("antropic:claude", "anthropic:claude"),
        ("local", "openai:local"),
        ("anthropic/claude", "anthropic:claude"),
        ("qwen2.5:7b", "openai:qwen2.5:7b"),
    ],
)
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(name: str, meant: str) -> None:
    with pytest.raises(ModelNotConfiguredError) as caught:
        parse_route(name)
    assert repr(name.partition(":")[0])[1:-1] in caught.value.message
    assert repr(meant) in caught.value.remedy
    assert "begins with openai:" in caught.value.remedy


@pytest.mark.parametrize("name", ["openai:", "openai: ", "openai:a b", "openai:a\nb", "anthropic:"])
def test_a_name_without_a_usable_model_is_refused(name: str) -> None:
    with pytest.raises(ModelNotConfiguredError, match="does not name a model"):
        parse_route(name)


@pytest.mark.parametrize("name", ["", "  "])
def test_no_name_at_all_is_answered_with_how_to_configure_one_in_three_lines(name: str) -> None:
    with pytest.raises(ModelNotConfiguredError) as caught:
        parse_route(name)
    assert caught.value.message == "No model is configured"
    assert len(caught.value.remedy.splitlines()) == 3


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("127.0.0.1:8080", "not an http"),
        ("ftp://example.com", "not an http"),
        ("http://", "not an http"),
        ("http://exa mple.com/v1", "not an http"),
        ("http://example.com:port/v1", "not an http"),
        ("http://[::1/v1", "not an http"),
        ("https://example.com/v1?version=2", "a query"),
        ("https://example.com/v1#part", "a query"),
        ("https://example.com/v1/chat/completions", "adds by itself"),
        ("https://example.com/v1/chat/completions/", "adds by itself"),
        ("https://example.com/v1/messages", "adds by itself"),
    ],
)
def test_an_address_that_cannot_work_is_refused_with_the_reason(address: str, fault: str) -> None:
    with pytest.raises(ModelNotConfiguredError, match=fault) as caught:
        parse_route("openai:m", base_url=address)
    assert "http://127.0.0.1:8080/v1" in caught.value.remedy


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ModelNotConfiguredError, match="a user name or a password") as caught:
        parse_route("openai:m", base_url="https://me:hunter2@example.com/v1")
    assert "hunter2" not in str(caught.value)
    assert "example.com" in str(caught.value)


@pytest.mark.parametrize("key", ["context_window", "max_output_tokens"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_size_that_is_no_size_is_refused_by_name(key: str, value: int) -> None:
    with pytest.raises(ModelNotConfiguredError, match=f"model.{key} is {value}"):
        parse_route(
            "openai:m",
            context_window=value if key == "context_window" else None,
            max_output_tokens=value if key == "max_output_tokens" else None,
        )


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8080/v1",
        "http://127.8.9.1/v1",
        "http://localhost:1234/v1",
        "http://LOCALHOST/v1",
        "http://[::1]:80",
    ],
)
def test_a_server_on_this_machine_needs_no_key(address: str) -> None:
    route = parse_route("openai:m", base_url=address)
    assert route.is_loopback
    assert require_key(route, "") == ""


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://api.example.com/v1",
        "http://127.0.0.1.example.com/v1",
        "http://localhost.example.com/v1",
        "http://10.0.0.1/v1",
        "http://[::2]/v1",
    ],
)
def test_any_other_server_needs_a_key_and_the_variable_is_named(address: str) -> None:
    route = parse_route("openai:m", base_url=address, api_key_env="MY_KEY")
    with pytest.raises(ModelNotConfiguredError, match="MY_KEY is not set") as caught:
        require_key(route, " ")
    assert "MY_KEY" in caught.value.remedy
    assert require_key(route, " secret\n") == "secret"


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "кл\u044eч", "nul\x00"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ModelNotConfiguredError, match="OPENAI_API_KEY") as caught:
        require_key(parse_route("openai:m"), key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "base_url", ["https://api.example.com/v1", "http://127.0.0.1:8080/v1", "http://10.0.0.1/v1"]
)
def test_the_key_of_a_provider_goes_to_no_other_address_unasked(base_url: str) -> None:
    assert parse_route("openai:m", base_url=base_url).api_key_env == ""
    assert parse_route("anthropic:m", base_url=base_url).api_key_env == ""
    assert parse_route("openai:m", base_url=base_url, api_key_env="MY_KEY").api_key_env == "MY_KEY"


@pytest.mark.parametrize("base_url", ["", "https://api.openai.com/v1"])
def test_the_key_of_openai_goes_to_openai(base_url: str) -> None:
    assert parse_route("openai:m", base_url=base_url).api_key_env == "OPENAI_API_KEY"


def test_a_variable_that_is_named_and_not_set_is_said_wherever_the_server_is() -> None:
    for address in ("https://models.example.com/v1", "http://127.0.0.1:8080/v1"):
        route = parse_route("openai:m", base_url=address, api_key_env="MY_KEY")
        with pytest.raises(ModelNotConfiguredError, match="MY_KEY is not set"):
            require_key(route, "")
    assert require_key(parse_route("openai:m", base_url="http://127.0.0.1:8080/v1"), "") == ""
