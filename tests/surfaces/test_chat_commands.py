"""What is a command and what is a message; what an unknown one is answered."""

from __future__ import annotations

import pytest

from vibeos.surfaces.cli.talk.commands import COMMANDS, command_in, unknown
from vibeos.values.catalogue import LANGUAGES, catalogue


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/new", ("new", "")),
        ("/NEW  ", ("new", "")),
        ("/model  openai:gpt-5 ", ("model", "openai:gpt-5")),
        ("/resume\t20261201", ("resume", "20261201")),
        ("/справка", ("справка", "")),
        ("/帮助", ("帮助", "")),
    ],
)
def test_a_word_of_letters_behind_a_slash_is_a_command(text: str, found: tuple[str, str]) -> None:
    assert command_in(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "/etc/hosts is wrong", "/etc/hosts", "/2", "/a1", "/my_file", "/x.py", "//", "/", " /new", "say /new",
        "/new\nand more", "/home-folder", "", "/tmp is full", "/data\tis full", "/hlep me", "/tmp", "/usr  ",
    ],
)  # fmt: skip
def test_everything_else_is_a_message(text: str) -> None:
    assert command_in(text) is None


def test_a_slip_that_stands_alone_and_names_no_file_is_taken_for_a_command() -> None:
    assert command_in("/hlep") == ("hlep", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_explained_in_every_language(language: str) -> None:
    words = catalogue(language)
    assert all(words.text(f"chat.help.{name}") for name in COMMANDS)
    explained = {key for key in words.texts if key.startswith("chat.help.")}
    assert explained == {f"chat.help.{name}" for name in COMMANDS}


def test_there_is_no_compact_and_an_unknown_command_says_what_there_is() -> None:
    assert "compact" not in COMMANDS
    said = unknown("compact", catalogue("en"))
    assert said.startswith("There is no command /compact.")
    assert all(f"/{name}" in said for name in COMMANDS)


def test_a_slip_of_the_finger_is_answered_with_what_was_probably_meant() -> None:
    assert "Did you mean /sessions?" in unknown("sesions", catalogue("en"))
    assert "Did you mean" not in unknown("zzzzzz", catalogue("en"))
