"""When a checkpoint cannot be made: the older part alone, then no model at all, then a cut result, then one honest message."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, get_args

import pytest

from checkpoint.conversations import WATCH, Talk, as_text, content
from checkpoint.taking_notes import (
    MISSION_PLACE,
    fill,
    model_of,
    notes,
    room_of,
    ticks,
)
from vibeos.memory.checkpoint.cutting import in_flight
from vibeos.memory.checkpoint.room import MOST_UNPRODUCTIVE
from vibeos.memory.checkpoint.state import State
from vibeos.ports.models.check import check_request
from vibeos.record import CheckpointMode
from vibeos.testing import reply
from vibeos.testing.overflows import OverflowForm, overflow
from vibeos.values.errors import ContextFullError

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.memory.checkpoint.context import WorkingContext
    from vibeos.memory.checkpoint.room import RoomMaker

MISSION = "- process all 14 PRs, oldest first (#1) | 6 of 14 done"


def make_room(room: RoomMaker) -> None:
    asyncio.run(room.make_room())


def modes(talk: Talk) -> list[tuple[str, bool]]:
    return [(one.mode.value, one.is_made) for one in talk.record.checkpoints.attempts(talk.session)]


def text_of(context: WorkingContext) -> str:
    return content(context.messages[0])


def begun(talk: Talk, tokens: int) -> Talk:
    talk.says("process all 14 PRs, oldest first")
    fill(talk, tokens // 3)
    talk.answers("A third is done.")
    talk.says("never merge without asking me")
    fill(talk, tokens * 2 // 3)
    talk.answers("Two thirds are done.")
    talk.says("continue")
    fill(talk, tokens)
    return talk


def test_what_is_too_long_for_a_turn_is_taken_in_an_older_part_of_about_half(
    talk: Talk, tmp_path: Path
) -> None:
    before = begun(talk, 220_000).elements()
    with model_of(notes([(MISSION_PLACE, MISSION)], ticks("#1"))) as model:
        room, context = room_of(talk, model, tmp_path)
        make_room(room)
    assert modes(talk) == [("partial", True)]
    assert room.size < room.limits.threshold
    asked = model.requests[0].messages
    assert as_text(asked[:-1]) == before[: len(asked) - 1]
    assert "Only the part up to here is meant" in model.requests[0].last_text
    check_request(context.messages, ())


def test_two_tries_at_an_older_part_that_fail_are_one_attempt_that_failed(talk: Talk, tmp_path: Path) -> None:
    begun(talk, 220_000)
    wrong = [reply("no"), reply("no")]
    with model_of([*wrong, *wrong]) as model:
        room, _ = room_of(talk, model, tmp_path)
        make_room(room)
    assert modes(talk)[:2] == [("partial", False), ("partial", False)]
    assert modes(talk)[2:] == [("drop", True)]
    assert room.size < room.limits.most


def test_a_drop_keeps_the_checkpoint_before_and_every_word_of_the_person(talk: Talk, tmp_path: Path) -> None:
    begun(talk, 175_000)
    with model_of(notes([(MISSION_PLACE, MISSION)], ticks("#1"))) as model:
        make_room(room_of(talk, model, tmp_path)[0])
    fill(talk, 165_000)
    talk.answers("More is done.")
    said = talk.says("do not touch the docs")
    talk.calls(("edit", '{"path": "src/a.py", "edits": []}', "Edited src/a.py"))
    talk.answers("Right.")
    talk.says("go on")
    talk.calls(("bash", '{"command": "ls"}', "x" * 4 * 17_000))
    fill(talk, 215_000)
    silent = [reply("no")] * 4
    with model_of(silent) as model:
        room, context = room_of(talk, model, tmp_path)
        make_room(room)
    shown = text_of(context)
    assert modes(talk)[-1] == ("drop", True)
    assert "M1: process all 14 PRs, oldest first (#1) | 6 of 14 done" in shown
    assert "item 7 of the queue" in shown
    assert f'number="#{said}"' in shown or said > State.of(talk.record, talk.session).covers
    assert "without being gone through" in shown
    assert "\nbash job (9)\n" in shown
    assert talk.elements() == as_text(context.messages)


def test_two_unproductive_attempts_end_checkpoints_by_the_model_in_a_run(talk: Talk, tmp_path: Path) -> None:
    """K02: what cannot leave fills 85% of the window."""
    talk.says("go on")
    system = "s" * 4 * 160_000
    asked = []
    with model_of([reply("no")] * 2 * MOST_UNPRODUCTIVE, window=192_000) as model:
        room, context = room_of(talk, model, tmp_path, system=system)
        for number in range(30):
            talk.calls(("bash", f'{{"command": "job {number}"}}', "x" * 4 * 3_000))
            context.refresh()
            make_room(room)
            asked.append(len(model.requests))
            check_request(context.messages, ())
            assert room.size <= room.limits.most
    assert asked[-1] == 2 * MOST_UNPRODUCTIVE
    assert sum(not made for _, made in modes(talk)) == MOST_UNPRODUCTIVE
    assert ("drop", True) in modes(talk)


def test_a_checkpoint_that_frees_too_little_counts_as_unproductive(talk: Talk, tmp_path: Path) -> None:
    talk.says("go on")
    system = "s" * 4 * 165_000
    for number in range(2):
        talk.calls(("bash", f'{{"command": "job {number}"}}', "x" * 4 * 4_500))
    with model_of(notes() * MOST_UNPRODUCTIVE) as model:
        room, context = room_of(talk, model, tmp_path, system=system)
        for number in range(12):
            make_room(room)
            talk.calls(("bash", f'{{"command": "job {number}"}}', "x" * 4 * 3_000))
            context.refresh()
    assert sum(mode == "drop" for mode, _ in modes(talk)) > 1


@pytest.mark.parametrize("form", get_args(OverflowForm))
def test_a_turn_that_the_provider_refuses_as_too_long_is_tried_with_the_older_part(
    talk: Talk, tmp_path: Path, form: OverflowForm
) -> None:
    """K03."""
    begun(talk, 175_000)
    with model_of([overflow(form), overflow(form), *notes([(MISSION_PLACE, MISSION)], ticks("#1"))]) as model:
        room, _ = room_of(talk, model, tmp_path)
        make_room(room)
    assert modes(talk) == [("full", False), ("partial", False), ("partial", True)]


def test_where_the_older_part_does_not_fit_either_the_oldest_goes_without_a_model(
    talk: Talk, tmp_path: Path
) -> None:
    """K03: at most two tries, then a drop."""
    begun(talk, 184_000)
    with model_of([overflow("vllm")] * 2) as model:
        room, context = room_of(talk, model, tmp_path)
        make_room(room)
    assert modes(talk) == [("partial", False), ("partial", False), ("drop", True)]
    assert '<message number="#1">' in text_of(context)


def test_a_request_that_the_provider_refuses_is_made_shorter_each_time(talk: Talk, tmp_path: Path) -> None:
    begun(talk, 120_000)
    room, _ = room_of(talk, model_of(notes() * 2), tmp_path)
    before = room.size
    room.refused()
    make_room(room)
    assert room.size < before * 0.9
    smaller = room.size
    room.refused()
    make_room(room)
    assert room.size < smaller


def test_a_smaller_model_measures_anew_and_gets_what_fits(talk: Talk, tmp_path: Path) -> None:
    """K15."""
    begun(talk, 900_000)
    with model_of([], window=1_000_000) as large:
        make_room(room_of(talk, large, tmp_path)[0])
    said = len(talk.record.messages.of_session(talk.session))
    small = model_of([step for _ in range(12) for step in notes()], window=128_000)
    room, _ = room_of(talk, small, tmp_path)
    make_room(room)
    assert room.size <= room.limits.most
    assert len(talk.record.messages.of_session(talk.session)) == said
    for request in small.requests:
        check_request(request.messages, request.tools)


def test_no_request_is_longer_than_a_price_step(talk: Talk, tmp_path: Path) -> None:
    """K16."""
    from vibeos.ports.models import element_tokens

    model = model_of([step for _ in range(12) for step in notes()], window=1_000_000, price_step=200_000)
    room, context = room_of(talk, model, tmp_path)
    talk.says("go on")
    for number in range(60):
        talk.calls(("bash", f'{{"command": "job {number}"}}', "x" * 4 * 9_000))
        context.refresh()
        make_room(room)
        assert room.size < 200_000
    assert model.requests
    for request in model.requests:
        assert sum(map(element_tokens, request.messages)) < 200_000


def test_a_result_larger_than_the_window_is_cut_with_a_note(talk: Talk, tmp_path: Path) -> None:
    """K18."""
    talk.says("look at the log")
    talk.calls(("bash", '{"command": "cat log"}', "first " + "x" * 4 * 400_000 + " last"))
    with model_of([]) as model:
        room, context = room_of(talk, model, tmp_path)
        make_room(room)
    result = content(context.messages[-1])
    assert "cut by the program: this output had about 400,00" in result
    assert result.startswith("first ")
    assert result.endswith(" last")
    assert room.size <= room.limits.threshold
    assert talk.elements() == as_text(context.messages)
    check_request(context.messages, ())


def test_a_message_larger_than_the_window_ends_in_one_clear_error(talk: Talk, tmp_path: Path) -> None:
    number = talk.says("x" * 4 * 250_000)
    before = talk.elements()
    with model_of([]) as model:
        room, _ = room_of(talk, model, tmp_path)
        with pytest.raises(ContextFullError) as raised:
            make_room(room)
    assert f"message #{number}" in str(raised.value)
    assert "/new" in str(raised.value)
    assert talk.elements() == before
    assert talk.record.messages.at(talk.session, number).text == "x" * 4 * 250_000


def test_a_system_prompt_larger_than_the_window_is_named(talk: Talk, tmp_path: Path) -> None:
    talk.says("hello")
    with model_of([]) as model:
        room, _ = room_of(talk, model, tmp_path, system="s" * 4 * 250_000)
        with pytest.raises(ContextFullError, match="the system prompt with the tools"):
            make_room(room)


def test_every_drop_leaves_inputs_in_flight_where_they_are(talk: Talk, tmp_path: Path) -> None:
    begun(talk, 100_000)
    talk.says("and now this", WATCH)
    fill(talk, 230_000)
    with model_of([reply("no")] * 4) as model:
        room, context = room_of(talk, model, tmp_path)
        make_room(room)
    flying = [context.elements[place].row.message.text for place in in_flight(context.elements)]  # type: ignore[union-attr]
    assert flying == ["continue", "and now this"]
    assert CheckpointMode.DROP.value in [mode for mode, _ in modes(talk)]
