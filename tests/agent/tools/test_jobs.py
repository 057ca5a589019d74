"""Background commands, with real processes: also after the program that started them is gone."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agent.left_behind import left_behind, until
from agent.tools.kit import watched_workplace
from vibeos.agent import commands, processes
from vibeos.agent.commands import CommandJobs
from vibeos.agent.processes import birth, group_lives
from vibeos.agent.tools.jobs import JobsTool
from vibeos.ports.guard.lineage import UNKNOWN_SESSION
from vibeos.ports.models.tools import ToolCall
from vibeos.record.registry import JobKind
from vibeos.values.clock import system_clock
from vibeos.values.errors import InvalidIdError, NotFoundError, VibeOSError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.agent.workplace import Workplace

BEGAN = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    yield from watched_workplace(tmp_path)


@pytest.fixture
def jobs(place: Workplace) -> Iterator[CommandJobs]:
    jobs = CommandJobs(place, lambda: BEGAN)
    yield jobs
    jobs.close()


def say(jobs: CommandJobs, **arguments: Any) -> str:
    return asyncio.run(JobsTool(jobs).call(ToolCall("1", "jobs", json.dumps(arguments)))).content


def has_ended(jobs: CommandJobs, id_: str) -> bool:
    return not jobs.look(id_).job.runs


def test_a_command_runs_on_and_its_output_can_be_followed(jobs: CommandJobs, place: Workplace) -> None:
    id_ = jobs.start("echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 4")
    assert id_ == "c1"
    assert until(lambda: jobs.look(id_).text == "one\n")
    assert jobs.look(id_).job.runs
    (Path(place.folder) / "go").touch()
    assert until(lambda: has_ended(jobs, id_))
    page = jobs.look(id_, 4)
    assert (page.text, page.start, page.end, page.size) == ("two\n", 4, 8, 8)
    assert page.job.status == 4
    assert page.job.started_at == "2031-05-06T07:08:09.000000Z"
    assert page.job.started_at < page.job.ended_at < "2031-05-06T07:09"


def test_what_runs_is_named_for_the_registry(jobs: CommandJobs) -> None:
    jobs.start("\n  sleep 60 # [a]\x1b \necho never")
    jobs.start("true")
    assert until(lambda: has_ended(jobs, "c2"))
    (living,) = jobs.living()
    assert (living.kind, living.id, living.name) == (JobKind.COMMAND, "c1", "sleep 60 # (a)")
    assert [job.id for job in jobs.listed()] == ["c1", "c2"]


def test_stopping_ends_the_whole_group_and_keeps_its_status(jobs: CommandJobs, place: Workplace) -> None:
    id_ = jobs.start("sleep 60 & sleep 60")
    job = jobs.stop(id_)
    assert not job.runs
    assert job.status == 143
    assert left_behind(place.session_id) == []


def test_a_command_that_ignores_the_polite_signal_is_killed(
    jobs: CommandJobs, place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "GRACE", 0.3)
    id_ = jobs.start("trap '' TERM; echo > begun; while :; do sleep 0.05; done")
    assert until((Path(place.folder) / "begun").exists)
    job = jobs.stop(id_)
    assert (job.runs, job.status, bool(job.ended_at)) == (False, 137, True)
    assert left_behind(place.session_id) == []


def test_a_child_that_stays_keeps_the_job_running(jobs: CommandJobs) -> None:
    id_ = jobs.start("sleep 60 & exit 5")
    assert until(lambda: jobs.look(id_).job.status == 5)
    assert jobs.look(id_).job.runs
    assert "something that it started still runs" in say(jobs, action="list")
    assert not jobs.stop(id_).runs


def test_a_command_that_kills_its_parent_goes_on(jobs: CommandJobs) -> None:
    id_ = jobs.start("kill $PPID; sleep 0.05; echo alive")
    assert until(lambda: has_ended(jobs, id_))
    assert jobs.look(id_).text == "alive\n"


def test_closing_ends_them_also_when_their_folder_is_gone(place: Workplace) -> None:
    jobs = CommandJobs(place, system_clock)
    jobs.start("sleep 60")
    for path in Path(place.jobs).iterdir():
        path.unlink()
    Path(place.jobs).rmdir()
    jobs.close()
    assert left_behind(place.session_id) == []
    assert jobs.listed() == ()


def test_a_command_that_kills_its_keeper_for_good_ends_too(jobs: CommandJobs, place: Workplace) -> None:
    id_ = jobs.start("kill -9 $PPID; sleep 60")
    assert until(lambda: has_ended(jobs, id_))
    assert jobs.look(id_).job.status is None
    assert until(lambda: not left_behind(place.session_id))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us look up")
def test_what_a_command_leaves_behind_is_still_an_agents(
    jobs: CommandJobs, place: Workplace, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    probe = (
        "from vibeos.app.environment import Environment as E; print('<' + E.of_process().agent_session + '>')"
    )
    orphan = (
        "until [ $(ps -o ppid= -p $$) -eq 1 ]; do sleep 0.01; done; "
        f"{sys.executable} -c {shlex.quote(probe)} > {told}.new; mv {told}.new {told}"
    )
    jobs.start(f"(setsid -f env -i PATH=$PATH bash -c {shlex.quote(orphan)} &); kill -9 $PPID")
    assert until(told.exists)
    assert told.read_text() in {f"<{UNKNOWN_SESSION}>\n", f"<{place.session_id}>\n"}


def test_ids_are_never_given_twice(jobs: CommandJobs, place: Workplace) -> None:
    other = CommandJobs(place, system_clock)
    ids = [jobs.start("true"), other.start("true"), jobs.start("true")]
    assert ids == ["c1", "c2", "c3"]
    assert until(lambda: all(has_ended(jobs, id_) for id_ in ids))
    (Path(place.jobs) / "c3.json").unlink()  # a start that failed leaves only its log
    assert jobs.start("true") == "c4"
    assert until(lambda: has_ended(other, "c4"))
    other.close()


def test_closing_ends_only_what_was_started_here(jobs: CommandJobs, place: Workplace) -> None:
    other = CommandJobs(place, system_clock)
    mine, theirs = other.start("sleep 60"), jobs.start("sleep 60")
    other.close()
    assert has_ended(jobs, mine)
    assert [job.id for job in jobs.living()] == [theirs]


START_AND_DIE = """
import os, sys
from vibeos.agent.commands import CommandJobs
from vibeos.agent.workplace import Workplace
from vibeos.values.clock import system_clock
session, folder, home, outputs, jobs = sys.argv[1:6]
jobs = CommandJobs(Workplace(session, folder, home, outputs, jobs, "/nowhere", dict(os.environ)), system_clock)
jobs.start("until [ -e go ]; do sleep 0.02; done; echo later; exit 6")
jobs.start("sleep 60")
os.kill(os.getpid(), 9)
"""


def test_after_a_crash_the_commands_run_on_and_can_be_listed_and_stopped(
    jobs: CommandJobs, place: Workplace
) -> None:
    done = subprocess.run([sys.executable, "-c", START_AND_DIE, *place[:5]], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [job.id for job in jobs.living()] == ["c1", "c2"]
    (Path(place.folder) / "go").touch()
    assert until(lambda: has_ended(jobs, "c1"))
    assert (jobs.look("c1").text, jobs.look("c1").job.status) == ("later\n", 6)
    assert jobs.stop("c2").status == 143
    assert jobs.start("true") == "c3"
    assert until(lambda: has_ended(jobs, "c3"))


def test_a_process_with_a_used_again_number_is_never_ended(jobs: CommandJobs, place: Workplace) -> None:
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        Path(place.jobs).mkdir(parents=True)
        state = {"command": "x", "pid": stranger.pid, "birth": "1 of another time", "started_at": "2031"}
        (Path(place.jobs) / "c1.json").write_text(json.dumps(state))
        (Path(place.jobs) / "c1.log").touch()
        assert jobs.living() == ()
        assert not jobs.stop("c1").runs
        assert "nobody knows how" in say(jobs, action="list")
        jobs.close()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("has_proc", [True, False])
def test_a_birth_is_that_of_one_living_process(has_proc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_proc and not shutil.which("ps"):
        pytest.skip("without /proc it needs ps, which is not installed")
    monkeypatch.setattr(processes, "_has_proc", lambda: has_proc)
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    began = birth(process.pid)
    assert began
    assert birth(process.pid) == began
    assert group_lives(process.pid)
    process.kill()
    assert until(lambda: not birth(process.pid)), "one that has ended has none, also before it is collected"
    assert not group_lives(process.pid)
    process.wait()
    assert birth(process.pid) == ""
    assert not group_lives(0)


def test_a_log_is_cut_where_it_is_full(
    jobs: CommandJobs, place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "MOST_LOGGED", 100_000)
    id_ = jobs.start("head -c 3000000 /dev/zero | tr '\\0' x; echo > done")
    assert until((Path(place.folder) / "done").exists), "the command is read to its end"
    assert until(lambda: has_ended(jobs, id_))
    log = Path(place.jobs) / "c1.log"
    assert log.stat().st_size == 100_000
    assert jobs.look(id_).is_cut
    assert "the log is full" in say(jobs, action="look", id=id_)
    assert {stat.S_IMODE(path.stat().st_mode) for path in log.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700


def test_pages_follow_each_other_and_split_no_character(jobs: CommandJobs) -> None:
    id_ = jobs.start("printf 'é%.0s' $(seq 1 20001); printf 'x\\n'")
    assert until(lambda: has_ended(jobs, id_))
    read, offset = "", 0
    while offset < (page := jobs.look(id_, offset)).size:
        assert page.start == offset
        read, offset = read + page.text, page.end
    assert read == "é" * 20_001 + "x\n"
    assert jobs.look(id_, 10**12).text == ""


def test_a_look_at_the_end_begins_with_a_whole_line(jobs: CommandJobs) -> None:
    id_ = jobs.start("seq 100000")
    assert until(lambda: has_ended(jobs, id_))
    page = jobs.look(id_)
    assert page.text.endswith("\n100000\n")
    assert len(page.text.splitlines()[0]) == len("99999")


@pytest.mark.parametrize("id_", ["", "c0", "1", "../c1", "c1/../c1", "c1\n", "C1", "c9999999999", "c１"])
def test_what_is_no_id_never_becomes_a_path(jobs: CommandJobs, id_: str) -> None:
    for action in (jobs.look, jobs.stop):
        with pytest.raises(InvalidIdError):
            action(id_)


def test_an_unknown_id_is_answered_with_those_there_are(jobs: CommandJobs) -> None:
    jobs.start("true")
    with pytest.raises(NotFoundError, match="There are: c1"):
        jobs.look("c2")
    assert until(lambda: has_ended(jobs, "c1"))


def test_a_state_that_is_none_of_ours_is_passed_over(jobs: CommandJobs, place: Workplace) -> None:
    Path(place.jobs).mkdir(parents=True)
    for number, text in enumerate(["", "[]", "{", '{"pid": "1"}', "\ud7ff\x00"], 1):
        (Path(place.jobs) / f"c{number}.json").write_text(text)
    assert jobs.listed() == ()


def test_a_folder_that_is_gone_is_named_and_nothing_runs(place: Workplace) -> None:
    jobs = CommandJobs(place._replace(folder=f"{place.folder}/gone"), system_clock)
    with pytest.raises(VibeOSError, match="is not there any more"):
        jobs.start("true")
    assert jobs.listed() == ()


def test_a_command_that_is_too_long_is_refused_with_the_reason(jobs: CommandJobs) -> None:
    with pytest.raises(VibeOSError, match="too long"):
        jobs.start("x" * 200_000)
    assert jobs.listed() == ()


def test_there_is_a_most_of_commands_at_once(jobs: CommandJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_LIVING", 2)
    first = jobs.start("sleep 60")
    jobs.start("sleep 60")
    with pytest.raises(VibeOSError, match="2 commands run in the background already"):
        jobs.start("true")
    jobs.stop(first)
    assert jobs.start("true") == "c3"
    assert until(lambda: has_ended(jobs, "c3"))


def test_the_tool_lists_looks_and_stops(jobs: CommandJobs) -> None:
    assert "No command" in say(jobs, action="list")
    jobs.start("printf '\\033[1mone\\033[0m\\n'; sleep 60")
    assert until(lambda: jobs.look("c1").size > 0)
    assert say(jobs, action="list").startswith("c1: running, started 2031-05-06")
    looked = say(jobs, action="look", id="c1", offset=0)
    assert looked.endswith("what comes next begins at offset 12]\none\n")
    assert "exit status 143" in say(jobs, action="stop", id="c1")
    assert say(jobs, action="stop", id="c1").startswith("It had ended before. c1: ended with exit status 143")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"action": "kill"},
        {"action": "look"},
        {"action": "stop", "id": 1},
        {"action": "look", "id": "c1", "offset": -1},
    ],
)
def test_bad_arguments_are_answered(jobs: CommandJobs, arguments: dict[str, Any]) -> None:
    answer = json.loads(say(jobs, **arguments))
    assert answer["success"] is False
