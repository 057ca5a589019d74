"""The model in process plays the same script as the server, and fails where the server would."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vibeos.ports.models.messages import (
    dump_response,
    load_response,
    outcomes_request,
    user_request,
)
from vibeos.ports.models.model import Request
from vibeos.ports.models.reply import Finish, Usage
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.testing import (
    ScriptedModel,
    ScriptedRequest,
    Step,
    broken,
    call,
    drop,
    fault,
    half_call,
    overflow,
    reply,
    stalled,
    stream_error,
    unfinished,
)
from vibeos.values.errors import (
    ContextOverflowError,
    InvalidRequestError,
    ModelRequestError,
    ModelUnavailableError,
    StreamBrokenError,
    VibeOSError,
)

if TYPE_CHECKING:
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.reply import Reply

TOOL = ToolSpec("memory", "Keep a note.", {"type": "object"})


class Ears:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def wrote(self, piece: str) -> None:
        self.pieces.append(piece)

    def starts_again(self, reason: str) -> None:
        raise AssertionError(reason)


def asked(*messages: Any, system: str = "S") -> Request:
    return Request(system, (TOOL,), list(messages) or [user_request("hello")])


def ask(model: Model, request: Request | None = None, ears: Ears | None = None) -> Reply:
    return asyncio.run(model.ask(request or asked(), ears or Ears()))


def play(step: Step | str, ears: Ears | None = None) -> Reply:
    with ScriptedModel([step]) as model:
        return ask(model, ears=ears)


def test_it_answers_what_the_script_says_in_its_order() -> None:
    with ScriptedModel(
        ["one", reply("two"), lambda request: f"{request.number} {request.last_text}"]
    ) as model:
        assert [ask(model).text for _ in range(3)] == ["one", "two", "3 hello"]


def test_an_answer_is_a_reply_of_the_port() -> None:
    made = play(
        reply("Hi", calls=[call("memory", {"a": 1}), call("memory", "{half", "mine")], reasoning="hm")
    )
    assert (made.text, made.finish, made.usage) == ("Hi", Finish.TOOL_CALLS, Usage())
    assert [(one.call_id, one.name, one.arguments) for one in made.calls] == [
        ("call_1_1", "memory", '{"a": 1}'),
        ("mine", "memory", "{half"),
    ]
    assert [part.part_kind for part in made.response.parts] == ["thinking", "text", "tool-call", "tool-call"]
    assert load_response(dump_response(made.response)) == made.response


@pytest.mark.parametrize(
    ("step", "finish"),
    [
        (reply("x"), Finish.FINISHED),
        (reply("x", finish="length"), Finish.TRUNCATED),
        (reply("x", finish="max_tokens"), Finish.TRUNCATED),
        (reply("x", finish="content_filter"), Finish.FILTERED),
        (reply("", finish="refusal"), Finish.FILTERED),
        (reply(calls=[call("memory")]), Finish.TOOL_CALLS),
        (reply(), Finish.EMPTY),
        (reply(" \n"), Finish.EMPTY),
        (reply(reasoning="only thinking"), Finish.EMPTY),
        (half_call("memory", '{"a": 1}'), Finish.TRUNCATED),
    ],
)
def test_why_it_ended_is_told_apart(step: Step, finish: Finish) -> None:
    assert play(step).finish is finish


def test_the_same_script_makes_the_same_bytes_at_every_time() -> None:
    def run() -> list[str]:
        with ScriptedModel([reply("a", calls=[call("memory")]), reply("b", reasoning="r")]) as model:
            return [dump_response(ask(model).response) for _ in range(2)]

    first = run()
    time.sleep(0.002)
    assert run() == first


def test_usage_is_what_the_step_gives() -> None:
    made = play(reply("x", usage={"prompt_tokens": 70, "completion_tokens": 3, "cached_tokens": 50}))
    assert made.usage == Usage(70, 3, 50)
    assert (made.response.usage.input_tokens, made.response.usage.cache_read_tokens) == (70, 50)


@given(st.text(max_size=300))
def test_the_pieces_that_are_heard_are_the_text(text: str) -> None:
    ears = Ears()
    asyncio.run(ScriptedModel([reply(text)]).ask(asked(), ears))
    assert "".join(ears.pieces) == text


def test_requests_are_kept_as_they_were_when_they_came() -> None:
    messages = [user_request("one")]
    with ScriptedModel([reply("a", calls=[call("memory")]), "b"]) as model:
        first = ask(model, Request("S", (TOOL,), messages))
        messages += [first.response, outcomes_request([ToolOutcome("call_1_1", "memory", "done")])]  # type: ignore[list-item]
        ask(model, Request("S", (TOOL,), messages))
    one, two = model.requests
    assert (len(one.messages), one.last_text, one.system, one.tool_names) == (1, "one", "S", ["memory"])
    assert (len(two.messages), two.last_text, two.number) == (3, "done", 2)


def test_a_request_that_no_provider_takes_is_refused_and_fails_the_test() -> None:
    orphan = asked(user_request("hello"), outcomes_request([ToolOutcome("x", "memory", "done")]))
    model = ScriptedModel(["never"])
    with pytest.raises(InvalidRequestError, match="element 2 of 2"):
        ask(model, orphan)
    with pytest.raises(AssertionError, match=r"request 1 is invalid: .*does not stand behind its call"):
        model.assert_used_up()
    assert len(model.requests) == 1


def test_without_strictness_nothing_is_judged() -> None:
    with ScriptedModel(["fine"], strict=False) as model:
        assert ask(model, asked(outcomes_request([ToolOutcome("x", "memory", "done")]))).text == "fine"


def test_a_step_that_was_not_used_fails_the_test() -> None:
    with (
        pytest.raises(AssertionError, match=r"step 2 was not used: .*two"),
        ScriptedModel(["one", "two"]) as model,
    ):
        ask(model)


def test_a_request_behind_the_last_step_fails_at_once_and_at_the_end() -> None:
    model = ScriptedModel(["one"])
    ask(model)
    with pytest.raises(AssertionError, match=r"request 2 came after the script's last step \(1\)"):
        ask(model)
    with pytest.raises(AssertionError, match="request 2 came after"):
        model.assert_used_up()


def test_a_step_that_expects_something_else_fails_and_is_not_used_up() -> None:
    model = ScriptedModel([reply("Here.", expect="tea")])
    with pytest.raises(AssertionError, match="expected 'tea', but request 1 ended with 'hello'"):
        ask(model)
    assert ask(model, asked(user_request("tea please"))).text == "Here."


def test_another_error_inside_the_test_is_not_hidden_by_steps_that_are_left() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedModel(["one"]):
        raise ZeroDivisionError


def test_a_step_may_be_a_function_of_the_request() -> None:
    def look(request: ScriptedRequest) -> Step:
        assert request.system == "S"
        return fault(429, retry_after=2) if request.number == 1 else reply("ok")

    with ScriptedModel([look, look]) as model:
        with pytest.raises(ModelUnavailableError) as told:
            ask(model)
        assert told.value.retry_after == 2
        assert ask(model).text == "ok"


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (fault(400, "no"), ModelRequestError),
        (fault(401, "no"), ModelRequestError),
        (fault(404, body="<html>"), ModelRequestError),
        (fault(429), ModelUnavailableError),
        (fault(500), ModelUnavailableError),
        (fault(529), ModelUnavailableError),
        (fault(400, "too long", code="context_length_exceeded"), ContextOverflowError),
        (overflow("openai"), ContextOverflowError),
        (overflow("anthropic"), ContextOverflowError),
        (overflow("anthropic_sum"), ContextOverflowError),
        (overflow("vllm"), ContextOverflowError),
        (overflow("llamacpp"), ContextOverflowError),
        (overflow("ollama"), ContextOverflowError),
        (overflow("lmstudio"), ContextOverflowError),
        (overflow("lmstudio_stream"), ContextOverflowError),
        (overflow("gateway413"), ContextOverflowError),
        (drop(), ModelUnavailableError),
        (drop(midway=True), StreamBrokenError),
        (broken("x" * 40, after=3), StreamBrokenError),
        (unfinished("x" * 40), StreamBrokenError),
        (reply("x", finish="none"), StreamBrokenError),
        (stream_error("x" * 40), ModelUnavailableError),
    ],
)
def test_a_fault_becomes_the_error_of_the_port(step: Step, error: type[VibeOSError]) -> None:
    with ScriptedModel([step]) as model, pytest.raises(VibeOSError) as told:
        ask(model)
    assert type(told.value) is error
    assert told.value.remedy


@pytest.mark.parametrize(
    ("step", "heard"),
    [
        (broken("abcdefgh", after=3), "abcdefgh"),
        (broken("abcdefghijklmnop", after=1), ""),
        (broken("abcdefghijklmnop"), "abcdefgh"),
        (unfinished("abcdefgh"), "abcdefgh"),
        (stream_error("abcdefghijklmnop", after=2), "abcdefgh"),
    ],
)
def test_what_was_said_before_the_break_is_heard(step: Step, heard: str) -> None:
    ears = Ears()
    with pytest.raises(ModelUnavailableError):
        play(step, ears)
    assert "".join(ears.pieces) == heard


def test_a_delay_is_waited_for_and_can_be_cancelled() -> None:
    async def impatient() -> float:
        model = ScriptedModel([reply("late", delay=60), "next"], delay=0.01)
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(model.ask(asked()), 0.05)
        assert (await model.ask(asked())).text == "next"
        return time.monotonic() - begun

    assert asyncio.run(impatient()) < 5
    begun = time.monotonic()
    play(stalled("abcd", pause=0.02))
    assert time.monotonic() - begun >= 0.02


def test_many_side_by_side_in_many_loops_and_threads_share_one_script() -> None:
    model = ScriptedModel([str(number) for number in range(80)], delay=0.001)
    heard: list[str] = []

    async def some() -> None:
        heard.extend(one.text for one in await asyncio.gather(*(model.ask(asked()) for _ in range(20))))

    threads = [threading.Thread(target=lambda: asyncio.run(some())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(heard, key=int) == [str(number) for number in range(80)]
    assert [one.number for one in model.requests] == list(range(1, 81))
    model.assert_used_up()


def test_the_route_is_one_of_its_own_or_the_one_that_is_given() -> None:
    own = ScriptedModel().route
    assert (own.name, own.context_window) == ("scripted:scripted-model", 200_000)
    given_one = parse_route("openai:gpt-5")
    with ScriptedModel(["x"], route=given_one) as model:
        assert (model.route, ask(model).response.model_name) == (given_one, "gpt-5")


def test_it_may_be_asked_again_after_it_was_closed() -> None:
    with ScriptedModel(["x"]) as model:
        asyncio.run(model.close())
        assert ask(model).text == "x"
