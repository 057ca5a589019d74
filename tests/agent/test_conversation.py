"""What a conversation holds and lets go of: its models, its background commands, the time of others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import vibeos
from agent.left_behind import left_behind, until
from vibeos.testing import ScriptedModel, reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.app.vibeos import VibeOS


class Closing(ScriptedModel):
    """Knows when it was closed, and that it was not asked afterwards."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def home(tmp_path: Path) -> Iterator[VibeOS]:
    with vibeos.open_home(tmp_path / "home") as opened:
        yield opened


def test_closing_holds_up_nobody_else_while_a_command_takes_its_time_to_end(
    home: VibeOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vibeos.agent.commands.GRACE", 0.4)

    async def looks_while_it_closes() -> int:
        conversation = home.chat.begin(model=ScriptedModel())
        conversation.jobs.start("trap '' TERM; echo up; while :; do sleep 0.05; done")
        assert await asyncio.to_thread(until, lambda: "up" in conversation.jobs.look("c1").text)
        closing, looks = asyncio.create_task(conversation.close()), 0
        while not closing.done():
            await asyncio.sleep(0.01)
            looks += 1
        assert conversation.jobs.living() == ()
        assert until(lambda: not left_behind(conversation.session.id))
        return looks

    assert asyncio.run(looks_while_it_closes()) > 10


def test_only_what_was_started_here_ends_with_it(home: VibeOS) -> None:
    earlier = home.chat.begin(model=ScriptedModel())
    try:
        old = earlier.jobs.start("sleep 300")
        later = home.chat.resume(earlier.session.id, model=ScriptedModel())
        new = later.jobs.start("sleep 300")
        assert {job.id for job in later.living()} == {old, new}
        assert [job.id for job in later.ending()] == [new]
        asyncio.run(later.close())
        assert later.ending() == ()
        assert [job.id for job in earlier.ending()] == [old]
    finally:
        earlier.jobs.close()
    assert earlier.ending() == earlier.living() == ()


def test_a_model_that_was_replaced_in_the_middle_of_a_turn_is_closed_when_that_has_ended(
    home: VibeOS,
) -> None:
    model = Closing([reply("Done.", delay=0.3)])
    conversation = home.chat.begin(model=model)
    conversation.say("One")

    async def replace_it() -> None:
        turn = asyncio.create_task(conversation.work())
        while not model.requests:  # noqa: ASYNC110 - the model knows nothing of this test
            await asyncio.sleep(0.005)
        await conversation.switch("rehearsal")
        assert (model.closed, conversation.route.name) == (0, "rehearsal")
        await turn
        assert model.closed == 1
        await conversation.close()

    asyncio.run(replace_it())
    assert model.closed == 1


def test_a_model_that_another_conversation_goes_on_with_is_not_closed_and_one_that_was_replaced_is(
    home: VibeOS,
) -> None:
    first, second = Closing(), Closing()
    conversation = home.chat.begin(model=first)
    conversation._outgoing.append(second)
    asyncio.run(conversation.close(keep_model=True))
    assert (first.closed, second.closed) == (0, 1)
    asyncio.run(conversation.close())
    assert (first.closed, second.closed) == (1, 1)


def test_a_model_that_does_not_exist_changes_nothing(home: VibeOS) -> None:
    model = Closing()
    conversation = home.chat.begin(model=model)
    with pytest.raises(vibeos.VibeOSError):
        asyncio.run(conversation.switch("nonsense"))
    assert conversation.model is model
    assert model.closed == 0
