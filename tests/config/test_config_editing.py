"""Editing config.yaml: only the lines of the key change, and nothing is written that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vibeos.app.config_file import set_value, unset_value
from vibeos.ports.guard.files import atomic_write
from vibeos.values.config import Config, load_config, parse_config
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

ORIGIN = Path("/home/me/.vibeos/config.yaml")
NEW_VALUES = {
    "model.name": "openai:gpt-5-mini",
    "model.base_url": "http://127.0.0.1:9/v1?a=b#c",
    "model.context_window": "64000",
    "memory.memory_enabled": "off",
    "memory.memory_char_limit": "4321",
    "memory.write_approval": "on",
    "memory.provider": "on",
    "skills.write_approval": "yes",
    "display.memory_notifications": "verbose",
    "display.language": "zh",
    "display.platforms.telegram.memory_notifications": "off",
    "display.platforms.slack.memory_notifications": "true",
    "auxiliary.background_review.model": 'it\'s: "odd" # here, {yes}',
}

COMMENTED = """\
# Settings of mine.

# --- the model ---
model:
  name: openai:gpt-5   # the big one, not cheap
  # base_url: http://localhost
  api_key_env: 'MY_KEY'     # never the key


memory:   # both stores
  memory_enabled: true
  memory_char_limit:   3000      #  a bit more
  # write_approval: true

  # Trailing words about memory.

display:
  memory_notifications: on    # off | on | verbose
  # the end
"""
DEEP = """\
display:
    memory_notifications: "verbose"
    platforms:
        telegram:
            memory_notifications: 'on' # quiet is better
        # slack:
        #     memory_notifications: off
    language: ru
auxiliary:
    background_review:
        provider: openrouter
        model: google/gemini-3-flash-preview   # cheap
model:
    name:
        openai:gpt-5
"""
FLOW = """\
---
memory: {memory_enabled: true, memory_char_limit: 3000}   # short
display: {platforms: {telegram: {memory_notifications: verbose}}, language: "ru"}
model: {}
skills: { write_approval: false, }
"""
FLOW_LINES = """\
{
  "memory": {
    "memory_enabled": true,       # on
    # about the limit
    "memory_char_limit": 3000
  },
  "display": {
    "platforms": {
      "telegram": {"memory_notifications": "on"},
    },
  }
}
"""
EMPTY_SECTIONS = """\
model:      # nothing yet
  # name: x
memory:
skills: ~   # none
display:
  platforms:
    telegram:
  language:   # which?
auxiliary: null
"""
STRANGE = """\
%YAML 1.2
---
? memory
: review_every: 7
  memory_char_limit: 3000
"model":
  name: >-
    openai:gpt-5

  context_window: &window 200000

'display':
  memory_notifications: |-
    verbose

# the end
...
"""
ONE_LINE = "memory: {memory_enabled: true}"
NO_END = "# no end of line here\nmemory:\n  memory_char_limit: 3000"
CORPUS = {
    "commented": COMMENTED,
    "deep": DEEP,
    "flow": FLOW,
    "flow over lines": FLOW_LINES,
    "empty sections": EMPTY_SECTIONS,
    "strange": STRANGE,
    "one line": ONE_LINE,
    "no end": NO_END,
    "empty": "",
    "only comments": "# one\n\n# two\n",
    "only a start": "---\n",
    "a mark": "\ufeff" + COMMENTED,
    "CRLF": COMMENTED.replace("\n", "\r\n"),
    "CRLF deep": DEEP.replace("\n", "\r\n"),
    "CRLF, no end": NO_END.replace("\n", "\r\n"),
    "astral": "# \U0001f600 \u4e2d\u6587\nmodel:\n  name: '\U0001f600'   # \U0001f600\n",
}


def parse(text: str) -> Config:
    return parse_config(text, origin=ORIGIN)


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines between the longest common beginning and end of two texts, without their ends."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


def assert_line_ends_fit(before: str, after: str) -> None:
    """Each line keeps its end, and new ones have the same; a last line may get the end that it lacked."""
    end = "\r\n" if "\r\n" in before else "\n"
    assert after.removeprefix("\ufeff").replace(end, "").isprintable()
    assert after.endswith(end) or not before.endswith(end)


def quick_write(path: str, data: bytes) -> None:
    """As in the program, but without waiting for the disk."""
    atomic_write(path, data, durable=False)


def edited(folder: Path, before: str | None, edit: Callable[..., bool], *arguments: str) -> str:
    """The text after an edit of a file that holds `before`."""
    path = folder / "config.yaml"
    path.unlink(missing_ok=True)
    if before is not None:
        path.write_bytes(before.encode())
    edit(path, *arguments, write=quick_write)
    return path.read_bytes().decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("editing")


# Properties, over the corpus.


@pytest.mark.parametrize("before", CORPUS.values(), ids=CORPUS.keys())
@pytest.mark.parametrize(("name", "text"), NEW_VALUES.items(), ids=NEW_VALUES.keys())
def test_setting_a_key_changes_its_lines_alone(folder: Path, before: str, name: str, text: str) -> None:
    after = edited(folder, before, set_value, name, text)

    parts = name.split(".")
    old, new = changed_lines(before, after)
    assert parse(after) == parse(before).with_overrides({name: text}, source="file")
    assert len(old) <= (2 if "|" in "".join(old) or ">" in "".join(old) else 1)
    assert len(new) <= len(parts)
    assert old or all(line.strip().startswith(tuple(parts)) for line in new)
    assert all(one.partition("#")[2] in "".join(new) for one in old)
    assert_line_ends_fit(before, after)


@pytest.mark.parametrize("before", CORPUS.values(), ids=CORPUS.keys())
def test_every_comment_survives_every_edit(folder: Path, before: str) -> None:
    text = before
    for name, value in NEW_VALUES.items():
        text = edited(folder, text, set_value, name, value)
    comments = [line[line.index("#") :].strip() for line in before.splitlines() if "#" in line]
    assert [one for one in comments if one not in text] == []
    config = parse(text)
    assert all(config.is_set(name) for name in NEW_VALUES)


@pytest.mark.parametrize("before", CORPUS.values(), ids=CORPUS.keys())
@pytest.mark.parametrize("name", NEW_VALUES.keys())
def test_what_is_set_and_unset_again_leaves_at_most_empty_sections(
    folder: Path, before: str, name: str
) -> None:
    if parse(before).is_set(name):
        before = edited(folder, before, unset_value, name)
    after = edited(folder, edited(folder, before, set_value, name, NEW_VALUES[name]), unset_value, name)

    old, new = changed_lines(before, after)
    assert parse(after) == parse(before)
    sections = tuple(name.split(".")[:-1])
    assert len(old) <= 1
    assert all(line.strip().startswith(sections) for line in new) or len(old) == len(new) == 1
    assert all(line.split("#")[0].rstrip().endswith((":", "{}", "}", "},")) for line in new)
    assert_line_ends_fit(before, after)


@pytest.mark.parametrize("before", CORPUS.values(), ids=CORPUS.keys())
def test_unsetting_takes_the_key_and_nothing_else(folder: Path, before: str) -> None:
    given_keys = parse(before).given
    for name in given_keys.keys() - {"memory.review_every"}:  # which shares its line with a ':'
        after = edited(folder, before, unset_value, name)
        assert parse(after).given == {key: value for key, value in given_keys.items() if key != name}
        kept = [line for line in before.splitlines() if line.lstrip().startswith("#")]
        assert [line for line in after.splitlines() if line.lstrip().startswith("#")] == kept


@pytest.mark.parametrize("before", CORPUS.values(), ids=CORPUS.keys())
@pytest.mark.parametrize(("name", "text"), NEW_VALUES.items(), ids=NEW_VALUES.keys())
def test_setting_a_key_twice_changes_nothing_the_second_time(
    folder: Path, before: str, name: str, text: str
) -> None:
    once = edited(folder, before, set_value, name, text)
    assert set_value(folder / "config.yaml", name, text, write=must_not_write) is False
    assert (folder / "config.yaml").read_bytes().decode() == once


def must_not_write(path: str, data: bytes) -> None:
    raise AssertionError((path, data))


EDITS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                ("memory.memory_char_limit", "5"),
                ("memory.write_approval", "on"),
                ("model.name", ""),
                ("model.name", "x y"),
                ("display.platforms.a.memory_notifications", "off"),
                ("display.platforms.b.memory_notifications", "on"),
                ("auxiliary.background_review.model", "null"),
            ]
        ),
        st.booleans(),
    ),
    max_size=8,
)


@given(st.sampled_from(sorted(CORPUS)), EDITS)
@settings(max_examples=80, deadline=None)
def test_any_row_of_edits_ends_in_what_they_say(
    tmp_path_factory: pytest.TempPathFactory, start: str, edits: list[tuple[tuple[str, str], bool]]
) -> None:
    text = CORPUS[start]
    folder = tmp_path_factory.getbasetemp()
    config = parse(text)
    for (name, value), is_set in edits:
        if is_set:
            text = edited(folder, text, set_value, name, value)
            wanted = {**config.given, name: parse_one(name, value)}
        else:
            text = edited(folder, text, unset_value, name)
            wanted = {key: setting for key, setting in config.given.items() if key != name}
        config = parse(text)
        assert config.given == wanted


def parse_one(name: str, value: str) -> object:
    import json

    sections = name.split(".")
    text = "".join(f"{'  ' * depth}{part}:\n" for depth, part in enumerate(sections))
    return parse(text.rstrip("\n") + " " + json.dumps(value)).given[name]


ANY_LINES = st.lists(
    st.one_of(
        st.builds(
            lambda indent, key, value: f"{' ' * indent}{key}:{value}",
            st.sampled_from([0, 0, 2, 2, 4]),
            st.sampled_from(["memory", "'memory'", "write_approval", "provider", "model", "name", "display"]),
            st.sampled_from(
                [
                    "",
                    " # c",
                    " on",
                    " 'x' # c",
                    " {}",
                    " {name: x}",
                    " {write_approval: on, }",
                    " ~",
                    " |-",
                    " &a x",
                    " *a",
                ]
            ),
        ),
        st.sampled_from(["# c", "", "  # c", "    x", "---", "...", "? memory", "}", "&:", "- a", "\ufeff"]),
    ),
    max_size=7,
)


@given(
    ANY_LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["memory.write_approval", "model.name"]),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_any_text_is_edited_right_or_refused_and_left_alone(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, name: str, is_set: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    before = end.join([*lines, ""])
    path.write_bytes(before.encode())
    try:
        if is_set:
            set_value(path, name, "off", write=quick_write)
        else:
            unset_value(path, name, write=quick_write)
    except ConfigError:
        assert path.read_bytes().decode() == before
        return
    after = path.read_bytes().decode()
    assert parse(after).is_set(name) is is_set
    assert parse(after).get(name) in {False, "off", ""}
    comments = [line for line in before.split(end) if line.lstrip().startswith("#")]
    assert [line for line in after.split(end) if line.lstrip().startswith("#")] == comments


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(["", "'a'", '"a"', "a"]),
)
@settings(max_examples=200, deadline=None)
def test_any_text_is_written_so_that_it_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, value: str, old: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for before in (f"model:\n  name: {old} # c\n", f"model: {{name: {old}, base_url: http://a}} # c\n"):
        if value.isprintable():
            after = edited(folder, before, set_value, "model.name", value)
            assert parse(after).text("model.name") == value
            assert "# c" in after
        else:
            with pytest.raises(ConfigError, match="text on one line"):
                edited(folder, before, set_value, "model.name", value)


# Examples, so that a reader sees what the file looks like.


@pytest.mark.parametrize(
    ("before", "name", "text", "after"),
    [
        (
            "memory:\n  write_approval: off  # why\n",
            "memory.write_approval",
            "on",
            "memory:\n  write_approval: true  # why\n",
        ),
        (
            "memory:\n  memory_enabled: on\n",
            "memory.review_every",
            "5",
            "memory:\n  memory_enabled: on\n  review_every: 5\n",
        ),
        (
            "memory:\n  # c\nmodel: {}\n",
            "memory.review_every",
            "5",
            "memory:\n  review_every: 5\n  # c\nmodel: {}\n",
        ),
        ("memory: ~  # c\n", "memory.review_every", "5", "memory: {review_every: 5}  # c\n"),
        ("memory: {}\n", "memory.review_every", "5", "memory: {review_every: 5}\n"),
        ("memory: {provider: x}\n", "memory.review_every", "5", "memory: {provider: x, review_every: 5}\n"),
        ("memory:\n  review_every: # c\n", "memory.review_every", "5", "memory:\n  review_every: 5 # c\n"),
        ("# c\n", "skills.write_approval", "on", "# c\nskills:\n  write_approval: true\n"),
        ("display:\n  language: 'ru'\n", "display.language", "zh", "display:\n  language: 'zh'\n"),
        ('display:\n  language: "ru"\n', "display.language", "zh", 'display:\n  language: "zh"\n'),
        ("display:\n  language: ru\n", "display.language", "zh", "display:\n  language: zh\n"),
        ("model: {name: a}\n", "model.name", "a, b", "model: {name: 'a, b'}\n"),
        ("model: {name: a}\n", "model.name", "12", "model: {name: '12'}\n"),
        ("model: {name: a}\n", "model.name", "off", "model: {name: 'off'}\n"),
        ("display: {}\n", "display.memory_notifications", "off", "display: {memory_notifications: off}\n"),
        (
            "display:\n   language: ru\n",
            "display.platforms.telegram.memory_notifications",
            "off",
            "display:\n   language: ru\n   platforms:\n      telegram:\n         memory_notifications: off\n",
        ),
        (
            "model:\n  name: x\n\n# about nothing\n",
            "skills.write_approval",
            "on",
            "model:\n  name: x\n\n# about nothing\nskills:\n  write_approval: true\n",
        ),
        (
            "model:\n  name: x\n...\n",
            "skills.write_approval",
            "on",
            "model:\n  name: x\nskills:\n  write_approval: true\n...\n",
        ),
    ],
)
def test_a_set_key_stands_where_a_person_would_write_it(
    folder: Path, before: str, name: str, text: str, after: str
) -> None:
    assert edited(folder, before, set_value, name, text) == after


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        (
            "memory:\n  # c\n  review_every: 5 # d\n  provider: x\n",
            "memory.review_every",
            "memory:\n  # c\n  provider: x\n",
        ),
        ("memory:\n  review_every: 5\n", "memory.review_every", "memory:\n"),
        ("memory: {review_every: 5}\n", "memory.review_every", "memory: {}\n"),
        ("memory: {review_every: 5, provider: x}\n", "memory.review_every", "memory: {provider: x}\n"),
        ("memory: {provider: x, review_every: 5}\n", "memory.review_every", "memory: {provider: x}\n"),
        ("memory: {provider: x, review_every: 5, }\n", "memory.review_every", "memory: {provider: x, }\n"),
        (
            "memory: {\n  provider: x,\n  review_every: 5,\n}\n",
            "memory.provider",
            "memory: {\n  review_every: 5,\n}\n",
        ),
        (
            "memory:\n  review_every: 5\n  reveiw_every: 6\n",
            "memory.reveiw_every",
            "memory:\n  review_every: 5\n",
        ),
        ("memroy:\n  a:\n    - 1\n    - 2\nmodel: {}\n", "memroy", "model: {}\n"),
        ("memory:\n  review_every: many\n", "memory.review_every", "memory:\n"),
    ],
)
def test_an_unset_key_is_gone_with_its_line(folder: Path, before: str, name: str, after: str) -> None:
    assert edited(folder, before, unset_value, name) == after


@pytest.mark.parametrize("name", ["memory.provider", "display.platforms.telegram.memory_notifications"])
def test_unsetting_what_is_not_set_changes_nothing(folder: Path, name: str) -> None:
    path = folder / "config.yaml"
    path.write_text("memory: {review_every: 5}\n", encoding="utf-8")
    assert unset_value(path, name, write=must_not_write) is False
    path.unlink()
    assert unset_value(path, name, write=must_not_write) is False
    assert not path.exists()


def test_a_missing_file_is_made_with_a_line_that_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    assert set_value(path, "model.name", "openai:gpt-5", write=atomic_write)
    head, *rest = path.read_text(encoding="utf-8").splitlines()
    assert head.startswith("# ")
    assert rest == ["model:", "  name: openai:gpt-5"]
    assert load_config(path).text("model.name") == "openai:gpt-5"


# Refusals: nothing is written.


@pytest.mark.parametrize(
    ("before", "name", "text", "what"),
    [
        ("", "memory.nothing", "1", "there is no key"),
        ("", "memory", "1", "is a section"),
        ("", "memory.review_every", "2,200", "allowed: a whole number from 1 to 10,000"),
        ("", "memory.write_approval", "maybe", "allowed: true or false"),
        ("", "display.memory_notifications", "loud", "allowed: one of off, on, verbose"),
        ("memory: [1,\n", "memory.review_every", "5", "line 2: this is not YAML"),
        ("- 1\n", "memory.review_every", "5", "the top level is a list"),
        ("~\n", "memory.review_every", "5", "cannot be edited safely; nothing was changed"),
        ("memory: {}\n---\nmemory: {}\n", "memory.review_every", "5", "a second document"),
        ("memory: 5\n", "memory.review_every", "5", "line 1: 'memory' cannot be '5'"),
        (
            "memory:\n  reveiw_every: 5\n",
            "memory.review_every",
            "5",
            "line 2: there is no key 'memory.reveiw_every'",
        ),
        (
            "memory:\n  reveiw_every: 5\n  review_every: 5\n",
            "memory.review_every",
            "5",
            "line 2: there is no key",
        ),
        (
            "memory:\n  review_every: 5\n  review_every: 6\n",
            "memory.review_every",
            "7",
            "line 3: 'memory.review_every'",
        ),
        ("memory.review_every: 5\n", "memory.review_every", "5", "has no dots in the file"),
        (
            "memory: &m {write_approval: on}\nskills: *m\n",
            "memory.review_every",
            "5",
            "cannot be edited safely; nothing was changed",
        ),
        (
            "memory: &m {write_approval: on}\nskills: *m\n",
            "skills.write_approval",
            "off",
            "cannot be edited safely",
        ),
        (
            "memory:\n  write_approval: &a on\nskills:\n  write_approval: *a\n",
            "memory.write_approval",
            "off",
            "cannot be edited safely",
        ),
        (
            "memory:\n  review_every:\n    a: 5\n",
            "memory.review_every",
            "5",
            "'memory.review_every' cannot be a section",
        ),
    ],
)
def test_what_cannot_be_set_is_refused_and_the_file_stays(
    tmp_path: Path, before: str, name: str, text: str, what: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        set_value(path, name, text, write=must_not_write)
    assert what in caught.value.message
    assert path.read_text(encoding="utf-8") == before


def test_an_alias_is_replaced_by_a_value_without_touching_its_anchor(folder: Path) -> None:
    before = "memory:\n  write_approval: &a on\nskills:\n  write_approval: *a # c\n"
    after = edited(folder, before, set_value, "skills.write_approval", "off")
    assert after == "memory:\n  write_approval: &a on\nskills:\n  write_approval: false # c\n"


@pytest.mark.parametrize(
    ("before", "name", "what"),
    [
        ("", "memory", "is a section"),
        ("memory:\n  provider: x\n", "memory", "is a section"),
        ("", "memory.nothing", "there is no key"),
        ("memory: &m {write_approval: on}\nskills: *m\n", "skills.write_approval", "cannot be edited safely"),
        ("? memory\n: {provider: x}\nmodle: {}\n", "memory.provider", "line 3: there is no key 'modle'"),
        ("memory:\n  ? provider\n  : x\n", "memory.provider", "cannot be edited safely"),
        ("memory:\n  provider: x\n  provider: y\n", "memory.provider", "stands in line 2 already"),
        ("a: [\n", "memory.provider", "this is not YAML"),
        ("memory: on\n", "memory.provider", "line 1: 'memory' cannot be 'on'"),
    ],
)
def test_what_cannot_be_unset_is_refused_and_the_file_stays(
    tmp_path: Path, before: str, name: str, what: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        unset_value(path, name, write=must_not_write)
    assert what in caught.value.message
    assert path.read_text(encoding="utf-8") == before


def test_a_wrong_value_can_be_set_right(folder: Path) -> None:
    before = "memory:\n  review_every: many # c\n"
    after = edited(folder, before, set_value, "memory.review_every", "5")
    assert after == "memory:\n  review_every: 5 # c\n"


# The file itself.


def test_a_link_stays_a_link_and_the_file_behind_it_changes(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "vibeos.yaml", tmp_path / "config.yaml"
    real.write_text("memory: {}\n", encoding="utf-8")
    link.symlink_to(Path("dotfiles") / "vibeos.yaml")
    set_value(link, "memory.review_every", "5", write=atomic_write)
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "memory: {review_every: 5}\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_the_mode_of_the_file_stays(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("memory: {}\n", encoding="utf-8")
    path.chmod(mode)
    set_value(path, "memory.review_every", "5", write=atomic_write)
    assert path.stat().st_mode & 0o777 == mode


def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("memory: {}\n", encoding="utf-8")
    path.chmod(0o444)
    with pytest.raises(ConfigError, match="is read-only; nothing was changed"):
        set_value(path, "memory.review_every", "5", write=must_not_write)


def test_a_file_that_cannot_be_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"model:\n  name: mod\xe8le\n")
    with pytest.raises(ConfigError, match="is not UTF-8 text in line 2"):
        set_value(path, "memory.review_every", "5", write=must_not_write)
    with pytest.raises(ConfigError, match="is not UTF-8 text in line 2"):
        unset_value(path, "model.name", write=must_not_write)
    path.unlink()
    path.symlink_to("nowhere.yaml")
    with pytest.raises(ConfigError, match="link to nothing"):
        set_value(path, "memory.review_every", "5", write=must_not_write)


def test_a_failed_write_leaves_the_error_to_the_caller_and_the_file_as_it_was(tmp_path: Path) -> None:
    def full_disk(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    path = tmp_path / "config.yaml"
    path.write_text("memory: {}\n", encoding="utf-8")
    with pytest.raises(OSError, match="No space left"):
        set_value(path, "memory.review_every", "5", write=full_disk)
    assert path.read_text(encoding="utf-8") == "memory: {}\n"
