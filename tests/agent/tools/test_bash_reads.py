"""What `read` withholds in VibeOS's home, a command that names it does not get unasked either: one rule for both."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.tools.kit import Someone, refusal, watched_workplace
from vibeos.agent.commands import CommandJobs
from vibeos.agent.person import Nobody
from vibeos.agent.tools.bash import BashTool
from vibeos.agent.tools.read import ReadTool
from vibeos.ports.models.tools import ToolCall
from vibeos.values.clock import system_clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.agent.person import Person
    from vibeos.agent.workplace import Workplace

WITHHELD = ("config.yaml", "outputs/20260101-000000-000000/o1", ".env", "profiles/other/memories/MEMORY.md")
GIVEN = ("outputs/ours/o1", "jobs/ours/c1.log", "skills/a/SKILL.md")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    for place in watched_workplace(tmp_path):
        home = Path(place.home)
        for name in (*WITHHELD, *GIVEN):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text("what is kept\n")
        surroundings = {**place.environment, "HOME": str(tmp_path), "VIBEOS_HOME": str(home)}
        yield place._replace(
            outputs=str(home / "outputs/ours"), jobs=str(home / "jobs/ours"), environment=surroundings
        )


def bash(place: Workplace, command: str, person: Person | None = None) -> str:
    tool = BashTool(place, CommandJobs(place, system_clock), person or Nobody(), "ask")
    return asyncio.run(tool.call(ToolCall("1", "bash", json.dumps({"command": command})))).content


READERS = (
    "cat {home}/{name}",
    "cat ../home/{name}",
    "cat ~/home/{name}",
    'cat "$HOME/home/{name}"',
    "cat $VIBEOS_HOME/{name}",
    "cp {home}/{name} copy",
    "cd ../home && cat {name}",
    "cat < {home}/{name}",
    "bash -c 'cat {home}/{name}'",
    "D={home}; cat $D/{name}",
    "dd if={home}/{name}",
    "ln -s {home}/{name} link",
    "grep -h kept {home}/{name}",
    "python3 -c \"print(open('{home}/{name}').read())\"",
)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", WITHHELD)
def test_a_command_that_names_what_read_withholds_is_refused(
    place: Workplace, reader: str, name: str
) -> None:
    assert "VibeOS's own home" in refusal(ReadTool(place), {"path": f"{place.home}/{name}"})
    said = bash(place, reader.format(home=place.home, name=name))
    assert "Not run: the command looks into the folder that belongs to VibeOS itself" in said
    assert "session_search" in said


@pytest.mark.parametrize("reader", [reader for reader in READERS if not reader.startswith("cd ")])
@pytest.mark.parametrize("name", GIVEN)
def test_a_command_reads_what_read_gives(place: Workplace, reader: str, name: str) -> None:
    assert bash(place, reader.format(home=place.home, name=name)).startswith("[exit status 0")


def test_a_command_works_in_the_folder_of_a_skill(place: Workplace) -> None:
    assert "what is kept" in bash(place, "cd $VIBEOS_HOME/skills/a && cat SKILL.md")


@pytest.mark.parametrize(
    "command",
    [
        "echo {home}/config.yaml",
        "grep -rn {home}/config.yaml .; true",
        "test -e {home}/state.db; true",
        "true --exclude={folder}",
        "cat ../notes.txt",
        "vibeos --home {home} memory show; true",
    ],
)
def test_a_mention_of_the_home_and_what_lies_beside_it_pass(
    place: Workplace, tmp_path: Path, command: str
) -> None:
    (tmp_path / "notes.txt").write_text("notes")
    assert bash(place, command.format(home=place.home, folder=place.folder)).startswith("[exit status 0")


def test_a_person_who_is_there_is_asked_and_may_allow_it(place: Workplace) -> None:
    person = Someone("yes")
    assert "what is kept" in bash(place, f"cat {place.home}/config.yaml", person)
    assert "looks into the folder that belongs to VibeOS" in person.questions[0].text


def test_a_profiles_own_skills_can_be_read_by_its_variable(place: Workplace) -> None:
    root = os.path.join(place.home, "profiles", "other")
    os.makedirs(f"{root}/skills")
    Path(root, "skills", "s.md").write_text("a skill")
    profile = place._replace(skills=f"{root}/skills", environment={**place.environment, "VIBEOS_HOME": root})
    assert "a skill" in bash(profile, "cat $VIBEOS_HOME/skills/s.md")
    assert "Not run" in bash(profile, "cat $VIBEOS_HOME/memories/MEMORY.md")
