"""A turn on the terminal: what is printed for good, and what stands below it for now."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from vibeos.ports.models.tools import ToolCall, ToolOutcome
from vibeos.surfaces.cli.talk.ink import PlainInk
from vibeos.surfaces.cli.talk.shown import Shown, gist
from vibeos.values.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Paper:
    """A sheet whose texts are kept."""

    printed: list[str] = field(default_factory=list)
    lines: Callable[[], str] = str
    now: float = 0.0

    def put(self, text: str) -> None:
        self.printed.append(text)

    def watch(self, lines: Callable[[], str]) -> None:
        self.lines = lines

    def changed(self) -> None:
        """It is read when the test looks."""


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def shown(paper: Paper) -> Shown:
    made = Shown(paper, PlainInk(), catalogue("en"), clock=lambda: paper.now)
    made.begins()
    return made


def made_call(name: str = "bash", **arguments: object) -> ToolCall:
    return ToolCall("c1", name, json.dumps(arguments))


def test_what_is_still_written_is_below_and_what_is_finished_is_printed_once(
    shown: Shown, paper: Paper
) -> None:
    shown.wrote("One par")
    assert (paper.printed, paper.lines()) == ([], "One par")
    shown.wrote("agraph.\n\nAnd")
    assert (paper.printed, paper.lines()) == (["One paragraph."], "And")
    shown.wrote(" the end")
    shown.ends()
    assert (paper.printed, paper.lines()) == (["One paragraph.", "\nAnd the end"], "")


def test_a_call_is_below_while_it_runs_and_a_line_with_its_time_afterwards(
    shown: Shown, paper: Paper
) -> None:
    call = made_call(command="make test")
    shown.wrote("I try.")
    shown.calls(call)
    paper.now = 3.2
    assert paper.printed == ["I try."]
    assert paper.lines() == "  · bash make test … 3s"
    shown.called(call, ToolOutcome("c1", "bash", '{"success": true}'))
    assert paper.printed[-1] == "  · bash make test ✓ 3.2s"


def test_calls_side_by_side_are_kept_apart_also_under_one_id(shown: Shown, paper: Paper) -> None:
    one, two = made_call("read", path="a"), made_call("read", path="b")
    shown.calls(one)
    paper.now = 1
    shown.calls(two)
    assert paper.lines() == "  · read a … 1s\n  · read b … 0s"
    shown.called(two, ToolOutcome("c1", "read", "text of the file"))
    assert (paper.lines(), paper.printed) == ("  · read a … 1s", ["  · read b ✓ 0.0s"])


def test_a_failed_call_says_why_on_one_safe_line(shown: Shown, paper: Paper) -> None:
    call = made_call("re\x1bad", path="x\ny\x1b[2J")
    shown.called(call, ToolOutcome("c1", "read", json.dumps({"success": False, "error": "no\n\x1b]0;file"})))
    assert len(paper.printed) == 1
    assert "\n" not in paper.printed[0]
    assert "\x1b" not in paper.printed[0]
    assert "✗ no" in paper.printed[0]


@pytest.mark.parametrize(
    ("output", "seen"),
    [
        ("[exit status 0, 0.1 s]\nexit status 1", "✓"),
        ("[exit status 1, 0.1 s]\nno such file", "✗ exit status 1"),
        ("[exit status -9 (SIGKILL), 0.1 s]\n", "✗ exit status -9 (SIGKILL)"),
        ("[time limit of 5 s reached: it was ended, exit status -15, 5.0 s]", "✗ time limit of 5 s reached"),
        ("[1, 2]", "✓"),
    ],
)
def test_a_command_that_ended_badly_is_marked(shown: Shown, paper: Paper, output: str, seen: str) -> None:
    shown.called(made_call(command="x"), ToolOutcome("c1", "bash", output))
    assert paper.printed == [f"  · bash x {seen} 0.0s"]


def test_an_answer_that_starts_again_says_so_and_is_not_mixed_with_the_first(
    shown: Shown, paper: Paper
) -> None:
    shown.wrote("Half an ans")
    shown.starts_again("the answer broke off")
    shown.wrote("Whole.")
    shown.ends()
    assert paper.printed == ["Half an ans", "asked once more: the answer broke off", "Whole."]
    assert shown.last_text == "Whole."


def test_messages_that_entered_the_turn_are_named(shown: Shown, paper: Paper) -> None:
    shown.took(("and also\nthis", "that"))
    assert paper.printed == ["  ← and also this", "  ← that"]


def test_while_nothing_comes_the_time_is_shown(shown: Shown, paper: Paper) -> None:
    paper.now = 12
    assert paper.lines() == "… 12s (Ctrl-C interrupts)"
    shown.ends()
    assert paper.lines() == ""


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        ('{"action": "add", "target": "user", "content": "likes tea"}', "add user likes tea"),
        ('{"path": "a.py", "edits": [{"old": "x"}], "all": true}', "a.py True"),
        ('{"command": "' + "x" * 100 + '"}', "x" * 69 + "…"),
        ("{half", ""),
        ("[1]", ""),
    ],
)
def test_a_call_is_recognised_by_its_short_values(arguments: str, seen: str) -> None:
    assert gist(ToolCall("c1", "tool", arguments)) == seen


def test_a_call_that_still_runs_when_the_turn_is_interrupted_was_stopped(shown: Shown, paper: Paper) -> None:
    shown.calls(made_call(command="sleep 60"))
    shown.ends()
    assert (paper.printed, paper.lines()) == (["  · bash sleep 60 ✗ stopped"], "")
