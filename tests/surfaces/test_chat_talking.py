"""The talk itself, at a desk without a terminal: what it takes up, what waits, what ends with it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

import pytest

import vibeos
from agent.left_behind import left_behind, until
from vibeos.app.conversation import INTERRUPTED
from vibeos.surfaces.cli.talk.ink import PlainInk
from vibeos.surfaces.cli.talk.talking import Talk
from vibeos.testing import ScriptedModel, call, fault, reply, stalled
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.testing.steps import Playable

PATIENCE = 20  # seconds
TAKES_UP = "Something in this conversation was not answered yet"


async def soon(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110 - what is waited for knows nothing of this test
            await asyncio.sleep(0.005)


async def is_asked(model: ScriptedModel, times: int = 1) -> None:
    await soon(lambda: len(model.requests) >= times)


class Desk:
    """What is typed comes from the test, what is put is kept."""

    def __init__(self, *, is_beside: bool = True) -> None:
        self.is_beside = is_beside
        self.shown = ""
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()

    def types(self, text: str) -> None:
        self._typed.put_nowait(text)

    def leave(self) -> None:
        self._typed.put_nowait(None)

    async def sees(self, text: str, times: int = 1) -> None:
        await soon(lambda: self.shown.count(text) >= times)

    async def read(self) -> str | None:
        return await self._typed.get()

    async def hear(self) -> str | None:
        return None

    def put(self, text: str) -> None:
        self.shown += f"{text}\n"

    def watch(self, lines: Callable[[], str]) -> None:
        """Nothing is drawn anew."""

    def changed(self) -> None:
        """The same."""


class Closing(ScriptedModel):
    """Counts how often it was closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def home(tmp_path: Path) -> Iterator[VibeOS]:
    with vibeos.open_home(tmp_path / "home") as opened:
        yield opened


def talk(
    conversation: Conversation,
    person: Callable[[Talk, Desk], Awaitable[None]],
    *,
    goes_on: bool = False,
    is_beside: bool = True,
) -> str:
    """Everything that was shown, from the opening to the end, which comes when `person` has done what they do."""

    async def from_beginning_to_end() -> str:
        desk = Desk(is_beside=is_beside)
        talking = Talk(conversation, PlainInk(), lambda _: desk)
        running = asyncio.create_task(talking.run(goes_on=goes_on))
        await person(talking, desk)
        desk.leave()
        await running
        return desk.shown

    return asyncio.run(from_beginning_to_end())


def opened(home: VibeOS, *steps: Playable) -> tuple[Conversation, Closing]:
    model = Closing(steps)
    return home.chat.begin(model=model), model


def asked(model: ScriptedModel) -> list[str]:
    """What the person said, as the last request has it."""
    parts = (part for message in model.requests[-1].messages for part in message.parts)
    return [str(part.content) for part in parts if part.part_kind == "user-prompt"]


async def nothing(_talking: Talk, _desk: Desk) -> None:
    """Leave at once."""


@pytest.mark.parametrize("is_beside", [True, False])
def test_a_message_that_waits_is_taken_up_with_the_conversation(home: VibeOS, *, is_beside: bool) -> None:
    conversation, model = opened(home, reply("Here is the answer."))
    conversation.say("It waits")

    async def person(_: Talk, desk: Desk) -> None:
        await desk.sees("Here is the answer.")

    shown = talk(conversation, person, goes_on=True, is_beside=is_beside)
    assert shown.index(TAKES_UP) < shown.index("Here is the answer.")
    assert asked(model) == ["It waits"]
    model.assert_used_up()


def test_a_turn_that_died_with_its_program_is_taken_up(home: VibeOS) -> None:
    conversation, model = opened(home, reply("Now I know."))
    conversation.say("Find it")
    record, session = home.record, conversation.session.id
    record.inbox.take(session)
    died = _response_with_a_call()
    record.messages.record_response(session, text="", payload=died, model="m")

    async def person(_: Talk, desk: Desk) -> None:
        await desk.sees("Now I know.")

    assert TAKES_UP in talk(conversation, person, goes_on=True)
    assert "interrupted before this call's result was stored" in model.requests[0].last_text


def _response_with_a_call() -> str:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

    from vibeos.ports.models import dump_response

    return dump_response(ModelResponse([ToolCallPart("session_search", '{"query": "x"}', "c1")]))


def test_an_answered_conversation_and_an_empty_one_ask_nothing_by_themselves(home: VibeOS) -> None:
    answered, model = opened(home, reply("Hello."))
    answered.say("Hi")
    answered.turn()
    for conversation in (answered, home.chat.begin(model=model)):
        assert TAKES_UP not in talk(conversation, nothing, goes_on=True)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("sent", "goes_on"), [(signal.SIGINT, False), (signal.SIGTERM, True), (signal.SIGHUP, True)]
)
def test_a_turn_that_the_person_ended_is_not_taken_up_and_one_that_ended_with_the_program_is(
    home: VibeOS, sent: signal.Signals, *, goes_on: bool
) -> None:
    conversation, model = opened(home, reply("Too late.", delay=20), reply("Here it is."))

    async def interrupts(_: Talk, desk: Desk) -> None:
        desk.types("Do it")
        await is_asked(model)
        os.kill(os.getpid(), sent)
        await desk.sees("interrupted; what was said so far is kept")

    async def waits(_: Talk, desk: Desk) -> None:
        if goes_on:
            await desk.sees("Here it is.")

    talk(conversation, interrupts)
    again = home.chat.resume(conversation.session.id, model=model)
    shown = talk(again, waits, goes_on=True)
    assert (TAKES_UP in shown) is goes_on
    assert (f"notice: {INTERRUPTED}" in shown) is not goes_on


def test_a_turn_that_was_ended_goes_on_with_the_next_message(home: VibeOS) -> None:
    command = call("bash", {"command": "echo begun; sleep 300"})
    conversation, model = opened(home, reply(calls=[command]), reply("All right."))

    async def person(talking: Talk, desk: Desk) -> None:
        desk.types("Do it")
        await soon(lambda: bool(left_behind(conversation.session.id)))
        assert talking.interrupt()
        await desk.sees("interrupted; what was said so far is kept")
        assert not conversation.is_unfinished()
        desk.types("Leave it")
        await desk.sees("All right.")

    talk(conversation, person)
    assert asked(model) == ["Do it", "Leave it"]
    types = [one.type.value for one in home.record.messages.of_session(conversation.session.id)]
    assert types == ["user", "assistant", "notice", "user", "assistant"]


def test_an_interrupted_answer_of_which_something_was_written_needs_no_notice(home: VibeOS) -> None:
    conversation, model = opened(home, stalled("It begins well and goes on" * 9, pause=0.2))

    async def person(talking: Talk, desk: Desk) -> None:
        desk.types("One")
        await is_asked(model)
        await soon(lambda: bool(talking._shown.last_text))
        assert talking.interrupt()
        await desk.sees("interrupted; what was said so far is kept")

    talk(conversation, person)
    assert INTERRUPTED not in [one.text for one in home.record.messages.of_session(conversation.session.id)]
    assert not conversation.is_unfinished()


def test_a_new_conversation_takes_nothing_up_though_another_one_waits(home: VibeOS) -> None:
    waiting, _ = opened(home)
    waiting.say("It waits")
    assert TAKES_UP not in talk(home.chat.begin(model=ScriptedModel()), nothing)
    assert waiting.is_anything_waiting()


def test_resuming_another_conversation_in_the_talk_takes_it_up(home: VibeOS) -> None:
    here, model = opened(home, reply("Here is the answer."))
    other = home.record.sessions.start(source="cli")
    home.record.inbox.deliver(other.id, Envelope.person("cli"), "It waits")

    async def person(_: Talk, desk: Desk) -> None:
        desk.types(f"/resume {other.id}")
        await desk.sees("Here is the answer.")

    assert TAKES_UP in talk(here, person)
    assert asked(model) == ["It waits"]


def test_a_message_typed_into_an_interrupted_turn_begins_the_next_one(home: VibeOS) -> None:
    long = "It begins well and goes on" * 9
    steps = [stalled(long, pause=0.2), stalled(long, pause=0.2), reply("To all three.")]
    conversation, model = opened(home, *steps)

    async def person(talking: Talk, desk: Desk) -> None:
        for number, text in enumerate(("One", "Two", "Three"), 1):
            desk.types(text)
            if number > 1:
                await desk.sees("stored; it is taken at the next request", number - 1)
                assert talking.interrupt()
                await desk.sees("now your message that waited", number - 1)
            await is_asked(model, number)
        await desk.sees("To all three.")

    shown = talk(conversation, person)
    assert shown.count("interrupted; what was said so far is kept\nnow your message that waited") == 2
    assert asked(model) == ["One", "Two", "Three"]


def test_who_leaves_in_the_middle_of_a_turn_is_not_held_by_a_message_that_waits(home: VibeOS) -> None:
    conversation, model = opened(home, stalled("It begins well and goes on" * 9, pause=0.2))

    async def person(_: Talk, desk: Desk) -> None:
        desk.types("One")
        await is_asked(model)
        desk.types("Two")
        await desk.sees("stored; it is taken at the next request")

    assert "now your message" not in talk(conversation, person)
    assert len(model.requests) == 1
    assert conversation.is_anything_waiting()


def test_a_message_that_waits_while_the_model_fails_is_said_to_be_kept_and_goes_along(home: VibeOS) -> None:
    conversation, model = opened(home, fault(401, "no such key", delay=0.2), reply("To all."))

    async def person(_: Talk, desk: Desk) -> None:
        desk.types("One")
        await is_asked(model)
        desk.types("Two")
        await desk.sees("Your message is kept and goes along with the next one.")
        desk.types("Three")
        await desk.sees("To all.")

    talk(conversation, person)
    assert asked(model) == ["One", "Two", "Three"]


def test_a_new_conversation_goes_on_with_the_model_that_the_old_one_had(home: VibeOS) -> None:
    conversation, model = opened(home, reply("To the first."), reply("To the second."))

    async def person(_: Talk, desk: Desk) -> None:
        desk.types("One")
        await desk.sees("To the first.")
        desk.types("/new")
        await desk.sees("session 20", 2)
        assert model.closed == 0
        desk.types("Two")
        await desk.sees("To the second.")

    talk(conversation, person)
    assert asked(model) == ["Two"]
    assert model.closed == 1


def test_another_model_closes_the_one_before(home: VibeOS) -> None:
    conversation, model = opened(home)

    async def person(_: Talk, desk: Desk) -> None:
        desk.types("/model rehearsal")
        await desk.sees("From now on: rehearsal")
        assert model.closed == 1

    talk(conversation, person)
    assert model.closed == 1


def test_leaving_ends_the_background_commands_of_this_run_and_of_no_earlier_one(home: VibeOS) -> None:
    sleeping = call("bash", {"command": "sleep 300 # of now", "background": True})
    conversation, _ = opened(home, reply(calls=[sleeping]), reply("It runs."))
    earlier = home.chat.resume(conversation.session.id, model=ScriptedModel())
    old = earlier.jobs.start("sleep 300 # of before")

    async def person(_: Talk, desk: Desk) -> None:
        desk.types("Start it")
        await desk.sees("It runs.")

    try:
        shown = talk(conversation, person)
        ends = shown.index("These background commands end with the conversation:")
        stay = shown.index("These background commands of an earlier run go on running:")
        assert ends < shown.index("# of now", ends) < stay < shown.index("# of before")
        assert [job.id for job in conversation.jobs.living()] == [old]
    finally:
        earlier.jobs.close()
    assert until(lambda: not left_behind(conversation.session.id))
