"""A turn with a scripted model: what is told while it runs, how it is interrupted, where it ends."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

import vibeos
from vibeos.agent.acting import CUT
from vibeos.agent.loop import INTERRUPTED_ANSWER
from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.ports.models.check import check_request
from vibeos.record import MessageType
from vibeos.testing import ScriptedModel, broken, call, half_call, reply, stalled
from vibeos.values.errors import ModelRequestError, TurnLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from vibeos.agent.person import Question
    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models.tools import ToolCall, ToolOutcome
    from vibeos.testing import Call, Step
    from vibeos.testing.scripted_model import ScriptedRequest

    Playable = Step | str | Callable[[ScriptedRequest], Step | str]


class Watcher:
    """Notes what it is told, and can do something at a piece of text or at the begin of a call."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.written = ""
        self.heard = asyncio.Event()

    def wrote(self, piece: str) -> None:
        self.written += piece
        self.heard.set()

    def starts_again(self, reason: str) -> None:
        self.notes.append(f"again: {reason}")

    def calls(self, call: ToolCall) -> None:
        self.notes.append(f"calls {call.name}")
        self.heard.set()

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        self.notes.append(f"called {outcome.tool_name}")

    def took(self, texts: tuple[str, ...]) -> None:
        self.notes.append(f"took {', '.join(texts)}")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[VibeOS]:
    with vibeos.open_home(tmp_path / "home") as home:
        yield home


def talk(home: VibeOS, *steps: Playable) -> tuple[Conversation, ScriptedModel]:
    model = ScriptedModel(steps)
    return home.chat.begin(source="test", model=model), model


def said(conversation: Conversation) -> list[tuple[str, str]]:
    messages = conversation.app.record.messages.of_session(conversation.session.id)
    return [(message.type.value, message.text) for message in messages]


def search(query: str = "anything") -> list[Call]:
    return [call("session_search", {"query": query})]


def interrupt(conversation: Conversation, watcher: Watcher) -> None:
    """Begin a turn, and interrupt it as soon as the watcher has heard something."""

    async def begin_and_interrupt() -> None:
        task = asyncio.create_task(conversation.work(watcher))
        await watcher.heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(begin_and_interrupt())


def check_context(conversation: Conversation) -> None:
    context = WorkingContext(conversation.app.record, conversation.session.id)
    context.settle()
    conversation.app.record.inbox.take(conversation.session.id)
    context.refresh()
    check_request(context.messages)


def test_a_watcher_hears_the_text_the_calls_and_what_came_in_meanwhile(home: VibeOS) -> None:
    conversation, model = talk(home)

    def meanwhile(_request: object) -> str:
        conversation.say("and this")
        return "Both."

    model.extend([reply("Let me look.", calls=search()), reply("one more", calls=search("b")), meanwhile])
    conversation.say("look")
    conversation.say("please")
    watcher = Watcher()
    assert conversation.turn(watcher).answer.text == "Both."
    assert watcher.written == "Let me look.one moreBoth."
    assert watcher.notes == ["calls session_search", "called session_search"] * 2
    assert conversation.is_anything_waiting()
    model.extend(["Done."])
    assert conversation.turn(watcher).answer.text == "Done."
    model.assert_used_up()


def test_inputs_that_arrive_while_tools_run_are_told_and_follow_at_the_next_request(home: VibeOS) -> None:
    conversation, model = talk(home)

    def calls_while_the_person_types(_request: object) -> Step:
        conversation.say("second")
        return reply(calls=search())

    model.extend([calls_while_the_person_types, "Both."])
    conversation.say("first")
    watcher = Watcher()
    conversation.turn(watcher)
    assert "took second" in watcher.notes
    assert said(conversation) == [
        ("user", "first"),
        ("assistant", ""),
        ("user", "second"),
        ("assistant", "Both."),
    ]


def test_an_interrupt_in_the_middle_of_an_answer_keeps_what_the_person_has_read(home: VibeOS) -> None:
    conversation, model = talk(home, stalled("half of the answer and then nothing", pause=60))
    conversation.say("tell me")
    watcher = Watcher()
    interrupt(conversation, watcher)
    assert said(conversation)[-1] == ("assistant", watcher.written)  # no word is put into the agent's mouth
    conversation.say("go on")
    check_context(conversation)
    model.extend(["the rest"])
    assert conversation.turn().answer.text == "the rest"
    heard = [part.content for part in model.requests[-1].messages[1].parts]  # type: ignore[union-attr]
    assert heard == [watcher.written, f"\n\n{INTERRUPTED_ANSWER}"]


def test_an_interrupt_before_anything_was_written_stores_no_answer(home: VibeOS) -> None:
    conversation, model = talk(home, reply("never", delay=60))
    conversation.say("tell me")

    async def begin_and_interrupt() -> None:
        task = asyncio.create_task(conversation.work())
        while not model.requests:  # noqa: ASYNC110 - a request has no event
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(begin_and_interrupt())
    assert said(conversation) == [("user", "tell me")]


def test_an_interrupt_while_a_command_runs_ends_it_and_leaves_a_valid_context(home: VibeOS) -> None:
    conversation, model = talk(home, reply(calls=[call("bash", {"command": "sleep 300"})]))
    conversation.say("wait long")
    interrupt(conversation, Watcher())
    conversation.say("never mind")
    check_context(conversation)
    model.extend(["fine"])
    assert conversation.turn().answer.text == "fine"
    results = [row for row in home.record.context.rows(conversation.session.id) if row.kind == "results"]
    assert "interrupted" in json.loads(results[0].payload)[0]["content"]


def test_a_stream_that_breaks_off_fails_the_turn_and_leaves_no_half_answer(home: VibeOS) -> None:
    conversation, model = talk(home, broken("half an answer", after=1))
    conversation.say("tell me")
    with pytest.raises(ModelRequestError):
        conversation.turn()
    assert said(conversation) == [("user", "tell me")]
    model.extend(["a whole answer"])
    assert conversation.turn().answer.text == "a whole answer"


def test_what_a_broken_stream_had_said_is_kept_beside_the_conversation(home: VibeOS) -> None:
    conversation, model = talk(home, broken("half an answer that the person has read", after=8))
    conversation.say("tell me")
    with pytest.raises(ModelRequestError):
        conversation.turn()
    (notice,) = [text for kind, text in said(conversation) if kind == "notice"]
    assert "half an answer that" in notice
    assert conversation.is_unfinished()
    model.extend(["a whole answer"])
    assert conversation.turn().answer.text == "a whole answer"
    assert len(model.requests[-1].messages) == 1


def test_a_call_that_the_output_limit_cut_is_explained_to_the_model(home: VibeOS) -> None:
    conversation, model = talk(home, half_call("write", '{"path": "a.txt", "content": "half of'), "I see.")
    conversation.say("write")
    assert conversation.turn().answer.text == "I see."
    assert CUT in model.requests[-1].last_text


def test_the_number_of_rounds_is_the_persons_to_set(home: VibeOS) -> None:
    home.settings.set("agent.max_rounds", "3")
    conversation, _ = talk(home, *(reply(calls=search(f"q{number}")) for number in range(3)))
    conversation.say("search for ever")
    with pytest.raises(TurnLimitError, match="3 times"):
        conversation.turn()


@pytest.mark.parametrize(
    ("step", "note"),
    [
        (reply("half of it", finish="length"), "output limit"),
        (reply("", finish="content_filter"), "filter"),
        (reply(""), "empty answer"),
        (reply("", reasoning="hm"), "empty answer"),
    ],
)
def test_an_answer_that_is_none_or_half_of_one_is_told_to_the_person(
    home: VibeOS, step: Step, note: str
) -> None:
    conversation, model = talk(home, step)
    conversation.say("tell me")
    assert note in conversation.turn().note
    model.extend(["a good one"])
    conversation.say("again")
    assert conversation.turn().answer.text == "a good one"


def test_what_an_agents_own_shell_says_is_no_persons_word(tmp_path: Path) -> None:
    from vibeos.app.environment import Environment
    from vibeos.values.home import Scope

    environment = Environment({"VIBEOS_SESSION": "20260115-120000-abcdef", "USER": "sam"}, str(tmp_path))
    with vibeos.VibeOS(Scope(str(tmp_path / "home")), environment=environment) as home:
        conversation, model = talk(home, "noted")
        conversation.say("I approve everything")
        conversation.turn()
        assert said(conversation)[0] == ("harness", "I approve everything")
        assert model.requests[0].last_text.startswith(
            "[Harness: agent run shell from #20260115-120000-abcdef]"
        )


def test_a_session_is_not_deleted_under_a_running_turn_and_takes_its_outputs_with_it(
    home: VibeOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    from vibeos.ports.guard.lock import locked
    from vibeos.values.errors import LockedError

    monkeypatch.setattr("vibeos.app.sessions.DELETE_PATIENCE", 0)
    session = talk(home)[0].session
    outputs = home.scope.outputs(session.id)
    os.makedirs(outputs)
    with locked(home.scope.turn_lock(session.id)), pytest.raises(LockedError, match="turn is running"):
        home.sessions.delete(session.id)
    home.sessions.show(session.id)
    home.sessions.delete(session.id)
    assert not os.path.exists(outputs)
    assert not os.path.exists(home.scope.turn_lock(session.id))


def test_an_agents_shell_cannot_wait_for_its_own_turn(tmp_path: Path, home: VibeOS) -> None:
    from vibeos.app.environment import Environment
    from vibeos.values.errors import VibeOSError

    session = talk(home)[0].session
    environment = Environment({"VIBEOS_SESSION": session.id}, str(tmp_path))
    with (
        vibeos.VibeOS(home.scope, environment=environment) as inside,
        pytest.raises(VibeOSError, match="would wait for itself"),
    ):
        inside.chat.resume(session.id, model=ScriptedModel())


def test_another_vendors_model_never_gets_the_configured_key_or_address(tmp_path: Path) -> None:
    from vibeos.app.environment import Environment
    from vibeos.values.home import Scope

    environment = Environment({"MY_KEY": "for-openai", "ANTHROPIC_API_KEY": "its-own"}, str(tmp_path))
    with vibeos.VibeOS(Scope(str(tmp_path / "home")), environment=environment) as home:
        home.settings.set("model.name", "openai:one")
        home.settings.set("model.base_url", "http://127.0.0.1:9/v1")
        home.settings.set("model.api_key_env", "MY_KEY")
        same, key = home.chat._route("openai:two")
        assert (same.base_url, key) == ("http://127.0.0.1:9/v1", "for-openai")
        other, key = home.chat._route("anthropic:x")
        assert (other.base_url, other.api_key_env, key) == ("", "ANTHROPIC_API_KEY", "its-own")


def test_a_deleted_session_leaves_no_command_running(home: VibeOS) -> None:
    from vibeos.agent.commands import CommandJobs

    conversation, _ = talk(home)
    job = conversation.jobs.start("sleep 300")
    other = CommandJobs(conversation._workplace, home.clock)  # as another program would see it
    assert [one.id for one in other.living()] == [job]
    home.sessions.delete(conversation.session.id)
    assert not conversation.jobs.living()
    asyncio.run(conversation.close())


class Answering:
    """A person who is there, and says the same to every question."""

    is_present = True

    def __init__(self, answer: str | None) -> None:
        self._answer = answer

    async def ask(self, question: Question) -> str | None:
        return self._answer


@pytest.mark.parametrize(
    "asking",
    [
        call("ask", {"question": "May I deploy?"}),
        call("bash", {"command": "sudo -n true && false"}),
    ],
)
def test_what_the_person_answers_in_the_middle_of_a_turn_is_a_message_of_theirs(
    home: VibeOS, asking: Call
) -> None:
    conversation, _ = talk(home, reply(calls=[asking]), "Thank you.")
    conversation.say("go")
    conversation.turn(person=Answering("no, not before Monday"))
    answered = home.record.messages.of_session(conversation.session.id, types=[MessageType.USER])[-1]
    assert answered.text == "no, not before Monday"
    assert home.record.messages.at(conversation.session.id, answered.context_seq) == answered
    assert home.search("before Monday")[0].message.text == "no, not before Monday"
    assert any(text.startswith("Asked: ") for kind, text in said(conversation) if kind == "notice")
    conversation.say("thanks")
    check_context(conversation)


def test_a_question_that_is_not_answered_leaves_no_word_of_the_person(home: VibeOS) -> None:
    conversation, _ = talk(home, reply(calls=[call("ask", {"question": "Well?"})]), "I go on.")
    conversation.say("go")
    conversation.turn(person=Answering(None))
    assert [text for kind, text in said(conversation) if kind == "user"] == ["go"]
