"""Checkpoints in the agent's own conversations: in the middle of a turn, without a word, and the same after a restart."""

from __future__ import annotations

import asyncio
import json
import re
import warnings
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

import vibeos
from checkpoint.conversations import WATCH, as_text, content
from checkpoint.taking_notes import MISSION_PLACE, NOW, edits, is_checkpoint, route_of
from support.program import Program
from vibeos.ports.models import dump_response, element_tokens
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.testing import ScriptedModel, call, reply
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models.tools import ToolCall
    from vibeos.testing import Step
    from vibeos.testing.scripted_model import ScriptedRequest

WINDOW = 40_000
PERSON = Envelope.person("test", author_name="Sam")


class Items:
    """A tool that gives an item of a queue, at length."""

    side_by_side = True

    def __init__(self, text: str = "x") -> None:
        self._text = text

    def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec("item", "An item of the queue.", {"type": "object", "properties": {}}),)

    async def call(self, call: ToolCall) -> ToolOutcome:
        return ToolOutcome(call.call_id, call.name, f"item {call.call_id} {self._text * 12_000}")


class Worker:
    """A model that calls `item` until it has called it `items` times, and takes notes when it is asked to."""

    def __init__(self, items: int) -> None:
        self.items = items
        self.done = 0
        self.checkpoints = 0
        self.meanwhile: Callable[[ScriptedRequest], None] = lambda _: None

    def __call__(self, request: ScriptedRequest) -> Step | str:
        self.meanwhile(request)
        if is_checkpoint(request):
            self.checkpoints += 1
            return reply(NOW)
        if self.done < self.items:
            self.done += 1
            return reply("", calls=[call("item", {}, f"i{self.done}")])
        return f"done with {self.done}"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[VibeOS]:
    (tmp_path / "work").mkdir()
    with chdir(tmp_path / "work"), vibeos.open_home(tmp_path / "home") as home:
        yield home


def begin(home: VibeOS, worker: Worker, **more: object) -> tuple[Conversation, ScriptedModel]:
    model = ScriptedModel([worker] * 200, route=route_of(WINDOW))
    return home.chat.begin(source="test", model=model, tools=[Items(**more)]), model  # type: ignore[arg-type]


def say(conversation: Conversation, text: str, envelope: Envelope = PERSON) -> None:
    conversation.app.record.inbox.deliver(conversation.session.id, envelope, text)


def texts(messages: Sequence[object]) -> list[str]:
    return [content(one) for one in messages if hasattr(one.parts[0], "content")]  # type: ignore[attr-defined]


def test_a_turn_goes_on_through_checkpoints_without_a_word(home: VibeOS) -> None:
    worker = Worker(40)
    conversation, model = begin(home, worker)
    say(conversation, "work through the queue, oldest first")
    end = conversation.turn()
    assert end.answer.text == "done with 40"
    assert worker.checkpoints >= 3
    said = home.record.messages.of_session(conversation.session.id)
    assert not [one for one in said if "checkpoint" in one.text.lower()]
    final = model.requests[-1]
    assert texts(final.messages)[1] == "work through the queue, oldest first"  # in flight, as it was
    assert "they and these notes differ, the messages win" in content(final.messages[0])


def test_each_request_between_two_checkpoints_begins_with_the_one_before_it(home: VibeOS) -> None:
    """K23."""
    worker = Worker(30)
    conversation, model = begin(home, worker)
    say(conversation, "work through the queue")
    conversation.turn()
    before: list[str] = []
    broken = 0
    for request in model.requests:
        now = as_text(request.messages)
        assert (request.system, request.tools) == (model.requests[0].system, model.requests[0].tools)
        if now[: len(before)] != before:
            broken += 1
            assert content(request.messages[0]).startswith("[Harness: checkpoint]\n<checkpoint>")
        if is_checkpoint(request):
            assert now[: len(before)] == before
        before = now
    assert broken == worker.checkpoints


def test_a_restart_asks_what_would_have_been_asked(home: VibeOS, tmp_path: Path) -> None:
    """K06."""
    worker = Worker(30)
    conversation, model = begin(home, worker)
    say(conversation, "work through the queue")
    conversation.turn()
    assert worker.checkpoints >= 3
    say(conversation, "and what now?")
    with vibeos.open_home(tmp_path / "home") as again:
        other = ScriptedModel([reply("as before")], route=route_of(WINDOW))
        resumed = again.chat.resume(conversation.session.id, source="test", model=other, tools=[Items()])
        resumed.turn()
    (request,) = other.requests
    answered = as_text(model.requests[-1].messages)
    assert as_text(request.messages)[: len(answered)] == answered
    assert request.system == model.requests[-1].system
    assert sum(text.startswith("[Harness: checkpoint]") for text in texts(request.messages)) == 1


def test_inputs_that_arrive_during_a_checkpoint_follow_in_order_once_each(home: VibeOS) -> None:
    """K14."""
    worker = Worker(12)
    conversation, model = begin(home, worker)
    arrived = iter(["first", "second", "third"])

    def deliver(request: ScriptedRequest) -> None:
        if is_checkpoint(request) and (text := next(arrived, "")):
            say(conversation, text, WATCH if text == "second" else PERSON)

    worker.meanwhile = deliver
    say(conversation, "work through the queue")
    conversation.turn()
    while conversation.is_anything_waiting():
        conversation.turn()
    stored = [
        one.text
        for one in home.record.messages.of_session(conversation.session.id)
        if one.type != "assistant"
    ]
    assert stored[:2] == ["work through the queue", "first"]
    assert [text for text in stored if text in {"first", "second", "third"}] == ["first", "second", "third"][
        : len(stored) - 1
    ]
    shown = texts(model.requests[-1].messages)
    assert shown.count("first") == 1


def test_living_jobs_are_listed_whatever_the_model_noted(home: VibeOS) -> None:
    """K20, commands; watches come with their deliverers."""
    worker = Worker(12)
    conversation, model = begin(home, worker)
    jobs = [conversation.jobs.start(f"sleep 30 # job {name}") for name in "ab"]
    try:
        say(conversation, "work through the queue")
        conversation.turn()
        shown = content(model.requests[-1].messages[0])
        for job in jobs:
            assert f"- command {job}: sleep 30" in shown
        assert "Running or waiting as of 2" in shown
    finally:
        conversation.jobs.close()


def test_nothing_that_the_program_adds_reads_as_the_persons_yes(home: VibeOS) -> None:
    """K22."""
    worker = Worker(8)
    conversation, model = begin(home, worker)
    say(conversation, "look through the queue")
    conversation.turn()
    say(conversation, "a watch fired", WATCH)
    worker.items = 20
    conversation.turn()
    shown = content(model.requests[-1].messages[0])
    assert shown.startswith("[Harness: checkpoint]\n")
    assert "no message from the person, no new instruction, and no answer to anything I asked" in shown
    assert "which a program began and not the person" in shown
    inputs = [
        one
        for one in model.requests[-1].messages
        if one.kind == "request" and one.parts[0].part_kind == "user-prompt"
    ]
    assert [content(one).split("\n")[0] for one in inputs] == [
        "[Harness: checkpoint]",
        '[Harness: Watch w1 "build"]',
    ]


def test_signed_reasoning_goes_back_as_it_was_or_not_at_all(home: VibeOS) -> None:
    """K24."""
    worker = Worker(14)
    conversation, model = begin(home, worker)
    signed = ThinkingPart("I look first.", signature="c2lnbmVk", provider_name="anthropic")
    say(conversation, "begin")
    conversation.turn()
    home.record.messages.record_input(conversation.session.id, PERSON, "think")
    home.record.messages.record_response(
        conversation.session.id,
        text="Thought.",
        payload=dump_response(ModelResponse([signed, TextPart("Thought.")])),
    )
    say(conversation, "go on")
    worker.items = 18
    conversation.turn()
    for request in model.requests:
        for message in request.messages:
            for part in message.parts:
                if isinstance(part, ThinkingPart):
                    assert part == signed
    assert worker.checkpoints >= 1


def test_a_session_in_chinese_is_measured_within_15_per_cent(home: VibeOS) -> None:
    """K17."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the library reads its vocabulary by an old way
        import bpe_openai  # type: ignore[import-untyped]

        counted = bpe_openai.get_encoding("o200k_base")
    worker = Worker(16)
    conversation, model = begin(
        home, worker, text="继续处理队列里的合并请求，遇到需要决定的事情再来问我。"[:25]
    )
    text = "请把这些合并请求按从旧到新的顺序逐个处理，只有需要决定的时候才来找我，账单表绝对不要动。" * 400
    say(conversation, text)
    conversation.turn()
    for request in model.requests:
        guess = sum(map(element_tokens, request.messages))
        real = sum(
            len(counted.encode(content(one))) for one in request.messages if hasattr(one.parts[0], "content")
        )
        assert guess == pytest.approx(real, rel=0.15)


def test_a_model_switch_measures_anew(home: VibeOS) -> None:
    worker = Worker(8)
    conversation, _ = begin(home, worker)
    say(conversation, "work")
    conversation.turn()
    small = ScriptedModel([worker] * 50, route=route_of(16_000))
    conversation.model = small
    say(conversation, "go on")
    worker.items = 9
    conversation.turn()
    assert any(is_checkpoint(request) for request in small.requests)


def test_the_command_shows_every_attempt_for_those_who_want_to_look(home: VibeOS, tmp_path: Path) -> None:
    worker = Worker(30)
    conversation, _ = begin(home, worker)
    say(conversation, "work through the queue, oldest first")
    conversation.turn()
    session = conversation.session.id
    program = Program(tmp_path / "home", tmp_path)
    look = ("sessions", "checkpoints", session)
    listed = json.loads(program.run(*look, "--json").stdout)
    assert len(listed) == worker.checkpoints
    assert all(one["made"] and one["requests"] == 1 for one in listed)
    shown = program.run(*look, "--show", "2").stdout
    assert "item 7 of the queue" in shown
    assert "--- mind" in shown
    assert MISSION_PLACE in shown
    differ = program.run(*look, "--diff", "1", "2").stdout
    assert "+changed" in differ or "They say the same." in differ
    assert "checkpoint up to #" in (tmp_path / "home" / "logs" / "checkpoints.log").read_text()


def test_an_interrupt_during_a_checkpoint_changes_nothing(home: VibeOS) -> None:
    worker = Worker(12)
    conversation, model = begin(home, worker)
    say(conversation, "work through the queue")

    def interrupt(request: ScriptedRequest) -> None:
        if is_checkpoint(request):
            raise asyncio.CancelledError

    worker.meanwhile = interrupt
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(conversation.work())
    (attempt,) = home.record.checkpoints.attempts(conversation.session.id)
    assert attempt.reason == "it was interrupted"
    before = as_text(model.requests[-2].messages)
    worker.meanwhile = lambda _: None
    say(conversation, "go on")
    asyncio.run(conversation.work())
    again = [request for request in model.requests if is_checkpoint(request)][1]
    assert as_text(again.messages)[: len(before)] == before


def test_the_agent_can_read_the_whole_of_a_mind_that_is_shown_cut_and_no_other_sessions(home: VibeOS) -> None:
    lessons = "\n".join(f"- lesson {number}: look twice" for number in range(80))
    path = ""

    def step(request: ScriptedRequest) -> Step:
        nonlocal path
        if request.last_text.startswith("[Harness: checkpoint]"):
            return edits([("(nothing noted yet: principles that will help again)", lessons)])(request)
        if request.last_text.startswith(("Edited", "[Harness: checkpoint repair]")):
            return reply(NOW)
        found = re.search(r"the whole mind can be read in (\S+)\)", content(request.messages[0]))
        if found:
            path = found[1]
            return reply(
                "", calls=[call("read", {"path": path}, "own"), call("read", {"path": other}, "other")]
            )
        return reply("", calls=[call("item", {}, f"i{request.number}")])

    other = str(home.scope.mind_copies("another-session")) + "/mind.md"
    model = ScriptedModel([step] * 16, route=route_of(WINDOW))
    conversation = home.chat.begin(source="test", model=model, tools=[Items()])
    say(conversation, "work through the queue")
    with pytest.raises(AssertionError, match="after the script's last step"):
        conversation.turn()
    given = {part.tool_call_id: str(part.content) for part in model.requests[-1].messages[-1].parts}  # type: ignore[union-attr]
    assert "lesson 79" in given["own"]
    assert "VibeOS's own home" in given["other"]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "message #1"), ("ru", "сообщение #1"), ("zh", "消息 #1")]
)
def test_the_one_message_about_length_is_in_the_persons_language(
    home: VibeOS, language: str, said: str
) -> None:
    home.settings.set("display.language", language)
    conversation, model = begin(home, Worker(1))
    say(conversation, "x" * 400_000)
    with pytest.raises(vibeos.ContextFullError) as raised:
        conversation.turn()
    assert said in raised.value.message
    assert "/new" in raised.value.remedy
    assert not model.requests


def test_a_deleted_session_takes_the_copies_of_its_minds_with_it(home: VibeOS) -> None:
    conversation, _ = begin(home, Worker(1))
    say(conversation, "begin")
    conversation.turn()
    copies = Path(home.scope.mind_copies(conversation.session.id))
    copies.mkdir(parents=True)
    (copies / "mind-1-abc.md").write_text("what was understood")
    (copies / "mind-1-abc.md").chmod(0o400)
    home.sessions.delete(conversation.session.id)
    assert not copies.exists()
