"""Every verb of the command line is either the person's alone or an agent's too; a new one has to be put in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from vibeos.surfaces.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.program import Program

# Each with words that it would take in a person's shell; SESSION stands for one that is there.
PERSONS_ALONE = {
    "config set": ("tools.dangerous_commands", "allow"),
    "config unset": ("memory.write_approval",),
    "project bind": (".",),
    "project unbind": (".",),
    "questions answer": ("q1", "yes"),
    "sessions delete": ("SESSION", "--yes"),
    "sessions rename": ("SESSION", "Another title"),
    "setup": ("--provider", "rehearsal"),
}

# They read, or change what an agent may change: its writes to memory are its own and go through the gate, what it says
# in a chat is marked as an agent's words, and an index is made from what is there.
AGENTS_TOO = {
    *("bench checkpoints", "chat", "completion", "doctor"),
    *("config get", "config path", "config show"),
    *("data query", "data reindex"),
    *("memory add", "memory remove", "memory replace", "memory show", "memory split", "memory status"),
    *("project list", "project show"),
    "questions list",
    *("sessions checkpoints", "sessions export", "sessions list", "sessions show"),
    *("skill list", "skill load", "skill path"),
}


def verbs(group: click.Group, before: str = "") -> Iterator[str]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            path = f"{before} {name}".strip()
            if isinstance(command, click.Group):
                yield from verbs(command, path)
            else:
                yield path


def test_each_verb_stands_in_one_of_the_two_lists() -> None:
    assert set(verbs(cli)) == AGENTS_TOO | set(PERSONS_ALONE)
    assert AGENTS_TOO.isdisjoint(PERSONS_ALONE)


@pytest.mark.parametrize("verb", PERSONS_ALONE)
def test_an_agents_shell_cannot_do_what_is_the_persons_alone(program: Program, verb: str) -> None:
    session = program.variables["VIBEOS_SESSION"] = _begin_session(program)
    words = (session if word == "SESSION" else word for word in PERSONS_ALONE[verb])
    refused = program.run(*verb.split(), *words, code=1)
    assert "an agent's shell cannot" in refused.stderr
    assert refused.stdout == ""
    assert not (program.home / "config.yaml").exists()


def test_an_agents_shell_sends_no_key_to_an_address_of_its_choice(program: Program) -> None:
    program.variables |= {"VIBEOS_SESSION": "20260115-120000-abcdef", "SOME_KEY": "a-key"}
    order = ("--base-url", "http://127.0.0.1:9", "--model", "m", "--api-key-env", "SOME_KEY")
    assert "an agent's shell cannot choose the model" in program.run("setup", *order, code=1).stderr


def _begin_session(program: Program) -> str:
    from vibeos.app.vibeos import VibeOS
    from vibeos.values.home import Scope

    with VibeOS(Scope(str(program.home))) as home:
        return home.sessions.start().id
