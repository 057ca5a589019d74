"""A streamed answer in OpenAI's format: chunk for chunk by hand, and as the SDK reads it."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from testing.speaking import OPENAI, Answered, chat, post, said
from vibeos.testing import StrictServer, call, reply
from vibeos.testing.wire import pieces

FULL = reply(
    "Hi there, ünïcode 你好", calls=[call("t", {"a": "b" * 20}), call("u", "{}", "mine")], reasoning="because"
)


def stream(server: StrictServer, **more: Any) -> Answered:
    return post(server, OPENAI, chat(OPENAI, stream=True, **more))


def deltas(answer: Answered) -> list[dict[str, Any]]:
    return [value["choices"][0]["delta"] for _, value in answer.events[:-1] if value["choices"]]


def test_a_stream_is_chunked_events_that_end_with_done() -> None:
    with StrictServer(["Hello"]) as server:
        answer = stream(server)
    assert (answer.status, answer.broke_off) == (200, False)
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in answer.headers
    assert answer.raw.endswith(b"data: [DONE]\n\n")
    assert answer.raw.startswith(b"data: {")


def test_who_speaks_comes_first_then_the_text_in_pieces_then_the_reason() -> None:
    with StrictServer(["Hello"]) as server:
        answer = stream(server)
    first, *text, last = deltas(answer)
    assert first == {"role": "assistant", "content": "", "refusal": None}
    assert [one["content"] for one in text] == ["He", "ll", "o"]
    assert last == {}
    reasons = [value["choices"][0]["finish_reason"] for _, value in answer.events[:-1]]
    assert reasons == [None, None, None, None, "stop"]


def test_every_chunk_names_the_same_answer() -> None:
    with StrictServer(["Hello"]) as server:
        chunks = [value for _, value in stream(server).events[:-1]]
    heads = {json.dumps({name: one[name] for name in ("id", "object", "created", "model")}) for one in chunks}
    assert len(heads) == 1
    assert chunks[0]["object"] == "chat.completion.chunk"
    assert all("usage" not in one for one in chunks)


def test_a_call_comes_with_index_id_and_name_and_then_its_arguments_in_pieces() -> None:
    with StrictServer([FULL]) as server:
        made = [one["tool_calls"][0] for one in deltas(stream(server)) if "tool_calls" in one]
    begun = [one for one in made if "id" in one]
    assert begun == [
        {"index": 0, "id": "call_1_1", "type": "function", "function": {"name": "t", "arguments": ""}},
        {"index": 1, "id": "mine", "type": "function", "function": {"name": "u", "arguments": ""}},
    ]
    rest = [one for one in made if "id" not in one]
    assert all(set(one) == {"index", "function"} and set(one["function"]) == {"arguments"} for one in rest)
    assert (
        "".join(one["function"]["arguments"] for one in rest if one["index"] == 0)
        == '{"a": "' + "b" * 20 + '"}'
    )
    assert len([one for one in rest if one["index"] == 0]) > 1


def test_an_answer_of_calls_alone_has_no_content() -> None:
    with StrictServer([reply(calls=[call("t")])]) as server:
        answer = stream(server)
    assert deltas(answer)[0] == {"role": "assistant", "content": None, "refusal": None}
    assert not any(one.get("content") for one in deltas(answer))
    assert answer.events[-2][1]["choices"][0]["finish_reason"] == "tool_calls"


def test_usage_comes_last_and_only_when_it_is_asked_for() -> None:
    with StrictServer(["Hello", "Hello"]) as server:
        whole = post(server, OPENAI, chat(OPENAI)).json["usage"]
        chunks = [value for _, value in stream(server, stream_options={"include_usage": True}).events[:-1]]
    assert [one["usage"] for one in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1]["choices"] == []
    usage = chunks[-1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (
        whole["prompt_tokens"],
        whole["completion_tokens"],
    )
    assert usage["prompt_tokens_details"]["cached_tokens"] == usage["prompt_tokens"] - 1


@pytest.mark.parametrize(
    ("more", "words", "param"),
    [
        ({"stream": "yes"}, "expected a boolean, but got a string", "stream"),
        (
            {"stream_options": {"include_usage": True}},
            "only allowed when 'stream' is enabled",
            "stream_options",
        ),
        ({"stream": True, "stream_options": []}, "expected an object", "stream_options"),
        ({"stream": True, "stream_options": {"x": 1}}, "Unknown parameter", "stream_options.x"),
    ],
)
def test_what_the_real_endpoint_refuses_of_a_stream_is_refused_whole(
    more: dict[str, Any], words: str, param: str
) -> None:
    with StrictServer() as server:
        answer = post(server, OPENAI, chat(OPENAI, **more))
    assert (answer.status, answer.json["error"]["param"]) == (400, param)
    assert words in answer.json["error"]["message"]


def test_a_connection_serves_whole_and_streamed_answers_in_turn() -> None:
    with StrictServer(["one", "two", "three"]) as server:
        client = openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0)
        with client:
            answers = [ask(client, streamed=streamed) for streamed in (True, False, True)]
    assert answers == ["one", "two", "three"]


def ask(client: openai.OpenAI, *, streamed: bool) -> str:
    messages: Any = [{"role": "user", "content": "hello"}]
    if not streamed:
        whole = client.chat.completions.create(model="m", messages=messages)
        return whole.choices[0].message.content or ""
    chunks = client.chat.completions.create(model="m", messages=messages, stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def test_the_sdk_puts_a_stream_together_as_the_script_says() -> None:
    with (
        StrictServer([FULL]) as server,
        openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0) as client,
        client.chat.completions.stream(
            model="m", messages=[{"role": "user", "content": "hello"}], stream_options={"include_usage": True}
        ) as events,
    ):
        whole = events.get_final_completion()
    message = whole.choices[0].message
    assert message.content == "Hi there, ünïcode 你好"
    assert message.model_extra == {"reasoning_content": "because"} or message.reasoning_content == "because"  # type: ignore[attr-defined]
    assert [(one.id, one.function.name, one.function.arguments) for one in message.tool_calls or []] == [
        ("call_1_1", "t", '{"a": "' + "b" * 20 + '"}'),
        ("mine", "u", "{}"),
    ]
    assert whole.choices[0].finish_reason == "tool_calls"
    assert whole.usage is not None
    assert whole.usage.prompt_tokens > 0


def test_a_lone_surrogate_goes_through_a_stream() -> None:
    with StrictServer(["a\ud800b"]) as server:
        assert said(stream(server), OPENAI) == "a\ud800b"


@given(st.text(max_size=600))
def test_pieces_are_the_text_and_never_too_many(text: str) -> None:
    cut = pieces(text)
    assert "".join(cut) == text
    assert len(cut) <= 40
    assert len(cut) >= min(2, len(text))
    assert all(cut)
