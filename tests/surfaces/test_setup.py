"""`vibeos setup`: three questions, a test request, the choice saved; the key itself never."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.terminal import Terminal
from vibeos.app.setup import Choice, is_variable_name, who_serves
from vibeos.testing import StrictServer, fault, reply
from vibeos.values.errors import ModelNotConfiguredError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.program import Program

KEY = "sk-abcdefgh12345678"


@pytest.fixture
def terminal(program: Program) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    with Terminal(program) as opened:
        yield opened


def setting(program: Program, name: str) -> object:
    return json.loads(program.run("config", "get", name, "--json").stdout)["value"]


def test_the_three_questions_end_in_a_tested_and_saved_choice(program: Program, terminal: Terminal) -> None:
    program.home.mkdir()
    (program.home / "config.yaml").write_text("# mine\nmodel:\n  api_key_env: OLD_KEY  # to go\n")
    program.variables["MY_KEY"] = KEY
    with StrictServer([reply("Yes, here.")], api_key=KEY, models=["big", "small"]) as server:
        terminal.start("setup")
        terminal.wait_for("Who serves the model?")
        terminal.type("nobody")
        terminal.wait_for("neither a provider nor an address")
        terminal.type(server.base_url)
        terminal.wait_for("Its name, never the key itself")
        terminal.type(KEY)
        terminal.wait_for("it looks like the key itself")
        terminal.type("MY_KEY")
        terminal.wait_for("2. small")
        terminal.type("2")
        screen = terminal.wait_for("ended-with-0")
        assert "It answers: Yes, here." in screen
        assert "model.name: openai:small" in screen
        assert str(program.home / "config.yaml") in screen.replace("\n", "")
        assert setting(program, "model.name") == "openai:small"
        assert setting(program, "model.base_url") == server.base_url
        assert setting(program, "model.api_key_env") == "MY_KEY"
    text = (program.home / "config.yaml").read_text()
    assert "# mine" in text
    assert KEY not in text


def test_a_failing_test_says_why_and_saves_only_on_a_yes(program: Program, terminal: Terminal) -> None:
    with StrictServer([fault(400, "this model is asleep")], models=["m"]) as server:
        terminal.start("setup")
        terminal.type(server.base_url)
        terminal.type("")
        terminal.wait_for("1. m")
        terminal.type("m")
        screen = terminal.wait_for("Save it anyway?")
        assert "this model is asleep" in screen.replace("\n", "")
        terminal.type("")
        terminal.wait_for("Nothing was saved.")
        terminal.wait_for("ended-with-1")
    assert setting(program, "model.name") == ""


def test_an_address_without_its_v1_is_mended_when_the_server_answers_only_there(
    program: Program, terminal: Terminal
) -> None:
    with StrictServer([reply("Yes.")], models=["m"]) as server:
        terminal.start("setup")
        terminal.type(server.base_url.removesuffix("/v1"))
        terminal.type("")
        terminal.wait_for("1. m")
        terminal.type("1")
        terminal.wait_for("ended-with-0")
        assert setting(program, "model.base_url") == server.base_url


def test_a_script_gives_everything_by_flags(program: Program) -> None:
    program.variables["MY_KEY"] = KEY
    with StrictServer([reply("Yes.")], api_key=KEY) as server:
        flags = ("--base-url", server.base_url, "--model", "m", "--api-key-env", "MY_KEY", "--json")
        document = json.loads(program.run("setup", *flags).stdout)
        assert document == {
            "path": str(program.home / "config.yaml"),
            "model.name": "openai:m",
            "model.base_url": server.base_url,
            "model.api_key_env": "MY_KEY",
            "test_answer": "Yes.",
        }
        server.extend([reply("Hello.")])
        assert program.run("chat", "-q", "x").stdout == "Hello.\n"


def test_a_failing_test_of_a_script_saves_nothing(program: Program) -> None:
    with StrictServer([fault(404, "no such model", code="model_not_found")]) as server:
        flags = ("--base-url", server.base_url, "--model", "gone")
        failed = json.loads(program.run("setup", *flags, "--json", code=3).stdout)
        assert "gone" in failed["error"] or "model" in failed["error"]
        assert not (program.home / "config.yaml").exists()
        program.run("setup", *flags, "--no-test")
        assert setting(program, "model.name") == "openai:gone"


def test_the_rehearsal_needs_no_answers_and_clears_what_another_model_needed(program: Program) -> None:
    program.run("config", "set", "model.base_url", "http://127.0.0.1:9/v1")
    assert "rehearsal" in program.run("setup", "--provider", "rehearsal").stdout
    assert setting(program, "model.name") == "rehearsal"
    assert setting(program, "model.base_url") == ""


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--model", "m"),
        ("--provider", "openai"),
        ("--provider", "openai", "--model", "m", "--api-key-env", KEY),
    ],
)
def test_without_a_terminal_wrong_or_missing_flags_are_wrong_usage(
    program: Program, arguments: tuple[str, ...]
) -> None:
    failed = program.run("setup", *arguments, code=2)
    assert KEY not in failed.stderr
    assert not program.home.exists()


@pytest.mark.parametrize(
    "key", [KEY, "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "gsk_abc", "AIzaSyAbcdef", "a b", "", "x" * 65]
)
def test_a_key_is_not_taken_for_a_name(key: str) -> None:
    assert not is_variable_name(key)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "my_key", "KEY2", "_X", "A_VERY_LONG_NAME_FOR_A_KEY"])
def test_the_names_of_variables_are_names(name: str) -> None:
    assert is_variable_name(name)


@pytest.mark.parametrize(
    ("answer", "choice"),
    [
        (" OpenAI ", Choice("openai")),
        ("rehearsal", Choice("rehearsal")),
        ("http://127.0.0.1:8080/v1/", Choice("openai", base_url="http://127.0.0.1:8080/v1")),
        ("localhost:11434/v1", Choice("openai", base_url="http://localhost:11434/v1")),
    ],
)
def test_who_serves_is_a_provider_or_an_address(answer: str, choice: Choice) -> None:
    assert who_serves(answer) == choice


@pytest.mark.parametrize("answer", ["opnai", "ftp://example.com", "http://user:secret@host/v1"])
def test_what_is_neither_is_refused_without_repeating_a_secret(answer: str) -> None:
    with pytest.raises(ModelNotConfiguredError) as refused:
        who_serves(answer)
    assert "secret" not in str(refused.value)
