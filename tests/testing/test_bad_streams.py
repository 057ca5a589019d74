"""Streams that go wrong on purpose, in both formats, and what is nearest to them where nothing is streamed."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
import openai
import pytest

from testing.speaking import ANTHROPIC, BOTH, OPENAI, Answered, chat, post, said
from vibeos.testing import (
    StrictServer,
    broken,
    call,
    drop,
    half_call,
    load_script,
    overflow,
    reply,
    stalled,
    stream_error,
    unfinished,
)
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from vibeos.testing import Step

LONG = "a text of some length, so that it has pieces"


def play(step: Step | str, path: str, *, streamed: bool) -> Answered:
    with StrictServer([step]) as server:
        answer = post(server, path, chat(path, stream=streamed))
    server.assert_used_up()
    return answer


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_broken_stream_closes_after_so_many_pieces(path: str, after: int) -> None:
    answer = play(broken(LONG, after=after), path, streamed=True)
    assert (answer.status, answer.broke_off, len(answer.events)) == (200, True, after)


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("step", [broken(LONG), drop(midway=True)])
def test_without_a_number_it_breaks_in_the_middle(path: str, step: Step) -> None:
    streamed, whole = play(step, path, streamed=True), play(step, path, streamed=False)
    assert streamed.broke_off
    assert said(streamed, path)
    assert b'finish_reason":"' not in streamed.raw
    assert b"message_stop" not in streamed.raw
    assert whole.broke_off
    with pytest.raises(ValueError, match=r"\d"):
        json.loads(whole.raw)


@pytest.mark.parametrize("path", BOTH)
def test_an_unfinished_stream_ends_in_good_order_but_gives_no_reason(path: str) -> None:
    answer = play(unfinished(LONG), path, streamed=True)
    assert (answer.status, answer.broke_off, said(answer, path)) == (200, False, LONG)
    assert b"[DONE]" not in answer.raw
    assert b"message_delta" not in answer.raw
    assert b'"finish_reason":"' not in answer.raw
    assert len(play(unfinished(LONG, after=2), path, streamed=True).events) == 2


def test_an_unfinished_answer_that_is_whole_has_no_reason() -> None:
    assert play(unfinished(LONG), OPENAI, streamed=False).json["choices"][0]["finish_reason"] is None
    assert play(unfinished(LONG), ANTHROPIC, streamed=False).json["stop_reason"] is None


def test_an_error_comes_as_an_event_of_each_format() -> None:
    step = stream_error(LONG, after=3, status=529, message="too much")
    assert play(step, OPENAI, streamed=True).events[3:] == [
        ("", {"error": {"message": "too much", "type": "server_error", "param": None, "code": None}})
    ]
    ((name, error),) = play(step, ANTHROPIC, streamed=True).events[3:]
    assert name == "error"
    assert error["error"] == {"type": "overloaded_error", "message": "too much"}


@pytest.mark.parametrize("path", BOTH)
def test_where_nothing_is_streamed_the_error_is_the_answer(path: str) -> None:
    answer = play(stream_error(LONG, status=529), path, streamed=False)
    assert (answer.status, answer.json["error"]["message"]) == (529, "Overloaded")


def test_half_a_call_ends_by_length_in_the_middle_of_its_arguments() -> None:
    step = half_call("t", '{"path": "a.txt"}', "mine")
    message = play(step, OPENAI, streamed=False).json["choices"][0]
    assert message["finish_reason"] == "length"
    assert message["message"]["tool_calls"][0]["function"]["arguments"] == '{"path":'
    events = [value for _, value in play(step, ANTHROPIC, streamed=True).events]
    parts = [one["delta"]["partial_json"] for one in events if one["type"] == "content_block_delta"]
    assert ("".join(parts), events[-2]["delta"]["stop_reason"]) == ('{"path":', "max_tokens")
    assert play(step, ANTHROPIC, streamed=False).json["content"][0]["input"] == {}


@pytest.mark.parametrize("path", BOTH)
def test_a_stalled_stream_waits_between_its_pieces_and_comes_whole(path: str) -> None:
    begun = time.monotonic()
    answer = play(stalled("abcd", pause=0.03), path, streamed=True)
    assert said(answer, path) == "abcd"
    assert time.monotonic() - begun >= 0.03 * (len(answer.events) - 1)


def test_stopping_does_not_wait_for_a_stalled_stream() -> None:
    with ThreadPoolExecutor() as pool:
        with StrictServer([stalled(LONG, pause=60)]) as server:
            waiting = pool.submit(post, server, OPENAI, chat(OPENAI, stream=True))
            while not server.requests or not server.requests[0].status:
                time.sleep(0.005)
            begun = time.monotonic()
        assert time.monotonic() - begun < 5
        assert waiting.result(10).broke_off


def test_what_would_have_been_said_keeps_its_expectation_and_its_delay() -> None:
    step = broken(reply(LONG, expect="tea", delay=0.01, calls=[call("t")]), after=1)
    assert (step.expect, step.delay) == ("tea", 0.01)
    with StrictServer([step]) as server:
        assert post(server, OPENAI, chat(OPENAI)).status == 500
    with pytest.raises(AssertionError, match="expected 'tea'"):
        server.assert_used_up()


def test_only_an_answer_can_go_wrong_on_its_way() -> None:
    with pytest.raises(AssertionError, match="only an answer"):
        broken(drop())


def test_the_openai_sdk_meets_what_the_steps_promise() -> None:
    steps = [broken(LONG, after=2), unfinished(LONG), stream_error(LONG, after=2), reply(LONG)]
    with (
        StrictServer(steps) as server,
        openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0) as client,
    ):
        messages: Any = [{"role": "user", "content": "hello"}]

        def text() -> str:
            chunks = client.chat.completions.create(model="m", messages=messages, stream=True)
            return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

        with pytest.raises(openai.APIConnectionError):
            text()
        assert text() == LONG
        with pytest.raises(openai.APIError, match="Overloaded"):
            text()
        assert text() == LONG


def test_the_anthropic_sdk_meets_what_the_steps_promise() -> None:
    steps = [broken(LONG, after=4), stream_error(LONG, after=4), reply(LONG)]
    with (
        StrictServer(steps) as server,
        anthropic.Anthropic(api_key="k", base_url=server.root_url, max_retries=0) as client,
    ):
        messages: Any = [{"role": "user", "content": "hello"}]

        def text() -> str:
            with client.messages.stream(model="m", max_tokens=10, messages=messages) as stream:
                return stream.get_final_text()

        with pytest.raises(httpx2.RemoteProtocolError):
            text()
        with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
            text()
        assert text() == LONG


@pytest.mark.parametrize(
    ("step", "same"),
    [
        ({"broken": LONG, "after": 2}, broken(LONG, after=2)),
        ({"broken": {"text": "x", "calls": [{"name": "t"}]}}, broken(reply("x", calls=[call("t")]))),
        ({"unfinished": LONG}, unfinished(LONG)),
        ({"stream_error": LONG, "status": 500, "message": "m"}, stream_error(LONG, status=500, message="m")),
        ({"stalled": "x", "pause": 0.5, "delay": 1}, stalled(reply("x", delay=1), pause=0.5)),
        ({"half_call": {"name": "t", "arguments": "{}"}}, half_call("t", "{}")),
        ({"overflow": "vllm", "tokens": 9, "limit": 8}, overflow("vllm", tokens=9, limit=8)),
        ({"reply": {"text": "x", "pause": 0.5}}, reply("x", pause=0.5)),
    ],
)
def test_a_script_in_json_can_order_each_of_them(step: Any, same: Step) -> None:
    assert load_script(json.dumps([step])) == [same]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"broken": 5}, "step 1: .*int"),
        ({"broken": "x", "before": 2}, "step 1: .*before"),
        ({"overflow": "carrier pigeon"}, "step 1: .*carrier pigeon"),
        ({"stalled": "x"}, "step 1: .*pause"),
        ({"reply": "x", "after": 2}, "step 1: 'after' has no meaning here"),
        ({"reply": "x", "broken": "y"}, "step 1 needs one of"),
    ],
)
def test_an_order_that_cannot_be_carried_out_says_where(step: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_script(json.dumps([step]))
