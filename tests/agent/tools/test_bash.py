"""The bash tool, with real processes: whatever a command does, the call ends and nothing is left behind unsaid."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.left_behind import left_behind, until
from agent.tools.kit import watched_workplace
from vibeos.agent import running
from vibeos.agent.collected import Collected, harmless
from vibeos.agent.commands import CommandJobs
from vibeos.agent.person import Nobody
from vibeos.agent.processes import group_lives
from vibeos.agent.tools.bash import BashTool, visible
from vibeos.agent.tools.outputs import SHOWN
from vibeos.ports.models.tools import ToolCall
from vibeos.values.clock import system_clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.agent.person import Person, Question
    from vibeos.agent.workplace import Workplace


class Somebody:
    """A person who is there and gives one answer to everything."""

    is_present = True

    def __init__(self, answer: str | None) -> None:
        self.asked: list[Question] = []
        self._answer = answer

    async def ask(self, question: Question) -> str | None:
        self.asked.append(question)
        return self._answer


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    yield from watched_workplace(tmp_path)


@pytest.fixture
def jobs(place: Workplace) -> Iterator[CommandJobs]:
    jobs = CommandJobs(place, system_clock)
    yield jobs
    jobs.close()


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait between the two signals, shortened."""
    monkeypatch.setattr(running, "GRACE", 0.3)


class Bash:
    def __init__(self, place: Workplace, jobs: CommandJobs) -> None:
        self.place = place
        self.jobs = jobs

    async def say(
        self, command: object, person: Person | None = None, dangerous: str = "ask", **more: Any
    ) -> str:
        tool = BashTool(self.place, self.jobs, person or Nobody(), dangerous)
        call = ToolCall("1", "bash", json.dumps({"command": command, **more}))
        return (await tool.call(call)).content

    def __call__(
        self, command: object, person: Person | None = None, dangerous: str = "ask", **more: Any
    ) -> str:
        return asyncio.run(self.say(command, person, dangerous, **more))


@pytest.fixture
def bash(place: Workplace, jobs: CommandJobs) -> Bash:
    return Bash(place, jobs)


def test_a_command_answers_with_its_status_and_both_its_outputs(bash: Bash) -> None:
    answer = bash("echo out; echo err >&2; exit 3")
    assert answer.startswith("[exit status 3, 0.")
    assert answer.endswith("s]\nout\nerr\n")


def test_a_command_runs_in_the_working_folder_with_the_session_as_a_variable(bash: Bash) -> None:
    answer = bash('pwd -P; echo "$VIBEOS_SESSION"')
    assert answer.splitlines()[1:] == [os.path.realpath(bash.place.folder), bash.place.session_id]


def test_silence_is_named(bash: Bash) -> None:
    assert bash("true").endswith("\n(no output)")


def test_a_command_may_begin_with_a_dash(bash: Bash) -> None:
    assert "-x: command not found" in bash("-x")


def test_there_is_no_terminal_and_no_input(bash: Bash) -> None:
    answer = bash("tty; cat; echo x > /dev/tty; echo ended")
    assert "not a tty" in answer
    assert "/dev/tty" in answer
    assert answer.endswith("ended\n")


@pytest.mark.parametrize(("number", "name"), [(9, "SIGKILL"), (15, "SIGTERM"), (11, "SIGSEGV")])
def test_an_end_by_a_signal_names_the_signal(bash: Bash, number: int, name: str) -> None:
    assert f"exit status {128 + number} ({name})" in bash(f"kill -{number} $$")


def test_a_command_that_kills_its_parent_goes_on_and_so_do_we(bash: Bash) -> None:
    answer = bash("kill $PPID; sleep 0.05; echo alive")
    assert answer.startswith("[exit status 0")
    assert answer.endswith("alive\n")


def test_a_parent_killed_for_good_still_ends_the_call(bash: Bash) -> None:
    assert bash("kill -9 $PPID; sleep 0.05; echo alive").endswith("alive\n")


def test_the_time_limit_ends_the_whole_group(bash: Bash) -> None:
    began = time.monotonic()
    answer = bash("sleep 60 | sleep 60", timeout=0.2)
    assert "time limit of 0.2 s reached" in answer
    assert time.monotonic() - began < 2
    assert until(lambda: not left_behind(bash.place.session_id))


def test_a_command_that_ignores_the_polite_signal_is_killed(bash: Bash, short_grace: None) -> None:
    answer = bash("trap '' TERM; echo begun; while :; do sleep 0.05; done", timeout=0.2)
    assert "SIGKILL" in answer
    assert answer.endswith("begun\n")


def test_what_a_command_says_while_it_is_ended_is_still_read(bash: Bash) -> None:
    answer = bash(
        "trap 'seq 30000 | tail -1; echo bye; exit' TERM; while :; do sleep 0.05; done", timeout=0.3
    )
    assert answer.endswith("30000\nbye\n")


def test_a_child_that_holds_the_output_is_waited_for_a_moment_and_named(bash: Bash) -> None:
    answer = bash("sleep 60 & echo begun")
    assert "still runs" in answer
    assert answer.endswith("begun\n")
    group = int(answer.partition("kill -- -")[2].partition("`")[0])
    assert group_lives(group)
    os.killpg(group, signal.SIGKILL)


def test_a_child_that_went_away_and_holds_the_output_does_not_keep_the_call(bash: Bash) -> None:
    began = time.monotonic()
    answer = bash("(setsid sleep 2.5 &); echo begun")
    assert time.monotonic() - began < 2
    assert "still runs" in answer
    assert "kill --" not in answer


def test_a_child_left_behind_may_go_on_printing(bash: Bash) -> None:
    bash("(sleep 1.2; echo late; echo done > mark) &")
    assert until((Path(bash.place.folder) / "mark").exists)


def test_a_flood_is_read_on_and_its_two_ends_are_shown(bash: Bash) -> None:
    answer = bash("echo first; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert len(answer) < SHOWN + 500
    assert "\nfirst\nx" in answer
    assert answer.endswith("x\nlast\n")
    assert "200,000,012 bytes were printed; its first 50,000,000 bytes are in" in answer
    (kept,) = Path(bash.place.outputs).iterdir()
    assert str(kept) in answer
    assert kept.stat().st_size == 50_000_000
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("lines", [8_000, 40_000])
def test_a_long_output_is_kept_whole(bash: Bash, lines: int) -> None:
    answer = bash(f"seq {lines}")
    (kept,) = Path(bash.place.outputs).iterdir()
    assert kept.read_text() == "".join(f"{number}\n" for number in range(1, lines + 1))
    assert f"the whole is in {kept}" in answer
    assert answer.splitlines()[1] == "1"
    assert answer.endswith(f"\n{lines}\n")


def test_an_output_that_cannot_be_kept_is_still_shown(bash: Bash) -> None:
    Path(bash.place.home).mkdir(exist_ok=True)
    Path(bash.place.outputs).write_text("in the way")
    answer = bash("seq 40000")
    assert "could not be kept" in answer
    assert answer.endswith("\n40000\n")


def test_control_characters_and_broken_text_are_made_harmless(bash: Bash) -> None:
    answer = bash(r"printf '\033[31mred\033[0m \377\0 \a b\bb\r\n\033]0;title\007end\033]half'")
    assert answer.partition("\n")[2] == "red \ufffd␀ ␇ b\nend␛]half"


@given(st.text())
def test_harmless_text_has_nothing_that_a_terminal_obeys(text: str) -> None:
    shown = harmless(text)
    assert all(one in "\n\t" or (ord(one) >= 32 and not 0x7F <= ord(one) < 0xA0) for one in shown)


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_a_short_output_is_shown_whole_however_it_comes(tmp_path_factory: Any, parts: list[bytes]) -> None:
    output = Collected("/nonexistent")
    for part in parts:
        output.add(part)
    assert output.shown() == harmless(b"".join(parts).decode("utf-8", "replace"))
    assert output.size == len(b"".join(parts))


def test_cancelling_ends_the_command_first(bash: Bash) -> None:
    async def interrupted() -> None:
        task = asyncio.create_task(bash.say("echo > begun; sleep 60 & sleep 60"))
        assert await asyncio.to_thread(until, (Path(bash.place.folder) / "begun").exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert left_behind(bash.place.session_id) == []

    asyncio.run(interrupted())


def test_cancelling_twice_still_ends_it(bash: Bash, short_grace: None) -> None:
    async def interrupted() -> None:
        task = asyncio.create_task(bash.say("trap '' TERM; echo > begun; while :; do sleep 0.05; done"))
        assert await asyncio.to_thread(until, (Path(bash.place.folder) / "begun").exists)
        task.cancel()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert left_behind(bash.place.session_id) == []

    asyncio.run(interrupted())


def test_many_commands_run_at_once(bash: Bash) -> None:
    async def many() -> list[str]:
        return await asyncio.gather(*(bash.say(f"sleep 0.5; echo {number}") for number in range(30)))

    began = time.monotonic()
    answers = asyncio.run(many())
    assert [answer.splitlines()[-1] for answer in answers] == [str(number) for number in range(30)]
    assert time.monotonic() - began < 5


def test_it_works_in_the_loop_of_another_thread(bash: Bash) -> None:
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(bash, ["echo one", "echo two"]))
    assert [answer.splitlines()[-1] for answer in answers] == ["one", "two"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"command": " "}, "command line"),
        ({"command": 3}, "command line"),
        ({"command": "echo \0"}, "NUL"),
        ({"command": "echo \ud800"}, "half a character"),
        ({"command": "true", "timeout": 0}, "timeout"),
        ({"command": "true", "timeout": 3601}, "timeout"),
        ({"command": "true", "timeout": True}, "timeout"),
        ({"command": "true", "background": "yes"}, "background"),
        ({"command": "x" * 200_000}, "too long"),
    ],
)
def test_bad_arguments_are_answered_and_nothing_runs(
    bash: Bash, arguments: dict[str, Any], said: str
) -> None:
    answer = json.loads(bash(**arguments))
    assert answer["success"] is False
    assert said in answer["error"]


def test_broken_arguments_are_answered(bash: Bash) -> None:
    tool = BashTool(bash.place, bash.jobs, Nobody(), "ask")
    answer = asyncio.run(tool.call(ToolCall("1", "bash", '{"command": "ec')))
    assert "not one JSON object" in answer.content


def test_a_folder_that_is_gone_is_named(bash: Bash) -> None:
    bash.place = bash.place._replace(folder=f"{bash.place.folder}/gone")
    assert "is not there any more" in bash("true")


def test_without_bash_the_command_runs_in_sh(bash: Bash, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    bash.place = bash.place._replace(environment={"PATH": str(tmp_path / "bin")})
    assert bash("echo ${BASH_VERSION:-plain}").endswith("\nplain\n")
    bash.place = bash.place._replace(environment={"PATH": str(tmp_path / "none")})
    assert "neither bash nor sh" in bash("true")


HARM = "touch mark; rm -rf /nonexistent-root-of-a-test"


def test_a_dangerous_command_asks_the_person_and_runs_after_a_yes(bash: Bash) -> None:
    person = Somebody("yes")
    assert bash(HARM, person).startswith("[exit status 0")
    (question,) = person.asked
    assert HARM in question.text
    assert question.choices == ("yes", "no")
    assert (Path(bash.place.folder) / "mark").exists()


def test_the_working_folder_and_our_home_are_known_by_their_places(bash: Bash) -> None:
    folder, home = bash.place.folder, bash.place.home
    assert bash(f"mkdir build; rm -rf {folder}/build; echo a > config.yaml").startswith("[exit status 0")
    assert "belongs to VibeOS" in bash(f"echo x > {home}/config.yaml")
    assert "outside the work" in bash(f"rm -rf {folder}")


def test_a_field_that_is_sent_empty_counts_as_left_out(bash: Bash) -> None:
    assert bash("echo a", timeout=None, background=None).endswith("\na\n")


@pytest.mark.parametrize("answer", ["no", None, "", "yes please"])
def test_a_dangerous_command_does_not_run_after_anything_else(bash: Bash, answer: str | None) -> None:
    assert "did not say yes" in bash(HARM, Somebody(answer))
    assert not (Path(bash.place.folder) / "mark").exists()


@pytest.mark.parametrize("background", [False, True])
def test_a_dangerous_command_is_refused_where_nobody_is_there(bash: Bash, background: bool) -> None:
    assert "tools.dangerous_commands: allow" in bash(HARM, background=background)
    assert not (Path(bash.place.folder) / "mark").exists()


def test_a_dangerous_command_is_refused_unasked_where_the_setting_says_so(bash: Bash) -> None:
    person = Somebody("yes")
    assert "refused here" in bash(HARM, person, "refuse")
    assert person.asked == []


def test_a_dangerous_command_runs_unasked_where_it_is_allowed(bash: Bash) -> None:
    person = Somebody("no")
    assert bash(HARM, person, "allow").startswith("[exit status 0")
    assert person.asked == []


def test_the_question_shows_what_would_be_hidden() -> None:
    shown = visible("rm -rf ~ #\r\x1b[2Kls\u202e\u200b\n\techo é 你好")
    assert shown == "rm -rf ~ #\\r\\u{1b}[2Kls\\u{202e}\\u{200b}\n\\techo é 你好"
