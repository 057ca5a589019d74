"""Whatever an agent's command takes off its surroundings, our own commands in it know that it is not the person."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from agent.left_behind import until
from agent.tools.kit import watched_workplace
from vibeos.agent.commands import CommandJobs
from vibeos.agent.person import Nobody
from vibeos.agent.tools.bash import BashTool
from vibeos.app.environment import Environment
from vibeos.ports.guard.lineage import UNKNOWN_SESSION, session_above
from vibeos.ports.models.tools import ToolCall
from vibeos.values.clock import system_clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.agent.workplace import Workplace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us look up")

PROBE = "from vibeos.app.environment import Environment; print('<' + Environment.of_process().agent_session + '>')"
PYTHON = f"{shlex.quote(sys.executable)} -c {shlex.quote(PROBE)}"
POPS = "import os, subprocess, sys; os.environ.pop('VIBEOS_SESSION'); subprocess.run([sys.executable, '-c', sys.argv[1]])"

STRIPPED = {
    "nothing": PYTHON,
    "env -i": f"env -i {PYTHON}",
    "exec -c": f"exec -c {PYTHON}",
    "unset": "unset ${!VIBEOS*}; " + PYTHON,
    "a shell that unsets": f"env -i bash -c {shlex.quote(f'true; {PYTHON}; true')}",
    "a program that pops": f"{shlex.quote(sys.executable)} -c {shlex.quote(POPS)} {shlex.quote(PROBE)}",
    "a session of its own": f"setsid --wait env -i {PYTHON}",
}
# Nothing that stood above them is left: not the leader of the session, not the parent.
ORPHANED = {
    "a session of its own in the background": "setsid -f env -i {}",
    "a parent that is gone": "env -i bash -c {} & disown; kill -9 $PPID",
    "both": "(setsid -f env -i bash -c {} &) ; kill -9 $PPID",
}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    yield from watched_workplace(tmp_path)


def bash(place: Workplace, command: str) -> str:
    jobs = CommandJobs(place, system_clock)
    try:
        tool = BashTool(place, jobs, Nobody(), "allow")
        return asyncio.run(tool.call(ToolCall("1", "bash", json.dumps({"command": command})))).content
    finally:
        jobs.close()


def test_this_test_itself_is_no_agents() -> None:
    assert session_above() == ""


@pytest.mark.parametrize("way", STRIPPED)
def test_a_stripped_command_still_speaks_as_its_session(place: Workplace, way: str) -> None:
    assert f"<{place.session_id}>" in bash(place, STRIPPED[way])


@pytest.mark.parametrize("way", ORPHANED)
def test_an_orphan_of_a_command_is_still_an_agents(place: Workplace, tmp_path: Path, way: str) -> None:
    told = tmp_path / "told"
    orphaned = "for i in $(seq 100); do [ $(ps -o ppid= -p $$) -eq 1 ] && break; sleep 0.01; done"
    waits = f"{orphaned}; {PYTHON} > {told}.new; mv {told}.new {told}"
    script = shlex.quote(waits)
    bash(place, ORPHANED[way].format(f"bash -c {script}" if way.startswith("a session") else script))
    assert until(told.exists)
    assert told.read_text() in {f"<{UNKNOWN_SESSION}>\n", f"<{place.session_id}>\n"}


def test_the_command_line_refuses_a_stripped_command(place: Workplace) -> None:
    home = shlex.quote(place.home)
    said = bash(
        place,
        f"env -i {shlex.quote(sys.executable)} -m vibeos --home {home} config set tools.dangerous_commands allow",
    )
    assert "an agent's shell cannot change the configuration" in said
    assert not os.path.exists(os.path.join(place.home, "config.yaml"))


def test_only_the_surroundings_of_the_process_itself_are_looked_up(place: Workplace) -> None:
    assert Environment({}, place.folder).agent_session == ""
    asks = "from vibeos.app.environment import Environment as E; print('<' + E({}, '').agent_session + '>')"
    assert "<>" in bash(place, f"{shlex.quote(sys.executable)} -c {shlex.quote(asks)}")
