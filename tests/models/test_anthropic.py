"""Anthropic's format: what goes out, with which marks, and what comes back and must go out again unchanged."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.asking import MEMORY, ask_model, ask_server, model_at
from models.loopback import EVENTS, Loopback, http, message_events, named_events
from vibeos.ports.models import (
    Finish,
    ModelMessage,
    ToolCall,
    ToolOutcome,
    ToolSpec,
    Usage,
    dump_response,
    load_response,
    outcomes_request,
    user_request,
)
from vibeos.testing import Step, StrictServer, call, fault, reply
from vibeos.values.errors import ModelRequestError

MARK = {"type": "ephemeral", "ttl": "5m"}
ODD = '\u041f\u0440\u0438\u0432\u0435\u0442 \u65e5\u672c\u8a9e \U0001f600 \u200d\u202e "quoted" \\ \r\n\ttab </system>'
OTHER = ToolSpec("other", "Another.", {"type": "object", "properties": {}})


def _ask(server: StrictServer, messages: Any = "hello", **options: Any) -> Any:
    return ask_server(server, messages, provider="anthropic", **options)


def _without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_marks(one) for key, one in value.items() if key != "cache_control"}
    return [_without_marks(one) for one in value] if isinstance(value, list) else value


def _marked(value: Any, path: str = "") -> list[str]:
    """Where the cache marks stand."""
    if isinstance(value, dict):
        here = [path] if "cache_control" in value else []
        return here + [found for key, one in value.items() for found in _marked(one, f"{path}.{key}")]
    if isinstance(value, list):
        return [found for index, one in enumerate(value) for found in _marked(one, f"{path}[{index}]")]
    return []


def test_what_goes_out_is_the_prompt_the_tools_and_the_conversation() -> None:
    with StrictServer([reply("ok")]) as server:
        got = _ask(server, [user_request("one", "two")], system=ODD, tools=[OTHER, MEMORY])
    (request,) = server.requests
    assert got.text == "ok"
    assert request.path.partition("?")[0] == "/v1/messages"
    assert request.headers["anthropic-version"]
    assert request.body["system"] == [{"type": "text", "text": ODD, "cache_control": MARK}]
    assert request.body["tools"] == [
        {"name": "other", "description": "Another.", "input_schema": dict(OTHER.parameters_json_schema)},
        {
            "name": "memory",
            "description": "Keep a note.",
            "input_schema": dict(MEMORY.parameters_json_schema),
            "cache_control": MARK,
        },
    ]
    assert request.body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "one"},
                {"type": "text", "text": "two", "cache_control": MARK},
            ],
        }
    ]
    assert set(request.body) == {
        "max_tokens",
        "messages",
        "model",
        "stream",
        "system",
        "tool_choice",
        "tools",
    }


def test_an_answer_comes_back_as_a_value() -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 5, "cached_tokens": 32}
    with StrictServer([reply("Hello!", usage=usage)]) as server:
        got = _ask(server)
    assert (got.text, got.calls, got.finish) == ("Hello!", (), Finish.FINISHED)
    assert got.usage == Usage(input_tokens=40, output_tokens=5, cached_tokens=32)


def test_calls_come_back_and_their_results_go_out() -> None:
    script = [
        reply(
            "Wait.", calls=[call("memory", '{ "text": "a" }', "id1"), call("memory", {"text": "b"}, "id2")]
        ),
        reply("Done."),
    ]
    with StrictServer(script) as server:
        asked: list[ModelMessage] = [user_request("remember")]
        first = _ask(server, asked, tools=[MEMORY])
        assert first.finish is Finish.TOOL_CALLS
        assert [one.parsed() for one in first.calls] == [{"text": "a"}, {"text": "b"}]
        outcomes = outcomes_request([ToolOutcome(one.call_id, one.name, "kept") for one in first.calls])
        assert _ask(server, [*asked, first.response, outcomes], tools=[MEMORY]).text == "Done."
    server.assert_used_up()
    assert _without_marks(server.requests[1].messages[1:]) == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Wait."},
                {"type": "tool_use", "id": "id1", "name": "memory", "input": {"text": "a"}},
                {"type": "tool_use", "id": "id2", "name": "memory", "input": {"text": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": one,
                    "content": [{"type": "text", "text": "kept"}],
                    "is_error": False,
                }
                for one in ("id1", "id2")
            ],
        },
    ]


answers = st.builds(
    reply,
    st.sampled_from(["", "ok", ODD]),
    calls=st.lists(
        st.builds(call, st.just("memory"), st.sampled_from(["{}", '{ "b":2, "a" : [1.50, null] }', "{"])),
        max_size=2,
    ),
    reasoning=st.sampled_from(["", "hm", ODD]),
    finish=st.sampled_from(["", "length"]),
)


def test_each_request_begins_with_the_one_before_apart_from_the_marks() -> None:
    """And the marks stand at the end of the tools, of the system prompt and of the last message, never more."""
    with StrictServer() as server:

        @settings(max_examples=25, deadline=None)
        @given(st.lists(answers, min_size=2, max_size=5))
        def keep_the_prefix(script: list[Step]) -> None:
            server.extend(script)
            begun = len(server.requests)
            messages: list[ModelMessage] = []
            for _ in script:
                if not messages or messages[-1].kind != "request":
                    messages.append(user_request("next", ODD))
                got = _ask(server, messages, system="S", tools=[OTHER, MEMORY])
                messages.append(load_response(dump_response(got.response)))
                if got.calls:
                    results = [ToolOutcome(one.call_id, one.name, "ok") for one in got.calls]
                    messages.append(outcomes_request(results))
            bodies = [one.body for one in server.requests[begun:]]
            for before, after in pairwise(bodies):
                assert before["tools"] == after["tools"]
                assert before["system"] == after["system"]
                shorter, longer = _wire(before["messages"]), _wire(after["messages"])
                assert longer.startswith(shorter[:-1] + ",")
            for body in bodies:
                last = len(body["messages"]) - 1
                end = len(body["messages"][last]["content"]) - 1
                assert _marked(body["messages"]) == [f"[{last}].content[{end}]"]
                assert (_marked(body["tools"]), _marked(body["system"])) == (["[1]"], ["[0]"])

        keep_the_prefix()
    assert server.refusals == []
    server.assert_used_up()


def _wire(messages: Any) -> str:
    return json.dumps(_without_marks(messages), ensure_ascii=False, separators=(",", ":"))


def test_thinking_goes_back_whole_with_its_signature_also_from_storage() -> None:
    thinking = {"type": "thinking", "thinking": "Let me see.\n\nYes.", "signature": "EqQBCg+/=="}
    hidden = {"type": "redacted_thinking", "data": "c2VjcmV0"}
    use = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": '{"text": "a"}'}
    first = named_events(message_events(thinking, hidden, use, stop="tool_use"))
    second = named_events(message_events({"type": "text", "text": "Done."}))
    with Loopback(http(first, kind=EVENTS), http(second, kind=EVENTS)) as server:
        model = model_at(server.base_url, provider="anthropic")
        got = ask_model(model, tools=[MEMORY])
        assert got.calls == (ToolCall("toolu_1", "memory", '{"text": "a"}'),)
        stored = load_response(dump_response(got.response))
        results = outcomes_request([ToolOutcome("toolu_1", "memory", "kept")])
        ask_model(model, [user_request("hello"), stored, results], tools=[MEMORY])
    sent = server.body(1)["messages"][1]["content"]
    assert sent == [thinking, hidden, {**use, "input": {"text": "a"}}]


@pytest.mark.parametrize("provider", ["openai", "127.0.0.1:8080", "anthropic"])
def test_thinking_of_another_model_or_without_a_signature_is_not_sent_as_words(provider: str) -> None:
    parts = [
        {"content": "private", "id": "reasoning_content", "part_kind": "thinking", "provider_name": provider},
        {"content": "said", "part_kind": "text"},
    ]
    row = {"parts": parts, "timestamp": "1970-01-01T00:00:00Z", "kind": "response", "provider_name": provider}
    with StrictServer([reply("ok")]) as server:
        _ask(server, [user_request("a"), load_response(json.dumps(row)), user_request("b")])
    assert "private" not in server.requests[0].raw.decode()
    assert "said" in server.requests[0].raw.decode()


def test_calls_of_another_service_keep_ids_of_their_own_in_letters_that_are_taken() -> None:
    ids = ["functions.memory:0", "functions.memory.0", "toolu_1"]
    parts = [
        {"tool_name": "memory", "args": "{}", "tool_call_id": one, "part_kind": "tool-call"} for one in ids
    ]
    row = {"parts": parts, "timestamp": "1970-01-01T00:00:00Z", "kind": "response"}
    results = outcomes_request([ToolOutcome(one, "memory", "ok") for one in ids])
    with StrictServer([reply("ok")]) as server:
        _ask(server, [user_request("a"), load_response(json.dumps(row)), results], tools=[MEMORY])
    uses, answered = server.requests[0].messages[1:]
    sent = [block["id"] for block in uses["content"]]
    assert [block["tool_use_id"] for block in answered["content"]] == sent
    assert len(set(sent)) == 3
    assert sent[2] == "toolu_1"
    assert all(one.replace("_", "").replace("-", "").isalnum() for one in sent)


@pytest.mark.parametrize("content", ["", " \n"])
def test_a_result_without_words_is_sent_as_one(content: str) -> None:
    row = {"tool_name": "memory", "args": "{}", "tool_call_id": "c", "part_kind": "tool-call"}
    made = load_response(
        json.dumps({"parts": [row], "timestamp": "1970-01-01T00:00:00Z", "kind": "response"})
    )
    results = outcomes_request([ToolOutcome("c", "memory", content)])
    with StrictServer([reply("ok")]) as server:
        assert _ask(server, [user_request("a"), made, results], tools=[MEMORY]).text == "ok"
    (block,) = server.requests[0].messages[2]["content"]
    assert block["content"] == ""


def test_blank_words_beside_a_call_do_not_break_the_session() -> None:
    with StrictServer([reply("\n\n", calls=[call("memory", "{}", "c")]), reply("ok")]) as server:
        first = _ask(server, "x", tools=[MEMORY])
        results = outcomes_request([ToolOutcome("c", "memory", "ok")])
        assert _ask(server, [user_request("x"), first.response, results], tools=[MEMORY]).text == "ok"
    assert server.refusals == []


@pytest.mark.parametrize("suffix", ["", "/v1"])
def test_an_address_is_taken_with_and_without_the_version(suffix: str) -> None:
    with StrictServer([reply("ok")]) as server:
        model = model_at(server.base_url.removesuffix("/v1") + suffix, provider="anthropic")
        assert ask_model(model).text == "ok"


def test_the_length_of_an_answer_is_the_routes_or_the_models_own() -> None:
    with StrictServer([reply("ok")] * 2) as server:
        _ask(server, max_output_tokens=77)
        _ask(server, model="claude-opus-4-6")
    assert server.requests[0].body["max_tokens"] == 77
    assert server.requests[1].body["max_tokens"] > 8_000


def test_the_environment_changes_nothing_of_what_is_sent_or_where(monkeypatch: pytest.MonkeyPatch) -> None:
    with StrictServer([reply("ok"), reply("ok")]) as server, StrictServer([reply("ok")]) as other:
        _ask(server, api_key="given")
        for name, value in {
            "ANTHROPIC_API_KEY": "from-the-environment",
            "ANTHROPIC_AUTH_TOKEN": "token",
            "ANTHROPIC_BASE_URL": other.base_url,
            "ANTHROPIC_CUSTOM_HEADERS": "X-Secret: yes",
            "HTTP_PROXY": other.base_url,
            "ALL_PROXY": other.base_url,
        }.items():
            monkeypatch.setenv(name, value)
        _ask(server, api_key="given")
    assert other.requests == []
    first, second = server.requests
    assert first.headers == second.headers
    assert first.headers["authorization"] == "Bearer given"
    assert first.raw == second.raw


def test_a_wrong_key_names_the_variable_and_not_the_key() -> None:
    with StrictServer(api_key="right") as server, pytest.raises(ModelRequestError) as caught:
        _ask(server, api_key="sk-wrong-and-secret")
    assert "refused the key (HTTP 401)" in caught.value.message
    assert "secret" not in str(caught.value)


def test_an_unknown_model_is_named() -> None:
    with StrictServer(models=["known"]) as server, pytest.raises(ModelRequestError) as caught:
        _ask(server, model="unknown")
    assert "does not know the model 'unknown' (HTTP 404)" in caught.value.message


def test_an_answer_of_another_kind_of_server_points_at_the_format() -> None:
    html = fault(200, body="<html>", headers={"content-type": "text/html"})
    with StrictServer([html]) as server, pytest.raises(ModelRequestError) as caught:
        _ask(server)
    assert "is not of the Anthropic messages format" in caught.value.message
    assert "model.base_url" in caught.value.remedy


def test_what_anthropic_said_is_quoted() -> None:
    said = {"type": "error", "error": {"type": "invalid_request_error", "message": "tools.0: too odd"}}
    with Loopback(http(json.dumps(said), status=400)) as server, pytest.raises(ModelRequestError) as caught:
        ask_model(model_at(server.base_url, provider="anthropic"))
    assert "refused the request (HTTP 400): 'tools.0: too odd'" in caught.value.message
