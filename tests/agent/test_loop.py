"""A turn over real HTTP: what arrives meanwhile, what never ends, what fails, and who may run beside it."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

import vibeos
from vibeos.agent.loop import MAX_ROUNDS
from vibeos.testing import StrictServer, call, reply
from vibeos.values.errors import TurnLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.app.conversation import Conversation


@pytest.fixture
def server() -> Iterator[StrictServer]:
    with StrictServer([]) as started:
        yield started


@pytest.fixture
def conversation(tmp_path: Path, server: StrictServer) -> Iterator[Conversation]:
    with vibeos.open_home(tmp_path / "home", model="openai:test") as home:
        home.settings.set("model.base_url", server.base_url)
        yield home.chat.begin()


def add(content: str) -> Any:
    return call("memory", {"action": "add", "target": "memory", "content": content})


def texts(request: Any, role: str) -> list[str]:
    return [message["content"] for message in request.body["messages"] if message["role"] == role]


def test_inputs_that_arrive_during_a_turn_follow_in_order_at_the_next_request(
    conversation: Conversation, server: StrictServer
) -> None:
    def while_asked(_request: object) -> bool:
        conversation.say("second")
        conversation.say("third")
        return True

    server.extend([reply(calls=[add("one")], expect=while_asked), reply("All three.")])
    conversation.say("first")
    assert conversation.turn().answer.text == "All three."
    assert texts(server.requests[0], "user") == ["first"]
    assert texts(server.requests[1], "user") == ["first", "second", "third"]
    said = conversation.app.sessions.open(conversation.session.id).messages()
    assert [message.text for message in said if message.type == "user"] == ["first", "second", "third"]


def test_a_model_that_never_stops_calling_ends_at_a_limit_and_the_session_goes_on(
    conversation: Conversation, server: StrictServer
) -> None:
    server.extend([reply(calls=[call("session_search", {"query": f"q{n}"})]) for n in range(MAX_ROUNDS)])
    conversation.say("search for ever")
    with pytest.raises(TurnLimitError, match=str(MAX_ROUNDS)):
        conversation.turn()
    server.extend([reply("Stopped.")])
    conversation.say("stop")
    assert conversation.turn().answer.text == "Stopped."


def test_calls_run_side_by_side_and_their_results_stand_in_the_order_of_the_calls(
    conversation: Conversation, server: StrictServer
) -> None:
    server.extend([reply(calls=[add("one"), call("nothing", {}), add("two")]), reply("Done.")])
    conversation.say("do it")
    conversation.turn()
    answers = [json.loads(text) for text in texts(server.requests[-1], "tool")]
    assert [answer["success"] for answer in answers] == [True, False, True]
    assert set(conversation.app.memory.curated.read(vibeos.Target.MEMORY).entries) == {"one", "two"}


def test_a_second_program_waits_for_the_turn_and_shows_the_answer_that_is_there(
    conversation: Conversation, server: StrictServer, tmp_path: Path
) -> None:
    server.extend([reply("Both answered.", delay=0.5)])
    conversation.say("first")
    with vibeos.open_home(tmp_path / "home", model="openai:test") as other:
        beside = other.chat.resume(conversation.session.id)
        beside.say("second")
        answers: list[str] = []
        threads = [
            threading.Thread(target=lambda talk=talk: answers.append(talk.turn().answer.text))
            for talk in (conversation, beside)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
    assert answers == ["Both answered.", "Both answered."]
    assert len(server.requests) == 1


def test_a_session_that_a_library_left_in_odd_shapes_can_be_talked_in(
    conversation: Conversation, server: StrictServer
) -> None:
    handle = conversation.app.sessions.start(source="my-agent")
    handle.replied("hello")
    handle.typed("")
    handle.delivered(vibeos.Envelope(vibeos.InputRoute.WATCH, "watch", origin_id="w", origin_name="n"), "")
    server.extend([reply("Here.")])
    talk = conversation.app.chat.resume(handle.id)
    talk.say("are you there?")
    assert talk.turn().answer.text == "Here."
    assert texts(server.requests[-1], "user") == ['[Harness: Watch w "n"]\n', "are you there?"]
