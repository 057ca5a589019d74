"""Reading config.yaml: what is meant, everything that can be wrong, and the two ways that must agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vibeos.values import config_reading
from vibeos.values.config import Config, Setting, load_config, parse_config
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

ORIGIN = Path("/home/me/.vibeos/config.yaml")
FULL = """\
# My settings.
model:
  name: openai:gpt-5   # the big one
  base_url: "http://localhost:8080/v1"
  api_key_env: 'MY_KEY'
  context_window: 200000

memory:
  memory_enabled: true
  user_profile_enabled: off
  memory_char_limit: 3000
  write_approval: yes
  # user_char_limit: 1000
display:
  memory_notifications: off    # off | on | verbose
  platforms: {telegram: {memory_notifications: verbose}, slack: {}}
auxiliary:
  background_review:
    provider: openrouter
    model: google/gemini-3-flash-preview
"""


def parse(text: str) -> Config:
    return parse_config(text, origin=ORIGIN)


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert repr(str(ORIGIN)) in caught.value.message
    assert caught.value.remedy
    return caught.value.message.removeprefix(repr(str(ORIGIN))).lstrip(", ")


# What is meant.


def test_a_file_sets_its_keys_and_the_rest_have_their_defaults() -> None:
    config = parse(FULL)
    assert config.text("model.name") == "openai:gpt-5"
    assert config.text("model.base_url") == "http://localhost:8080/v1"
    assert config.text("model.api_key_env") == "MY_KEY"
    assert config.optional_number("model.context_window") == 200_000
    assert config.optional_number("model.max_output_tokens") is None
    assert config.flag("memory.memory_enabled") is True
    assert config.flag("memory.user_profile_enabled") is False
    assert config.flag("memory.write_approval") is True
    assert config.number("memory.memory_char_limit") == 3000
    assert config.number("memory.user_char_limit") == 1375
    assert config.text("display.memory_notifications") == "off"
    assert config.text("display.platforms.telegram.memory_notifications") == "verbose"
    assert config.text("display.platforms.slack.memory_notifications") == "off"
    assert config.text("auxiliary.background_review.model") == "google/gemini-3-flash-preview"


@pytest.mark.parametrize(
    ("written", "meant"),
    [("on", "on"), ("off", "off"), ("true", "on"), ("false", "off"), ("'off'", "off"), ("OFF", "off")],
)
def test_unquoted_on_and_off_are_words_where_the_documents_mean_words(written: str, meant: str) -> None:
    assert (
        parse(f"display:\n  memory_notifications: {written}\n").text("display.memory_notifications") == meant
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [("on", True), ("off", False), ("yes", True), ("no", False), ("True", True), ('"no"', False)],
)
def test_on_and_off_are_true_and_false_where_the_documents_mean_those(written: str, meant: bool) -> None:
    assert parse(f"memory:\n  write_approval: {written}\n").flag("memory.write_approval") is meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# only a comment\n",
        "---\n",
        "--- \n# a comment\n",
        "\ufeff# a mark\n",
        "{}\n",
        "null\n",
        "~",
        "memory:\n",
        "memory: {}\n",
        "memory: ~\nmodel: null\n",
        "memory:\n  # write_approval: true\n",
        "memory:\n  write_approval: null\n  memory_char_limit:\n",
        "display:\n  platforms:\n    telegram:\n",
    ],
)
def test_what_says_nothing_means_the_defaults(text: str) -> None:
    assert parse(text) == Config()


@pytest.mark.parametrize(
    "text",
    [
        "memory:\n  write_approval: true\n",
        "\ufeffmemory:\n  write_approval: true\n",
        "memory:\r\n  write_approval: true\r\n",
        "memory:\n  write_approval: true",
        "---\nmemory:\n    write_approval: true\n",
        "---\nmemory:\n  write_approval: true\n...\n",
        "%YAML 1.2\n---\nmemory:\n  write_approval: true\n",
        '"memory":\n  \'write_approval\': "true"\n',
        "memory: {write_approval: true}\n",
        "{memory: {write_approval: true}}\n",
        '{"memory": {"write_approval": true}}',
        "memory: {\n  write_approval: true, # yes\n}\n",
        "? memory\n: write_approval: true\n",
        "memory:\n  write_approval: >-\n    true\n",
        "memory:\n  write_approval:\n    true\n",
        "memory: &m\n  write_approval: &yes true\n",
        "memory: {write_approval: true} # a: {b, c: 1}\n",
        "memory:   # memory: twice?\n  write_approval: true # write_approval: false\n",
        "# memory:\n#   write_approval: false\nmemory:\n  # write_approval: false\n  write_approval: true\n",
    ],
)
def test_the_same_is_meant_in_every_way_of_writing_it(text: str) -> None:
    assert parse(text) == parse("memory: {write_approval: true}")
    assert parse(text).flag("memory.write_approval") is True


def test_an_alias_means_what_its_anchor_says() -> None:
    config = parse("memory: &both\n  write_approval: on\nskills: *both\n")
    assert config.flag("memory.write_approval")
    assert config.flag("skills.write_approval")


# Everything that can be wrong.


def test_all_problems_of_a_file_are_reported_at_once_in_the_order_of_their_lines() -> None:
    text = (
        "memory:\n"
        "  memory_char_limit: many\n"
        "  write_aproval: on\n"
        "  write_approval: on\n"
        "  write_approval: off\n"
        "display:\n"
        "  memory_notifications: sometimes\n"
        "modle:\n"
        "  name: x\n"
    )
    assert complaint(text).splitlines() == [
        "has 5 problems:",
        "  line 2: 'memory.memory_char_limit' cannot be 'many'; allowed: a whole number from 1 to 100,000",
        "  line 3: there is no key 'memory.write_aproval'; did you mean 'memory.write_approval'?",
        "  line 5: 'memory.write_approval' stands in line 4 already",
        "  line 7: 'display.memory_notifications' cannot be 'sometimes'; allowed: one of off, on, verbose",
        "  line 8: there is no key 'modle'; did you mean 'model'?",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "memory:\n  write_approval: on\n  write_approval: off\n",
        "memory:\n  write_approval: on\n  'write_approval': off\n",
        'memory:\n  write_approval: on\n  "write_approval": off\n',
        'memory:\n  write_approval: on\n  "write\\u005fapproval": off\n',
        "memory:\n  write_approval: on\n  ? write_approval\n  : off\n",
        "memory: {write_approval: on, write_approval: off}\n",
        'memory: {write_approval: on, "write_approval": off}\n',
        "memory: {\n  write_approval: on,\n  write_approval: off\n}\n",
        "memory: {write_approval, write_approval: on}\n",
        "memory:\n  write_approval: on\nmemory:\n  memory_enabled: on\n",
        "memory:\n  write_approval: on\n\nskills: {write_approval: off}\n\nmemory: {}\n",
        "memory: {write_approval: on} # {, \nmemory: {write_approval: off}\n",
        "memory:\n  write_approval: |-\n    on\n  write_approval: off\n",
        "{memory: {write_approval: on}, memory: {write_approval: off}}",
    ],
)
def test_a_key_that_stands_twice_is_an_error_however_it_is_written(text: str) -> None:
    assert "already" in complaint(text)


@pytest.mark.parametrize(
    "text",
    [
        "model:\n  name: |-\n    name: name\n",
        "model:\n  name: 'name: x, name: y'\n",
        "model:\n  name: openai:name   # name: twice\n  # name: thrice\n",
        "memory:\n  write_approval: on\nskills:\n  write_approval: on\n",
        "model:\n  name: >-\n    name:\n",
    ],
)
def test_what_only_looks_like_a_key_twice_is_none(text: str) -> None:
    assert parse(text).items()


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("memory: [1,\n", 2, "this is not YAML"),
        ("model:\n  name: 'x\n", 3, "this is not YAML"),
        ("memory:\n  a: 1\n b: 2\n", 3, "this is not YAML"),
        ("memory:\n\twrite_approval: on\n", 2, "this is not YAML"),
        ("memory:\n  write_approval:true\n  user_char_limit: 5\n", 3, "this is not YAML"),
        ("memory: *nothing\n", 1, "the alias '*nothing' stands for nothing before it"),
        ("memory: &m [*m]\n", 1, "the alias '*m' stands for nothing before it"),
        ("memory:\n  provider: \u0000\n", 2, "YAML does not allow the character U+0000"),
        ("model:\n\n  name: \u0007\n", 3, "YAML does not allow the character U+0007"),
        ("- 1\n", 1, "the top level is a list, but must be sections, as in 'memory:'"),
        ("# c\nwrite_approval\n", 2, "the top level is the text 'write_approval', but must be sections"),
        ("42\n", 1, "the top level is the text '42'"),
        ("memory: {}\n---\nmemory: {}\n", 2, "a second document begins here"),
        ("memory: {}\n...\n---\n", 3, "a second document begins here"),
        ("memory:\n  write_approval: !!bool true\n", 2, "the tag 'tag:yaml.org,2002:bool' is not understood"),
        ("memory: !mine\n  write_approval: true\n", 1, "the tag '!mine' is not understood"),
        ("!!map {memory: {}}\n", 1, "the tag 'tag:yaml.org,2002:map' is not understood"),
        ("memory:\n  1: 2\n", 2, "the key 1 is not text"),
        ("memory: {}\ntrue: 2\n", 2, "the key 'true' is not text"),
        ("memory: {}\n~: 2\n", 0, "the key 'null' is not text"),
        ("memory: {}\n? [a, b]\n: 2\n", 0, "is not text"),
        ("memory: 5\n", 1, "'memory' cannot be '5'; it is a section, with memory_enabled, "),
        ("memory:\n  - write_approval\n", 1, "'memory' cannot be a list; it is a section"),
        ("model: openai:gpt-5\n", 1, "'model' cannot be 'openai:gpt-5'; it is a section, with name, "),
        ("memory:\n  write_approval:true\n", 1, "a blank must stand behind the ':' of a key"),
        (
            "memory.write_approval: true\n",
            1,
            "'memory.write_approval' has no dots in the file: write 'memory:' and ",
        ),
        (
            "memory:\n  write_approval: [true]\n",
            2,
            "'memory.write_approval' cannot be a list; allowed: true or false",
        ),
        ("memory:\n  write_approval: {a: b}\n", 2, "'memory.write_approval' cannot be a section; allowed"),
        ("memory:\n  memory_char_limit: 2_200\n", 2, "cannot be '2_200'; allowed: a whole number from 1"),
        ("memory:\n  memory_char_limit: 1e3\n", 2, "cannot be '1e3'"),
        ("memory:\n  memory_char_limit: -1\n", 2, "cannot be '-1'"),
        ("memory:\n  memory_char_limit: 99999999999999999999\n", 2, "cannot be '99999999999999999999'"),
        ("memory:\n  memory_char_limit: .inf\n", 2, "cannot be '.inf'"),
        ("memory:\n  # c\n\n  memory_char_limit: &x none\n", 4, "cannot be 'none'"),
        ("model:\n  name: 5\n", 2, "'model.name' cannot be '5'; allowed: text on one line (in quotes if"),
        ("model:\n  name: true\n", 2, "'model.name' cannot be 'true'"),
        ("model:\n  name: |\n    a\n    b\n", 2, "'model.name' cannot be 'a\\nb\\n'"),
        (
            "display:\n  platforms: {Telegram: {memory_notifications: on}}\n",
            2,
            "mean 'display.platforms.telegram'?",
        ),
        (
            "display:\n  platforms: {telegram: on}\n",
            2,
            "'display.platforms.telegram' cannot be 'on'; it is a section",
        ),
        (
            "display:\n  platforms:\n    telegram:\n      colour: red\n",
            4,
            "no key 'display.platforms.telegram.colour'",
        ),
        ("base: &b {write_approval: on}\nmemory:\n  <<: *b\n", 3, "there is no key 'memory.<<'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, what: str) -> None:
    message = complaint(text)
    assert what in message
    assert any(
        one.strip().startswith(f"line {line}: ") == (line > 0) and what in one for one in message.splitlines()
    )


def test_a_secret_in_the_place_of_its_name_is_not_repeated() -> None:
    assert "secret" not in complaint("model:\n  api_key_env: sk-very-secret\n")


@pytest.mark.parametrize("width", [3, 60, 5000])
def test_deep_nesting_ends_in_an_error(width: int) -> None:
    assert complaint("memory: " + "[" * width + "]" * width)
    assert complaint("memory: " + "{a: " * width + "}" * width)


def test_aliases_that_would_fill_the_memory_are_refused_before_they_do() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "its aliases stand for more than 10,000 values" in complaint("\n".join(lines))


# The file itself.


def test_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.yaml") == Config()
    assert load_config(tmp_path / "no" / "such" / "folder" / "config.yaml") == Config()


def test_a_file_is_read_and_each_value_knows_that_it_comes_from_there(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(FULL, encoding="utf-8")
    assert load_config(path) == parse(FULL)
    assert load_config(path).setting("memory.memory_char_limit") == Setting(
        "memory.memory_char_limit", 3000, "file"
    )


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("memory: {write_approval: on}\n", encoding="utf-8")
    (tmp_path / "config.yaml").symlink_to("real.yaml")
    assert load_config(tmp_path / "config.yaml").flag("memory.write_approval")


def make_folder(path: Path) -> None:
    path.mkdir()


def make_link_to_nothing(path: Path) -> None:
    path.symlink_to("not-there.yaml")


def make_link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_latin_1(path: Path) -> None:
    path.write_bytes("# fine\nmodel:\n  name: modèle\n".encode("latin-1"))


def make_utf_16(path: Path) -> None:
    path.write_bytes("memory: {}\n".encode("utf-16"))


def make_huge(path: Path) -> None:
    path.write_bytes(b"#" * 1_000_001)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (make_folder, "is a folder"),
        (make_link_to_nothing, "link to nothing"),
        (make_link_to_itself, "link to nothing"),
        (make_pipe, "is no ordinary file"),
        (make_latin_1, "is not UTF-8 text in line 3"),
        (make_utf_16, "is not UTF-8 text in line 1"),
        (make_huge, "has more than 1,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_never_means_the_defaults(tmp_path: Path, make: object, what: str) -> None:
    path = tmp_path / "config.yaml"
    assert callable(make)
    make(path)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert what in caught.value.message
    assert repr(str(path)) in caught.value.message
    assert caught.value.remedy


def test_a_file_below_a_file_is_unreadable_not_missing(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("I am no folder", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be read: Not a directory"):
        load_config(tmp_path / "home" / "config.yaml")


def test_a_file_without_the_right_to_read_it_is_an_error(
    tmp_path: Path, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("memory: {}\n", encoding="utf-8")
    path.chmod(0)
    with without_root(), pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        load_config(path)


def test_a_folder_without_the_right_to_enter_it_is_an_error(
    tmp_path: Path, without_root: Callable[[], AbstractContextManager[None]]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0)
    with without_root(), pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        load_config(home / "config.yaml")


# The value.


def test_overrides_win_and_keep_their_source() -> None:
    config = parse("model: {name: 'openai:a', base_url: 'http://a'}\n")
    config = config.with_overrides({"model.name": "openai:b", "model.base_url": None}, source="environment")
    config = config.with_overrides({"model.max_output_tokens": "500", "model.base_url": ""}, source="flag")
    assert config.setting("model.name") == Setting("model.name", "openai:b", "environment")
    assert config.setting("model.base_url") == Setting("model.base_url", "http://a", "file")
    assert config.setting("model.max_output_tokens") == Setting("model.max_output_tokens", 500, "flag")
    assert config.setting("model.context_window") == Setting("model.context_window", None, "default")


def test_a_wrong_override_names_where_it_comes_from() -> None:
    with pytest.raises(
        ConfigError, match=r"'model.base_url' cannot be 'x' \(from the environment\); allowed: an address"
    ):
        Config().with_overrides({"model.base_url": "x"}, source="environment")


def test_a_false_override_is_an_override() -> None:
    assert (
        not Config()
        .with_overrides({"memory.memory_enabled": False}, source="flag")
        .flag("memory.memory_enabled")
    )


def test_a_key_set_to_its_default_is_set() -> None:
    config = parse("memory: {write_approval: false}\n")
    assert config.is_set("memory.write_approval")
    assert not config.is_set("memory.memory_enabled")


def test_a_platform_has_the_general_value_until_it_has_its_own() -> None:
    name = "display.platforms.telegram.memory_notifications"
    assert Config().get(name) == "on"
    general = parse("display: {memory_notifications: verbose}\n")
    assert general.setting(name) == Setting(name, "verbose", "file")
    assert not general.is_set(name)
    assert name not in [one.name for one in general.items()]
    own = general.with_overrides({name: "off"}, source="flag")
    assert own.get(name) == "off"
    assert own.items()[-1] == Setting(name, "off", "flag")


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("flag", "model.name"),
        ("flag", "memory.review_every"),
        ("number", "memory.memory_enabled"),
        ("number", "model.context_window"),
        ("number", "model.name"),
        ("optional_number", "memory.memory_enabled"),
        ("text", "memory.memory_enabled"),
        ("text", "model.context_window"),
    ],
)
def test_asking_for_another_kind_of_value_is_a_programming_error(method: str, name: str) -> None:
    with pytest.raises(TypeError, match=name):
        getattr(Config(), method)(name)


@pytest.mark.parametrize("method", ["get", "flag", "number", "text", "is_set", "setting"])
def test_asking_for_an_unknown_key_says_which_was_meant(method: str) -> None:
    with pytest.raises(ConfigError, match=r"did you mean 'memory\.provider'"):
        getattr(Config(), method)("memory.providr")


# The two ways of reading.


def outcome(text: str, *, careful: bool) -> object:
    read = config_reading._read_with_care if careful else config_reading.read_values
    try:
        return read(text, origin=ORIGIN)
    except ConfigError as error:
        return error.message


KEYS_WRITTEN = [
    "memory",
    "write_approval",
    "'write_approval'",
    '"memory"',
    "model",
    "name",
    "display",
    "a",
    "1",
    "true",
]
VALUES_WRITTEN = [
    "", " on", " 5", " x", " 'x'", ' "x"', " 'it''s'", ' "a: b"', " # c", " x # memory: 1", " {}", " {name: x}",
    " {name: x, name: y}", " {write_approval: on, a}", " { a: {a: 1}, }", " {a: 1", " [a: 1, a: 2]", " &x on", " *x",
    " |", " >-", " !!str x", " null", " http://x:1/y", " a: b", "\ton", " x:", " - 1", " ? a", " 'x", " x\ry", " \u0085",
]  # fmt: skip
LINES = st.one_of(
    st.builds(
        lambda indent, key, colon, value: " " * indent + key + colon + value,
        st.sampled_from([0, 0, 2, 2, 4, 1]),
        st.sampled_from(KEYS_WRITTEN),
        st.sampled_from([":", ":", ":", ":", "", " :"]),
        st.sampled_from(VALUES_WRITTEN),
    ),
    st.sampled_from(
        ["", "# c", "  # write_approval: on", "---", "...", "}", "  x", "- a", "  }", "a: 1}", "? a", ": b"]
    ),
    st.text("ab:{},[]#'\"-?!&* \t\r\n|>%", max_size=12),
)
TEXTS = st.builds(
    lambda lines, end: end.join([*lines, ""]), st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"])
)


@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_the_quick_way_and_the_careful_way_have_one_outcome(text: str) -> None:
    assert outcome(text, careful=False) == outcome(text, careful=True)


VALID = st.fixed_dictionaries(
    {},
    optional={
        "memory": st.fixed_dictionaries(
            {}, optional={"write_approval": st.booleans(), "memory_char_limit": st.integers(1, 100_000)}
        ),
        "model": st.fixed_dictionaries({}, optional={"name": st.text("abcxyz/:.-_ жß", max_size=12)}),
        "display": st.fixed_dictionaries(
            {}, optional={"memory_notifications": st.sampled_from(["on", "off", "verbose"])}
        ),
    },
)


@given(VALID, st.booleans())
@settings(max_examples=150, deadline=None)
def test_every_valid_configuration_is_read_back(data: dict[str, dict[str, object]], flow: bool) -> None:
    import json

    written = {
        section: {key: json.dumps(value) for key, value in keys.items()} for section, keys in data.items()
    }
    if flow:
        text = "".join(
            f"{name}: {{{', '.join(f'{k}: {v}' for k, v in keys.items())}}}\n"
            for name, keys in written.items()
        )
    else:
        text = "".join(
            f"{name}:\n" + "".join(f"  {k}: {v}\n" for k, v in keys.items()) for name, keys in written.items()
        )
    read = {name: setting.value for name, setting in parse(text).given.items()}
    assert read == {
        f"{section}.{key}": value for section, keys in data.items() for key, value in keys.items()
    }


@pytest.mark.parametrize("text", [FULL, FULL.replace("\n", "\r\n"), "---\n" + FULL, "", "memory: {}\n"])
def test_a_usual_configuration_is_read_without_the_slow_library(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(text.encode())
    code = (
        "import sys, pathlib\n"
        "from vibeos.values.config import load_config\n"
        "load_config(pathlib.Path(sys.argv[1]))\n"
        "print([name for name in sys.modules if name.startswith(('ruamel', 'difflib', 'yaml12'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['yaml12.yaml12', 'yaml12']"
