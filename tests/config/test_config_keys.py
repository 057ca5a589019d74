"""The table of keys, its sentences, and the documentation made from it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vibeos.values.config import Config
from vibeos.values.config_keys import KEYS, Key, describe_keys, plain_text
from vibeos.values.config_names import checked, find_key, is_section, match_key
from vibeos.values.errors import ConfigError

DOCUMENTED_DEFAULTS = {
    "model.name": "",
    "model.base_url": "",
    "model.api_key_env": "",
    "model.context_window": None,
    "model.max_output_tokens": None,
    "model.input_limit": None,
    "model.price_step": None,
    "agent.max_rounds": 200,
    "tools.dangerous_commands": "ask",
    "memory.memory_enabled": True,
    "memory.user_profile_enabled": True,
    "memory.memory_char_limit": 2200,
    "memory.user_char_limit": 1375,
    "memory.write_approval": False,
    "agent.shell_variables": "without_keys",
    "memory.provider": "",
    "memory.delegation_promote": True,
    "memory.review_every": 10,
    "skills.write_approval": False,
    "display.memory_notifications": "on",
    "display.language": "auto",
    "auxiliary.background_review.provider": "auto",
    "auxiliary.background_review.model": "auto",
}


def test_the_defaults_are_the_documented_ones() -> None:
    assert {one.name: one.value for one in Config().items()} == DOCUMENTED_DEFAULTS


def test_every_default_is_a_value_that_its_key_accepts() -> None:
    for key in KEYS:
        if key.default is not None:
            assert key.accept(key.default) == key.default, key.name


def test_every_value_is_accepted_again_in_the_words_that_write_it() -> None:
    for key in KEYS:
        if key.default is not None:
            assert key.accept(plain_text(key.default)) == key.default, key.name


@pytest.mark.parametrize(
    ("name", "given_value", "meant"),
    [
        ("memory.write_approval", True, True),
        ("memory.write_approval", "on", True),
        ("memory.write_approval", "Yes", True),
        ("memory.write_approval", "TRUE", True),
        ("memory.write_approval", "off", False),
        ("memory.write_approval", "no", False),
        ("display.memory_notifications", True, "on"),
        ("display.memory_notifications", False, "off"),
        ("display.memory_notifications", "true", "on"),
        ("display.memory_notifications", "On", "on"),
        ("display.memory_notifications", "verbose", "verbose"),
        ("display.platforms.telegram.memory_notifications", "off", "off"),
        ("display.language", "ZH", "zh"),
        ("memory.memory_char_limit", "3000", 3000),
        ("memory.memory_char_limit", 1, 1),
        ("memory.memory_char_limit", 100_000, 100_000),
        ("model.context_window", 4000, 4000),
        ("model.context_window", "10000000", 10_000_000),
        ("model.base_url", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("model.base_url", "", ""),
        ("model.api_key_env", "OPENAI_API_KEY", "OPENAI_API_KEY"),
        ("model.name", "openai:gpt-5", "openai:gpt-5"),
        ("model.name", "модель", "модель"),
    ],
)
def test_a_value_means_what_the_table_says(name: str, given_value: object, meant: object) -> None:
    value = checked(name, given_value)
    assert (value, type(value)) == (meant, type(meant))


@pytest.mark.parametrize(
    ("name", "given_value", "allowed"),
    [
        ("memory.write_approval", "maybe", "true or false"),
        ("memory.write_approval", 1, "true or false"),
        ("memory.write_approval", "", "true or false"),
        ("display.memory_notifications", "yes", "one of off, on, verbose"),
        ("display.memory_notifications", 1, "one of off, on, verbose"),
        ("display.language", False, "one of auto, en, ru, zh"),
        ("memory.memory_char_limit", "2,200", "a whole number from 1 to 100,000"),
        ("memory.memory_char_limit", "2_200", "a whole number from 1 to 100,000"),
        ("memory.memory_char_limit", "٣", "a whole number from 1 to 100,000"),
        ("memory.memory_char_limit", 0, "a whole number from 1 to 100,000"),
        ("memory.memory_char_limit", 100_001, "a whole number from 1 to 100,000"),
        ("memory.memory_char_limit", True, "a whole number from 1 to 100,000"),
        ("memory.memory_char_limit", 2200.0, "a whole number from 1 to 100,000"),
        ("model.context_window", 3999, "a whole number, at least 4,000"),
        ("model.max_output_tokens", "", "a whole number, at least 1"),
        ("model.base_url", "localhost:8080", "an address that begins with http:// or https://"),
        ("model.base_url", "http://", "an address that begins with http:// or https://"),
        ("model.base_url", "http://a b", "an address that begins with http:// or https://"),
        ("model.name", 5, "text on one line"),
        ("model.name", "a\nb", "text on one line"),
        ("model.name", "a\u0000", "text on one line"),
        ("model.name", "a\udcff", "text on one line"),
        ("model.name", ["a"], "text on one line"),
    ],
)
def test_a_wrong_value_is_refused_with_the_key_the_value_and_what_is_allowed(
    name: str, given_value: object, allowed: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        checked(name, given_value)
    assert repr(name) in caught.value.message
    assert repr(given_value) in caught.value.message
    assert f"allowed: {allowed}" in caught.value.message


def test_a_long_wrong_value_is_shown_cut() -> None:
    with pytest.raises(ConfigError) as caught:
        checked("memory.memory_char_limit", "9" * 5000)
    assert "'9999" in caught.value.message
    assert len(caught.value.message) < 200


def test_what_looks_like_a_pasted_api_key_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match="never the key itself") as caught:
        checked("model.api_key_env", "sk-very-secret")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("memory.write_aproval", "memory.write_approval"),
        ("memory_char_limit", "memory.memory_char_limit"),
        ("Memory.Write_Approval", "memory.write_approval"),
        ("memroy", "memory"),
        ("model.api_key", "model.api_key_env"),
        ("memory.memory_enabled.deeper", "memory.memory_enabled"),
        ("display.platform.telegram.memory_notifications", "display.platforms.telegram.memory_notifications"),
        ("display.platforms.telegram.notifications", "display.platforms.telegram.memory_notifications"),
    ],
)
def test_an_unknown_key_gets_did_you_mean(name: str, meant: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_key(name)
    assert caught.value.message == f"there is no key {name!r}; did you mean {meant!r}?"


@pytest.mark.parametrize("name", ["", "x", "zzz.qqq", "\u0000", "."])
def test_an_unknown_key_like_no_other_gets_no_guess(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_key(name)
    assert caught.value.message == f"there is no key {name!r}"
    assert "vibeos config show" in caught.value.remedy


def test_a_section_is_no_key_and_the_error_lists_its_keys() -> None:
    with pytest.raises(ConfigError, match="'skills' is a section, not a key; its keys are write_approval"):
        find_key("skills")


@pytest.mark.parametrize(
    ("platform", "is_one"),
    [("telegram", True), ("x-2_y", True), ("", False), ("Telegram", False), ("a b", False), ("-a", False)],
)
def test_any_simple_name_can_be_a_platform(platform: str, is_one: bool) -> None:
    assert (match_key(f"display.platforms.{platform}.memory_notifications") is not None) is is_one
    assert is_section(f"display.platforms.{platform}") is is_one


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_name_finds_a_key_or_the_one_kind_of_error(name: str) -> None:
    if match_key(name):
        assert find_key(name) in KEYS
    else:
        with pytest.raises(ConfigError) as caught:
            find_key(name)
        assert repr(name) in caught.value.message


@given(
    st.sampled_from(KEYS),
    st.one_of(st.text(max_size=30), st.integers(), st.booleans(), st.floats(), st.none()),
)
@settings(max_examples=300, deadline=None)
def test_what_a_key_accepts_it_accepts_again_unchanged(key: Key, given_value: object) -> None:
    try:
        value = key.accept(given_value)
    except ValueError:
        return
    assert key.accept(value) == value
    assert key.accept(plain_text(value)) == value


def test_the_table_in_the_documentation_has_a_row_for_each_key() -> None:
    head, line, *rows = describe_keys().splitlines()
    assert head.count("|") == line.count("|")
    assert [row.split("`")[1] for row in rows] == [key.name for key in KEYS]
    assert all(row.count("|") == head.count("|") for row in rows)
    assert (
        "| `memory.memory_char_limit` | `2200` | a whole number from 1 to 100,000 | Most characters of MEMORY.md. |"
        in rows
    )


def test_the_documentation_says_which_keys_wait_for_what() -> None:
    rows = {row.split("`")[1]: row for row in describe_keys().splitlines()[2:]}
    waiting = {key.name for key in KEYS if key.awaits}
    assert {name for name, row in rows.items() if "comes into effect with" in row} == waiting
    assert "memory.provider" in waiting
    assert "memory.memory_enabled" not in waiting
