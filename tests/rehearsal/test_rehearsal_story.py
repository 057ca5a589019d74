"""The whole story with the real program: remembered, known, found, worked through, interrupted, gone on with."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rehearsal.talking import files
from support.program import Program

if TYPE_CHECKING:
    from pathlib import Path

CHAT = ("chat", "--model", "rehearsal", "--json")
FILES = 40


@pytest.fixture
def program(tmp_path: Path) -> Program:
    folder = tmp_path / "work"
    folder.mkdir()
    return Program(tmp_path / "home", folder)


def ask(program: Program, text: str, *more: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(program.run(*CHAT, *more, "-q", text).stdout)
    return answer


def tools(answer: dict[str, Any]) -> list[str]:
    return [call["tool"] for call in answer["calls"]]


def responses(home: Path) -> int:
    """How many answers the record holds; 0 while there is none."""
    if not (home / "state.db").exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{home / 'state.db'}?mode=ro", uri=True)) as database:
            (count,) = database.execute("SELECT count(*) FROM messages WHERE type = 'assistant'").fetchone()
    except sqlite3.OperationalError:  # not made yet
        return 0
    return int(count)


def stopped_in_the_middle(program: Program, way: signal.Signals) -> int:
    """Begin to work through the folder and stop the program so, once some files are read; its exit code."""
    running = subprocess.Popen(
        [sys.executable, "-m", "vibeos", *CHAT, "-q", "work through the folder notes"],
        cwd=program.folder, env=program.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while responses(program.home) < FILES // 4:
        assert running.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.002)
    running.send_signal(way)
    return running.wait(timeout=60)


def test_what_it_was_told_it_knows_in_the_next_session_and_forgets_when_told(program: Program) -> None:
    told = ask(program, "remember that my favourite editor is Helix")
    assert tools(told) == ["memory"]
    assert "Saved to USER.md" in told["answer"]
    assert "Helix" in program.run("memory", "show").stdout
    known = ask(program, "what is my favourite editor?")
    assert known["session"] != told["session"]
    assert (tools(known), "My favourite editor is Helix" in known["answer"]) == ([], True)
    assert "Forgotten" in ask(program, "forget about the editor")["answer"]
    assert "Helix" not in program.run("memory", "show").stdout


def test_what_nobody_saved_is_found_in_the_record_with_its_session_and_number(program: Program) -> None:
    said = ask(program, "Let us take PostgreSQL as the database.")
    found = ask(program, "what did we decide about the database?")
    assert tools(found) == ["session_search"]
    assert "Let us take PostgreSQL as the database." in found["answer"]
    assert said["session"] in found["answer"]
    assert "#1" in found["answer"]


def test_a_folder_is_worked_through_with_the_products_own_tools(program: Program) -> None:
    files(program.folder, 3)
    (program.folder / "notes" / "picture.bin").write_bytes(bytes(range(256)) * 10)
    answer = ask(program, "work through the folder notes")
    assert tools(answer) == ["read"] * 5 + ["write"]
    report = (program.folder / "notes" / "REPORT.md").read_text()
    assert "- 01.md: Heading 1 (5 lines, 6 words)" in report
    assert "- 03.md: Heading 3 (7 lines, 8 words)" in report
    assert "picture.bin could not be read" in report
    assert "3 of 4 files" in answer["answer"]


def test_a_command_and_a_question_reach_the_products_own_tools(program: Program) -> None:
    files(program.folder, 1)
    assert "01.md" in ask(program, "run ls notes")["answer"]
    asked = ask(program, "ask me which colour I like")
    assert tools(asked) == ["ask"]
    assert "stays open" in asked["answer"]


def test_a_killed_program_goes_on_where_it_was(program: Program) -> None:
    names = files(program.folder, FILES)
    stopped_in_the_middle(program, signal.SIGKILL)
    assert not (program.folder / "notes" / "REPORT.md").exists()
    answer = ask(program, "status", "--continue")
    assert f"{FILES} of {FILES} files" in answer["answer"]
    assert 0 < tools(answer).count("read") < FILES
    report = (program.folder / "notes" / "REPORT.md").read_text()
    assert [line.split(":")[0] for line in report.splitlines() if line.startswith("- ")] == [
        f"- {name}" for name in names
    ]


def test_what_the_person_interrupted_and_stopped_waits_for_their_word(program: Program) -> None:
    files(program.folder, FILES)
    assert stopped_in_the_middle(program, signal.SIGINT) == 130
    # An interrupt between two steps leaves no trace in the conversation, so the word decides.
    waiting = ask(program, "stop", "--continue")
    assert "Waiting: notes" in waiting["answer"]
    assert tools(waiting) == []
    answer = ask(program, "go on", "--continue")
    assert f"{FILES} of {FILES} files" in answer["answer"]
    assert tools(answer).count("read") < FILES
