"""A run that makes room: checkpoints by a scripted model, and what comes when they cannot be had."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from checkpoint.conversations import Talk, as_text, content
from checkpoint.taking_notes import (
    MISSION_PLACE,
    NOW,
    edits,
    fill,
    model_of,
    notes,
    room_of,
    ticks,
)
from vibeos.testing import reply

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.memory.checkpoint.context import WorkingContext

MISSION = "- process all 14 PRs, oldest first (#1) | 6 of 14 done"


def text_of(context: WorkingContext) -> str:
    """The checkpoint's text."""
    return content(context.messages[0])


def make(talk: Talk, steps: list[object], folder: Path, **more: object) -> WorkingContext:
    """Make room once; every step of the model must be used."""
    with model_of(steps, **more) as model:  # type: ignore[arg-type]
        room, context = room_of(talk, model, folder)
        asyncio.run(room.make_room())
    return context


def begun(talk: Talk) -> Talk:
    """A conversation that is too long for a window of 192,000."""
    talk.says("process all 14 PRs, oldest first")
    fill(talk, 150_000)
    talk.says("never merge without asking me")
    talk.answers("I will ask.")
    talk.says("continue")
    fill(talk)
    return talk


def test_below_the_threshold_nothing_happens(talk: Talk, tmp_path: Path) -> None:
    talk.says("hello")
    before = talk.elements()
    make(talk, [], tmp_path)
    assert talk.elements() == before


def test_a_checkpoint_replaces_the_older_part_and_keeps_the_turn_in_flight(
    talk: Talk, tmp_path: Path
) -> None:
    begun(talk)
    before = talk.context()
    context = make(talk, notes([(MISSION_PLACE, MISSION)], ticks("#1")), tmp_path)
    shown = text_of(context)
    assert "M1: process all 14 PRs, oldest first (#1) | 6 of 14 done" in shown
    assert '<message number="#1">\nprocess all 14 PRs, oldest first\n</message>' in shown
    assert "item 7 of the queue" in shown
    assert as_text(context.messages)[-2:] == as_text(before.messages[-2:])
    assert content(context.messages[1]) == "continue"
    assert context.fold.tokens(0, "openai:scripted") < 40_000


def test_the_same_rows_give_the_same_context_after_a_restart(talk: Talk, tmp_path: Path) -> None:
    begun(talk)
    context = make(talk, notes([(MISSION_PLACE, MISSION)], ticks("#1")), tmp_path)
    assert talk.elements() == as_text(context.messages)


def test_a_failed_checkpoint_changes_nothing_and_leaves_an_attempt(talk: Talk, tmp_path: Path) -> None:
    begun(talk)
    before = talk.elements()
    context = make(talk, [reply("nothing of use"), reply("still nothing")], tmp_path)
    assert as_text(context.messages) == before
    attempts = talk.record.checkpoints.attempts(talk.session)
    assert [one.is_made for one in attempts] == [False]
    assert any("<now>" in problem for problem in attempts[0].problems)


def test_what_the_model_weakens_is_mended(talk: Talk, tmp_path: Path) -> None:
    begun(talk)
    make(talk, notes([(MISSION_PLACE, MISSION)], ticks("#1")), tmp_path)
    fill(talk)
    accepted = "M1: process all 14 PRs, oldest first (#1) | 6 of 14 done"
    weaker = [(accepted, "M1: review PR 7 | doing it")]
    lesson = [("(nothing noted yet: principles that will help again)", "- look twice")]
    context = make(talk, [edits(weaker), edits(lesson), reply(NOW), reply(NOW)], tmp_path)
    shown = text_of(context)
    assert "M1: process all 14 PRs, oldest first (#1)" in shown
    assert "look twice" in shown
    assert "settled: mission M1 was put right" in talk.record.checkpoints.attempts(talk.session)[-1].problems
