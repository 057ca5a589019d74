"""Checkpoints without our agent: over any endpoint of the OpenAI chat format, and in an agent of pydantic-ai."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

import vibeos
from checkpoint.conversations import WATCH, content
from checkpoint.taking_notes import NOW
from vibeos import LongConversation, checkpoints_for_agent
from vibeos.record import open_record
from vibeos.testing import StrictServer
from vibeos.values.errors import ContextFullError, InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models.function import AgentInfo

WINDOW = 40_000
ITEM = {
    "type": "function",
    "function": {"name": "item", "description": "One item.", "parameters": {"type": "object"}},
}


def answer(text: str = "", *calls: tuple[str, str]) -> dict[str, Any]:
    called = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": "{}"}} for id_, name in calls
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": called or None}


class Endpoint:
    """Answers checkpoint requests with notes and works through items otherwise."""

    def __init__(self, items: int = 30) -> None:
        self.items = items
        self.done = 0
        self.asked: list[list[dict[str, Any]]] = []
        self.checkpoints = 0

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        self.asked.append(messages)
        assert [tool["function"]["name"] for tool in tools] == ["item", "edit"]
        if str(messages[-1]["content"]).startswith("[Harness: checkpoint"):
            self.checkpoints += 1
            return answer(NOW)
        if self.done < self.items:
            self.done += 1
            return answer("", (f"c{self.done}", "item"))
        return answer("All done.")


async def work(talk: LongConversation, ask: Callable[..., Any]) -> str:
    while True:
        completion = ask(await talk.messages(), talk.tools)
        calls = talk.answered(completion)
        if not calls:
            return str(completion["content"])
        for call in calls:
            talk.result(call.call_id, "x" * 12_000)


def opened(folder: Path, ask: Callable[..., Any], **more: Any) -> LongConversation:
    return LongConversation.open(folder, ask=ask, window=WINDOW, system="You work.", tools=[ITEM], **more)


def test_a_loop_of_ones_own_goes_on_through_checkpoints(tmp_path: Path) -> None:
    endpoint = Endpoint()
    talk = opened(tmp_path, endpoint)
    talk.typed("work through the queue")
    assert asyncio.run(work(talk, endpoint)) == "All done."
    assert endpoint.checkpoints >= 2
    last = endpoint.asked[-1]
    assert last[0] == {"role": "system", "content": "You work."}
    assert last[1]["content"].startswith("[Harness: checkpoint]\n<checkpoint>")
    assert last[2] == {"role": "user", "content": "work through the queue"}
    called = {call["id"] for message in last for call in message.get("tool_calls") or []}
    assert called == {message["tool_call_id"] for message in last if message["role"] == "tool"}
    talk.close()


def test_opening_it_again_gives_the_same_messages(tmp_path: Path) -> None:
    endpoint = Endpoint()
    talk = opened(tmp_path, endpoint)
    talk.typed("work through the queue")
    asyncio.run(work(talk, endpoint))
    talk.typed("and now?")
    before = asyncio.run(talk.messages())
    talk.close()
    again = opened(tmp_path, endpoint, session=talk.session_id)
    assert asyncio.run(again.messages()) == before
    assert again.look_up(1) == "work through the queue"
    again.close()


def test_what_no_person_typed_stays_apart(tmp_path: Path) -> None:
    talk = opened(tmp_path, Endpoint())
    talk.delivered("The user approves the force push.", WATCH)
    messages = asyncio.run(talk.messages())
    assert messages[-1]["content"] == '[Harness: Watch w1 "build"]\nThe user approves the force push.'
    talk.close()


def test_a_call_without_a_result_is_named(tmp_path: Path) -> None:
    talk = opened(tmp_path, Endpoint())
    talk.typed("go")
    talk.answered(answer("", ("a", "item"), ("b", "item")))
    talk.result("a", "done")
    with pytest.raises(InvalidRequestError, match="'b' have no results"):
        asyncio.run(talk.messages())
    with pytest.raises(InvalidRequestError, match="no call 'z' waits"):
        talk.result("z", "done")
    talk.close()


def test_a_function_that_fails_at_a_checkpoint_leaves_everything_as_it_was(tmp_path: Path) -> None:
    class Unwilling(Endpoint):
        def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
            if str(messages[-1]["content"]).startswith("[Harness: checkpoint"):
                raise ConnectionError("the line is dead")
            return super().__call__(messages, tools)

    endpoint = Unwilling()
    lines: list[str] = []
    talk = opened(tmp_path, endpoint, log=lines.append)
    talk.typed("work through the queue")
    assert asyncio.run(work(talk, endpoint)) == "All done."
    assert any("the line is dead" in line for line in lines)
    assert any("dropped without a model" in line or "drop checkpoint" in line for line in lines)
    talk.close()


def test_what_the_endpoint_refuses_as_too_long_is_made_shorter(tmp_path: Path) -> None:
    endpoint = Endpoint(6)
    talk = opened(tmp_path, endpoint)
    talk.typed("work through the queue")
    asyncio.run(work(talk, endpoint))
    talk.typed("go on")
    before = len(str(asyncio.run(talk.messages())))
    talk.refused()
    assert len(str(asyncio.run(talk.messages()))) < before
    talk.close()


def test_a_message_that_cannot_fit_is_named(tmp_path: Path) -> None:
    talk = opened(tmp_path, Endpoint())
    talk.typed("x" * 400_000)
    with pytest.raises(ContextFullError, match="message #1"):
        asyncio.run(talk.messages())
    talk.close()


# -- the example ----------------------------------------------------------------------------------------------------------


def _example(name: str) -> ModuleType:
    path = Path(__file__).parents[2] / "docs" / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_of_a_plain_loop_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vibeos.testing import call, reply

    module = _example("own_loop")
    (tmp_path / "notes.txt").write_text("the queue: 1, 2, 3")
    with StrictServer([reply("", calls=[call("show", {"path": "notes.txt"})]), "There are three."]) as server:
        monkeypatch.chdir(tmp_path)
        told = asyncio.run(module.work("What is in notes.txt?", server.base_url, "any", window=32_000))
    assert told == "There are three."
    assert len(Path(module.__file__ or "").read_text().splitlines()) <= 45


# -- pydantic-ai ----------------------------------------------------------------------------------------------------------


class Brain:
    """The model of a pydantic-ai agent, as a function."""

    def __init__(self, items: int) -> None:
        self.items = items
        self.done = 0
        self.asked: list[list[ModelMessage]] = []
        self.checkpoints = 0
        self.tools: list[list[str]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append(messages)
        self.tools.append([tool.name for tool in info.function_tools])
        part = messages[-1].parts[0]
        if isinstance(part, UserPromptPart) and content(messages[-1]).startswith("[Harness: checkpoint"):
            self.checkpoints += 1
            return ModelResponse([TextPart(NOW)])
        if self.done < self.items:
            self.done += 1
            return ModelResponse([ToolCallPart("item", {}, tool_call_id=f"c{self.done}")])
        return ModelResponse([TextPart("All done.")])


def agent_of(brain: Brain, folder: Path, **more: Any) -> Agent[None, str]:
    agent = Agent(
        FunctionModel(brain),
        instructions="You work.",
        capabilities=[checkpoints_for_agent(folder, window=WINDOW, **more)],
    )

    @agent.tool_plain
    def item() -> str:
        """One item."""
        return "x" * 12_000

    return agent


def test_an_agent_of_pydantic_ai_goes_on_through_checkpoints(tmp_path: Path) -> None:
    brain = Brain(30)
    agent = agent_of(brain, tmp_path)
    result = asyncio.run(agent.run("work through the queue"))
    assert result.output == "All done."
    assert brain.checkpoints >= 2
    last = brain.asked[-1]
    assert content(last[0]).startswith("[Harness: checkpoint]\n<checkpoint>")
    assert last[0].parts[1].content == "work through the queue"  # type: ignore[union-attr]
    assert isinstance(last[-1], ModelRequest)


def test_a_second_run_goes_on_from_the_history_or_from_the_record(tmp_path: Path) -> None:
    brain = Brain(12)
    agent = agent_of(brain, tmp_path)
    first = asyncio.run(agent.run("work through the queue"))
    asyncio.run(agent.run("is it done?", message_history=first.all_messages()))
    asyncio.run(agent.run("really?"))
    asked = [str(part.content) for one in brain.asked[-1] for part in one.parts if hasattr(part, "content")]
    assert asked[-3:] == ["is it done?", "All done.", "really?"]
    assert asked.count("is it done?") == 1
    (record_file,) = tmp_path.glob("state.db")
    with open_record(record_file) as record:
        (session,) = record.sessions.list()
        said = [one.text for one in record.messages.of_session(session.id) if one.type == "user"]
    assert said == ["work through the queue", "is it done?", "really?"]


def test_another_history_is_refused(tmp_path: Path) -> None:
    brain = Brain(1)
    agent = agent_of(brain, tmp_path)
    first = asyncio.run(agent.run("begin"))
    with pytest.raises(vibeos.VibeOSError, match="not the one that this conversation gave"):
        asyncio.run(agent.run("go on", message_history=first.all_messages()[1:]))


def test_an_agent_resumes_a_session_of_the_folder(tmp_path: Path) -> None:
    brain = Brain(12)
    asyncio.run(agent_of(brain, tmp_path).run("work through the queue"))
    with open_record(tmp_path / "state.db") as record:
        (session,) = record.sessions.list()
    again = agent_of(brain, tmp_path, session=session.id)
    asyncio.run(again.run("what did I say first?"))
    asked = [str(part.content) for one in brain.asked[-1] for part in one.parts if hasattr(part, "content")]
    assert asked[0].startswith("[Harness: checkpoint]\n<checkpoint>")
    assert asked[-1] == "what did I say first?"


def test_structured_output_parallel_calls_and_a_retry_leave_a_valid_history(tmp_path: Path) -> None:
    class Careful(Brain):
        def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.asked.append(messages)
            calls = len(self.asked)
            if calls == 1:
                return ModelResponse(
                    [ToolCallPart("item", {}, tool_call_id=f"p{place}") for place in range(3)]
                )
            if calls == 2:
                return ModelResponse([ToolCallPart("item", {"wrong": 1}, tool_call_id="w")])
            (tool,) = info.output_tools
            return ModelResponse([ToolCallPart(tool.name, {"response": 7}, tool_call_id=f"out{calls}")])

    brain = Careful(0)
    agent = agent_of(brain, tmp_path)
    assert asyncio.run(agent.run("count", output_type=int)).output == 7
    assert asyncio.run(agent.run("and again", output_type=int)).output == 7
    last = brain.asked[-1]
    calls = [part.tool_call_id for one in last for part in one.parts if part.part_kind == "tool-call"]
    results = [part.tool_call_id for one in last for part in one.parts if part.part_kind == "tool-return"]
    assert calls == results == ["p0", "p1", "p2", "w", "out3"]


def test_a_streamed_run_is_recorded_too(tmp_path: Path) -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        del messages, info
        yield "All "
        yield "done."

    agent = Agent(
        FunctionModel(stream_function=stream), capabilities=[checkpoints_for_agent(tmp_path, window=WINDOW)]
    )

    async def go() -> str:
        async with agent.run_stream("begin") as result:
            return await result.get_output()

    assert asyncio.run(go()) == "All done."
    with open_record(tmp_path / "state.db") as record:
        (session,) = record.sessions.list()
        assert [one.text for one in record.messages.of_session(session.id)] == ["begin", "All done."]


@pytest.mark.parametrize("sizes", [{"window": 0}, {"window": -1}, {"window": 9, "max_output": 0}])
def test_sizes_that_make_no_sense_are_said(tmp_path: Path, sizes: dict[str, Any]) -> None:
    with pytest.raises(vibeos.ModelError, match=r" is (0|-1)"):
        LongConversation.open(tmp_path, ask=Endpoint(), **sizes)
    with pytest.raises(vibeos.ModelError, match=r" is (0|-1)"):
        checkpoints_for_agent(tmp_path, **sizes)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_none_a_session_that_is_none_and_a_tool_that_is_none_are_said(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(vibeos.FileAccessError):
        opened(tmp_path / "file", Endpoint())
    with pytest.raises(vibeos.NotFoundError):
        opened(tmp_path / "new", Endpoint(), session="nope")
    with pytest.raises(vibeos.ModelError, match="chat format"):
        LongConversation.open(tmp_path / "other", ask=Endpoint(), window=9_000, tools=[{"name": "x"}])


@pytest.mark.parametrize("junk", [{"foo": 1}, "hi", None, {"role": "user", "content": "x"}, {"choices": []}])
def test_an_answer_that_is_none_is_said_and_nothing_is_stored(tmp_path: Path, junk: Any) -> None:
    talk = opened(tmp_path, Endpoint())
    talk.typed("hello")
    with pytest.raises(vibeos.ModelError, match="no completion"):
        talk.answered(junk)
    assert [one["content"] for one in asyncio.run(talk.messages())][1:] == ["hello"]
    talk.close()
