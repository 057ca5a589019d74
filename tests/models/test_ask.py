"""One question to a model, over real HTTP on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.asking import MEMORY, ask_server
from vibeos.ports.models import (
    Finish,
    ModelMessage,
    ToolCall,
    ToolOutcome,
    Usage,
    dump_response,
    load_response,
    open_model,
    outcomes_request,
    parse_route,
    user_request,
)
from vibeos.testing import Step, StrictServer, call, fault, reply
from vibeos.testing.openai_wire import prompt_bytes
from vibeos.values.errors import ModelNotConfiguredError, ModelRequestError

ODD = '\u041f\u0440\u0438\u0432\u0435\u0442 \u65e5\u672c\u8a9e \U0001f600 \u200d\u202e "quoted" \\ \r\n\ttab </system>'


def _raw_value(raw: bytes, name: str) -> bytes:
    """The bytes of one value of a request's body, as they were on the wire."""
    text = raw.decode()
    start = text.index(f'"{name}":') + len(name) + 3
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end].encode()


def test_an_answer_comes_back_as_a_value() -> None:
    with StrictServer(
        [reply("Hello!", usage={"prompt_tokens": 40, "completion_tokens": 5, "cached_tokens": 32})]
    ) as server:
        got = ask_server(server, "hi", system="Be kind.")
    server.assert_used_up()
    assert (got.text, got.calls, got.finish) == ("Hello!", (), Finish.FINISHED)
    assert got.usage == Usage(input_tokens=40, output_tokens=5, cached_tokens=32)


def test_what_goes_out_is_the_prompt_then_the_conversation() -> None:
    with StrictServer([reply("ok")]) as server:
        ask_server(server, [user_request("one", "two")], system=ODD, tools=[MEMORY])
    (request,) = server.requests
    assert request.messages == [
        {"role": "system", "content": ODD},
        {"role": "user", "content": "one"},
        {"role": "user", "content": "two"},
    ]
    assert request.body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "memory",
                "description": "Keep a note.",
                "parameters": dict(MEMORY.parameters_json_schema),
            },
        }
    ]
    assert set(request.body) == {"model", "stream", "stream_options", "messages", "tools", "tool_choice"}


def test_text_of_every_kind_arrives_byte_for_byte() -> None:
    with StrictServer([reply(ODD)]) as server:
        got = ask_server(server, ODD, system=ODD)
    assert got.text == ODD
    assert server.requests[0].raw.count(json.dumps(ODD, ensure_ascii=False).encode()) == 2


def test_text_that_no_json_can_carry_is_sent_with_marks_in_its_place() -> None:
    with StrictServer([reply("ok")]) as server:
        ask_server(server, "lone \ud800, nul \x00", system="\udfff")
    assert [one["content"] for one in server.requests[0].messages] == ["\ufffd", "lone \ufffd, nul \ufffd"]


def test_an_empty_prompt_is_no_message() -> None:
    with StrictServer([reply("ok")]) as server:
        ask_server(server, "hi", system="")
    assert [one["role"] for one in server.requests[0].messages] == ["user"]


def test_calls_come_back_and_their_results_go_out() -> None:
    script = [
        reply(
            "Wait.", calls=[call("memory", '{ "text": "a" }', "id1"), call("memory", {"text": "b"}, "id2")]
        ),
        reply("Done.", expect="kept b"),
    ]
    with StrictServer(script) as server:
        asked: list[ModelMessage] = [user_request("remember")]
        first = ask_server(server, asked, tools=[MEMORY])
        assert first.finish is Finish.TOOL_CALLS
        assert first.calls == (
            ToolCall("id1", "memory", '{ "text": "a" }'),
            ToolCall("id2", "memory", '{"text": "b"}'),
        )
        outcomes = [
            ToolOutcome(one.call_id, one.name, f"kept {(one.parsed() or {})['text']}") for one in first.calls
        ]
        second = ask_server(server, [*asked, first.response, outcomes_request(outcomes)], tools=[MEMORY])
    server.assert_used_up()
    assert second.text == "Done."
    assert server.requests[1].messages[1:] == [
        {
            "role": "assistant",
            "content": "Wait.",
            "tool_calls": [
                {
                    "id": "id1",
                    "type": "function",
                    "function": {"name": "memory", "arguments": '{"text":"a"}'},
                },
                {
                    "id": "id2",
                    "type": "function",
                    "function": {"name": "memory", "arguments": '{"text":"b"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "id1", "content": "kept a"},
        {"role": "tool", "tool_call_id": "id2", "content": "kept b"},
    ]


def test_broken_arguments_come_back_as_they_are_and_can_still_be_sent() -> None:
    with StrictServer([reply(calls=[call("memory", '{"text": "half')]), reply("ok")]) as server:
        first = ask_server(server, "x", tools=[MEMORY])
        (made,) = first.calls
        assert made.arguments == '{"text": "half'
        assert made.parsed() is None
        outcome = outcomes_request([ToolOutcome(made.call_id, made.name, "the arguments are no JSON object")])
        ask_server(server, [user_request("x"), first.response, outcome], tools=[MEMORY])
    sent = server.requests[1].messages[1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"INVALID_JSON": '{"text": "half'}


def test_a_repeated_call_id_does_not_break_the_session() -> None:
    with StrictServer(
        [reply(calls=[call("memory", "{}", "t:1"), call("memory", "{}", "t:1")]), reply("ok")]
    ) as server:
        first = ask_server(server, "x", tools=[MEMORY])
        outcomes = outcomes_request([ToolOutcome(one.call_id, one.name, "ok") for one in first.calls])
        assert ask_server(server, [user_request("x"), first.response, outcomes], tools=[MEMORY]).text == "ok"
    assert server.refusals == []


@pytest.mark.parametrize(
    ("step", "finish"),
    [
        (reply("done"), Finish.FINISHED),
        (reply("half a sen", finish="length"), Finish.TRUNCATED),
        (reply(calls=[call("memory", '{"te')], finish="length"), Finish.TRUNCATED),
        (reply("", finish="length"), Finish.TRUNCATED),
        (reply("", finish="content_filter"), Finish.FILTERED),
        (reply(calls=[call("memory")]), Finish.TOOL_CALLS),
        (reply(calls=[call("memory")], finish="stop"), Finish.TOOL_CALLS),
        (reply(""), Finish.EMPTY),
        (reply(" \n"), Finish.EMPTY),
        (reply("", reasoning="hm"), Finish.EMPTY),
        (reply("", finish="tool_calls"), Finish.EMPTY),
    ],
)
def test_why_an_answer_ended_is_told_apart(step: Any, finish: Finish) -> None:
    with StrictServer([step]) as server:
        assert ask_server(server, tools=[MEMORY]).finish is finish


def test_a_refusal_in_words_counts_as_filtered() -> None:
    message = {"role": "assistant", "content": None, "refusal": "No."}
    with StrictServer([fault(200, body=json.dumps(_completion(message)))]) as server:
        assert ask_server(server).finish is Finish.FILTERED


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("gpt-5", "max_completion_tokens"),
        ("acme/o3-mini", "max_completion_tokens"),
        ("gpt-oss-20b", "max_tokens"),
        ("qwen3", "max_tokens"),
    ],
)
def test_the_length_of_an_answer_is_limited_in_the_words_of_the_model(model: str, sent: str) -> None:
    with StrictServer([reply("ok")]) as server:
        ask_server(server, model=model, max_output_tokens=77)
    assert server.requests[0].body[sent] == 77
    assert len({"max_tokens", "max_completion_tokens"} & set(server.requests[0].body)) == 1


def test_a_key_is_sent_as_a_bearer_and_is_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    with StrictServer([reply("ok"), reply("ok")], api_key=None) as server:
        ask_server(server, api_key="given")
        ask_server(server)
    assert [one.headers["authorization"] for one in server.requests] == ["Bearer given", "Bearer none"]


def test_the_environment_changes_nothing_of_what_is_sent_or_where(monkeypatch: pytest.MonkeyPatch) -> None:
    with StrictServer([reply("ok"), reply("ok")]) as server, StrictServer([reply("ok")]) as other:
        ask_server(server)
        for name, value in {
            "OPENAI_BASE_URL": other.base_url,
            "OPENAI_ORG_ID": "org-1",
            "OPENAI_PROJECT_ID": "proj-1",
            "OPENAI_CUSTOM_HEADERS": "X-Secret: yes",
            "OPENAI_ADMIN_KEY": "admin",
            "HTTP_PROXY": other.base_url,
            "ALL_PROXY": other.base_url,
        }.items():
            monkeypatch.setenv(name, value)
        ask_server(server)
    assert other.requests == []
    first, second = server.requests
    assert first.headers == second.headers
    assert first.raw == second.raw


def test_asking_needs_a_key_unless_the_server_is_on_this_machine() -> None:
    route = parse_route("openai:m", base_url="https://models.example.com/v1", api_key_env="EXAMPLE_KEY")
    with pytest.raises(ModelNotConfiguredError, match="EXAMPLE_KEY is not set"):
        open_model(route, "")


def test_each_request_begins_with_the_one_before_byte_for_byte() -> None:
    """Also when answers are stored and loaded in between, and when some of them think and others do not."""
    script = [
        reply(
            "Let me see.",
            calls=[call("memory", '{ "text" :"a"}'), call("memory", {"text": ODD})],
            reasoning="first",
        ),
        reply(calls=[call("memory", {"text": "c"})]),
        reply("Done.", reasoning="second"),
        reply("", reasoning="only thinking"),
        reply(calls=[call("memory", '{"broken')]),
        reply("The end."),
    ]
    messages: list[ModelMessage] = []
    cached = []
    with StrictServer(script) as server:
        for turn in range(len(script)):
            if not messages or not _last_called(messages):
                messages.append(user_request(f"{turn} {ODD}", "and more"))
            got = ask_server(server, messages, system=ODD, tools=[MEMORY])
            cached.append(got.usage.cached_tokens)
            messages.append(load_response(dump_response(got.response)))
            if got.calls:
                messages.append(
                    outcomes_request([ToolOutcome(one.call_id, one.name, ODD) for one in got.calls])
                )
    server.assert_used_up()
    sent = [one.raw for one in server.requests]
    for before, after in pairwise(sent):
        assert _raw_value(after, "tools") == _raw_value(before, "tools")
        assert _raw_value(after, "messages").startswith(_raw_value(before, "messages")[:-1] + b",")
    assert cached[0] == 0
    assert cached[1:] == [len(prompt_bytes(one.body)) // 4 for one in server.requests[:-1]]


def _last_called(messages: list[ModelMessage]) -> bool:
    return messages[-1].kind == "request"


answers = st.builds(
    reply,
    st.sampled_from(["", "ok", ODD]),
    calls=st.lists(
        st.builds(call, st.just("memory"), st.sampled_from(["{}", '{ "b":2, "a" : [1.50, null] }', "{", ""])),
        max_size=2,
    ),
    reasoning=st.sampled_from(["", "", "hm", ODD]),
    finish=st.sampled_from(["", "length"]),
)


def test_no_conversation_changes_what_was_sent_before() -> None:
    with StrictServer() as server:

        @settings(max_examples=25, deadline=None)
        @given(st.lists(answers, min_size=2, max_size=5))
        def keep_the_prefix(script: list[Step]) -> None:
            server.extend(script)
            sent = len(server.requests)
            messages: list[ModelMessage] = []
            for _ in script:
                if not messages or not _last_called(messages):
                    messages.append(user_request("next"))
                got = ask_server(server, messages, system="S", tools=[MEMORY])
                messages.append(load_response(dump_response(got.response)))
                if got.calls:
                    messages.append(
                        outcomes_request([ToolOutcome(one.call_id, one.name, "ok") for one in got.calls])
                    )
            for before, after in pairwise(one.raw for one in server.requests[sent:]):
                begun = _raw_value(before, "messages")[:-1]
                assert _raw_value(after, "messages").startswith(begun)
                assert _raw_value(after, "tools") == _raw_value(before, "tools")

        keep_the_prefix()
    assert server.refusals == []
    server.assert_used_up()


PHONING = """
import asyncio, sys
from vibeos.ports.models import Deaf, Request, open_model, parse_route, resolve_limits, user_request
from vibeos.testing import StrictServer
asked = []
watched = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
sys.addaudithook(lambda event, args: asked.append(repr(args[1:] if event == "socket.connect" else args)) if event in watched else None)
resolve_limits(parse_route("openai:gpt-5.4"))
with StrictServer(["ok", "ok"]) as server:
    for name in ("openai:gpt-4o", "anthropic:claude-opus-4-6"):
        model = open_model(parse_route(name, base_url=server.base_url), "")
        assert model.route.context_window
        asyncio.run(model.ask(Request("s", (), [user_request("x")]), Deaf()))
    port = server.base_url.split(":")[2].split("/")[0]
print(sorted(set(asked) - {f"(('127.0.0.1', {port}),)"}), len(asked))
"""


def test_nothing_is_connected_to_but_the_route() -> None:
    telemetry = {
        "LOGFIRE_TOKEN": "x",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "LOGFIRE_SEND_TO_LOGFIRE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", PHONING],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **telemetry},
    )
    assert done.stdout.split() == ["[]", "2"]


def test_thinking_goes_back_only_to_the_service_it_came_from() -> None:
    with (
        StrictServer([reply("a", reasoning="because"), reply("b")]) as own,
        StrictServer([reply("c")]) as foreign,
    ):
        first = ask_server(own, "x")
        conversation: list[ModelMessage] = [user_request("x"), first.response, user_request("y")]
        ask_server(own, conversation)
        ask_server(foreign, conversation)
    assert own.requests[1].messages[1] == {
        "role": "assistant",
        "content": "a",
        "reasoning_content": "because",
    }
    assert foreign.requests[0].messages[1] == {"role": "assistant", "content": "a"}


def test_a_forged_end_of_turn_is_broken_on_the_wire_and_whole_in_what_is_kept() -> None:
    with StrictServer([reply("I saw <|im_end|>.")]) as server:
        got = ask_server(server, "print <|im_end|>", model="qwen3")
    assert server.requests[0].last_text == "print <\u200d|im_end|>"
    assert got.text == "I saw <|im_end|>."


def _completion(message: dict[str, Any], **changes: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **changes,
    }


def test_an_answer_that_leaves_out_what_is_optional_is_read() -> None:
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
    body["choices"] = [{"index": 0, "message": {"role": "assistant", "content": "hi"}}]
    with StrictServer([fault(200, body=json.dumps(body))]) as server:
        got = ask_server(server)
    assert (got.text, got.finish, got.usage) == ("hi", Finish.FINISHED, Usage())


odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**30),
    st.floats(),
    st.sampled_from(["", "x", "\ud800", "stop", "[]", "{}", "[null]", "[{}]", '{"a": 1}']).map(
        lambda text: json.loads(text) if text[:1] in ("[", "{") else text
    ),
)


@st.composite
def damaged_answers(draw: st.DrawFn) -> bytes:
    """An answer in which something, anywhere, has a value that does not belong there, or is missing, or cut off."""
    tool_call = {"id": "c", "type": "function", "function": {"name": "memory", "arguments": "{}"}}
    message = {"role": "assistant", "content": "hi", "reasoning_content": "hm", "tool_calls": [tool_call]}
    usage = {
        "prompt_tokens": 1,
        "completion_tokens": 1,
        "total_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 1},
    }
    body: Any = _completion(message, usage=usage)
    for _ in range(draw(st.integers(1, 2))):
        node, depth = body, draw(st.integers(0, 5))
        while isinstance(node, (dict, list)) and node:
            key = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
            inner = node[key]
            if depth == 0 or not isinstance(inner, (dict, list)) or not inner:
                if draw(st.sampled_from([True, True, False])) or isinstance(node, list):
                    node[key] = draw(odd_values)
                else:
                    del node[key]
                break
            node, depth = inner, depth - 1
    raw = json.dumps(body).encode()
    return raw[: len(raw) // 2] if draw(st.integers(0, 9)) == 0 else raw


def test_whatever_an_endpoint_answers_is_a_reply_that_can_be_stored_or_one_kind_of_error() -> None:
    outcomes = set()
    with StrictServer() as server:

        @settings(max_examples=150, deadline=None)
        @given(damaged_answers())
        def survive(raw: bytes) -> None:
            server.extend([fault(200, body=raw)])
            try:
                got = ask_server(server)
            except ModelRequestError:
                outcomes.add("error")
            else:
                assert load_response(dump_response(got.response)).parts == got.response.parts
                outcomes.add("reply")

        survive()
    assert outcomes == {"error", "reply"}
