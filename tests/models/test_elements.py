"""Elements of a conversation: built from values without a clock, stored as JSON text without loss."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from vibeos.ports.models import (
    ToolCall,
    ToolOutcome,
    dump_outcomes,
    dump_request,
    dump_response,
    load_outcomes,
    load_request,
    load_response,
    outcomes_request,
    response_text,
    tool_calls,
    user_request,
)
from vibeos.ports.models.messages import sendable
from vibeos.ports.models.plain import plain_response
from vibeos.ports.models.tools import is_legal_tool_name
from vibeos.values.errors import InvalidRequestError

ODD = 'caf\u00e9 \u65e5\u672c \U0001f600 \u202e\u200d \u0000 \r\n \\ " </memory>'
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
any_text = st.text(max_size=40) | st.sampled_from(["\ud800", "a\udfffb", "\x00", ODD])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
details = st.none() | st.dictionaries(texts, json_values, max_size=3)
call_arguments = texts | st.dictionaries(texts, json_values, max_size=3).map(json.dumps)
parts: st.SearchStrategy[TextPart | ThinkingPart | ToolCallPart] = st.one_of(
    st.builds(TextPart, texts, id=st.none() | texts, provider_name=st.just("p"), provider_details=details),
    st.builds(
        ThinkingPart,
        texts,
        id=st.none() | texts,
        signature=st.none() | texts,
        provider_name=st.just("p"),
        provider_details=details,
    ),
    st.builds(
        ToolCallPart, texts, call_arguments, texts, provider_name=st.just("p"), provider_details=details
    ),
)
responses = st.builds(
    ModelResponse,
    parts=st.lists(parts, max_size=4),
    usage=st.builds(RequestUsage, input_tokens=st.integers(0, 10**6), output_tokens=st.integers(0, 10**6)),
    model_name=st.none() | texts,
    timestamp=st.datetimes(timezones=st.just(UTC)),
    provider_details=details,
    provider_response_id=st.none() | texts,
    finish_reason=st.none() | st.sampled_from(["stop", "length", "tool_call", "content_filter"]),
)


@settings(max_examples=100, deadline=None)
@given(responses)
def test_a_response_comes_back_from_its_text_whole_and_dumps_to_the_same_bytes(
    response: ModelResponse,
) -> None:
    text = dump_response(response)
    loaded = load_response(text)
    assert dump_response(loaded) == text
    assert loaded == response
    assert "\n" not in text


@settings(max_examples=60, deadline=None)
@given(st.lists(any_text, min_size=1, max_size=4))
def test_inputs_dump_to_the_same_bytes_whenever_they_are_built(said: list[str]) -> None:
    text = dump_request(user_request(*said))
    assert dump_request(user_request(*said)) == text
    assert dump_request(load_request(text)) == text


@settings(max_examples=60, deadline=None)
@given(st.lists(st.builds(ToolOutcome, any_text, any_text, any_text), max_size=4))
def test_outcomes_come_back_exactly_whatever_a_tool_printed(outcomes: list[ToolOutcome]) -> None:
    text = dump_outcomes(outcomes)
    text.encode()  # a database takes it
    assert load_outcomes(text) == outcomes
    assert dump_outcomes(load_outcomes(text)) == text


@settings(max_examples=60, deadline=None)
@given(st.lists(st.builds(ToolOutcome, texts, texts, any_text), min_size=1, max_size=4))
def test_results_dump_to_the_same_bytes_whenever_they_are_built(outcomes: list[ToolOutcome]) -> None:
    text = dump_request(outcomes_request(outcomes))
    assert dump_request(outcomes_request(outcomes)) == text
    assert dump_request(load_request(text)) == text


def test_text_in_any_script_is_stored_as_itself() -> None:
    assert "caf\u00e9 \u65e5\u672c" in dump_outcomes([ToolOutcome("c", "t", ODD)])
    assert "caf\u00e9 \u65e5\u672c" in dump_request(user_request(ODD))


def test_thinking_keeps_its_signature_and_its_place() -> None:
    response = ModelResponse(
        parts=[
            ThinkingPart("first", id="reasoning_content", signature="s1g==", provider_name="p"),
            TextPart("then"),
            ThinkingPart("", id="redacted_thinking", signature="blob", provider_name="p"),
            ToolCallPart("memory", '{"a": 1}', "call_1", id="fc_1", provider_name="p"),
        ],
        timestamp=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
    )
    loaded = load_response(dump_response(response))
    assert [type(part) for part in loaded.parts] == [ThinkingPart, TextPart, ThinkingPart, ToolCallPart]
    assert loaded == response


def test_the_text_of_a_response_is_without_its_thinking() -> None:
    response = ModelResponse(parts=[ThinkingPart("hidden"), TextPart("said"), ToolCallPart("t", "{}", "c")])
    assert response_text(response) == "said"
    assert response_text(ModelResponse(parts=[ToolCallPart("t", "{}", "c")])) == ""


def test_calls_are_read_as_the_model_wrote_them() -> None:
    response = ModelResponse(
        parts=[
            TextPart("x"),
            ToolCallPart("memory", '{"a" : 1}', "c1"),
            ToolCallPart("memory", {"b": 2}, "c2"),
        ]
    )
    assert tool_calls(response) == [
        ToolCall("c1", "memory", '{"a" : 1}'),
        ToolCall("c2", "memory", '{"b":2}'),
    ]


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ("  ", {}),
        ("{}", {}),
        ('{"a": "\\u00e9"}', {"a": "\u00e9"}),
        ('{"a": 1', None),
        ("[1]", None),
        ("null", None),
        ('"text"', None),
        ('{"a": NaN}', None),
        ("[" * 100_000, None),
    ],
)
def test_arguments_are_an_object_or_none(arguments: str, parsed: dict[str, Any] | None) -> None:
    assert ToolCall("c", "t", arguments).parsed() == parsed


@pytest.mark.parametrize(
    "text", ["", "null", "{}", "[]", "not json", '{"kind":"response"}', '{"parts":5,"kind":"response"}']
)
def test_a_stored_text_that_is_no_element_is_a_clear_error(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="A stored response cannot be read"):
        load_response(text)
    with pytest.raises(InvalidRequestError, match="A stored request cannot be read"):
        load_request(text)


def test_an_element_of_the_other_kind_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="response"):
        load_response(dump_request(user_request("x")))
    with pytest.raises(InvalidRequestError, match="request"):
        load_request(dump_response(ModelResponse(parts=[])))
    two = dump_request(user_request("x"))
    with pytest.raises(InvalidRequestError, match="request"):
        load_request(f"{two},{two}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "{}",
        "[1]",
        '[{"call_id":"c"}]',
        '[{"call_id":"c","tool_name":"t","content":5}]',
        '[{"call_id":"c","tool_name":"t","content":"","more":""}]',
        "[" * 100_000,
    ],
)
def test_stored_outcomes_that_are_none_are_a_clear_error(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="Stored tool results cannot be read"):
        load_outcomes(text)


@settings(max_examples=60, deadline=None)
@given(any_text)
def test_a_plain_answer_is_read_like_any_other(text: str) -> None:
    payload = plain_response(text)
    loaded = load_response(payload)
    assert response_text(loaded) == response_text(ModelResponse(parts=[TextPart(text)]))
    assert dump_response(load_response(payload)) == dump_response(loaded)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.builds(
            ToolCallPart,
            st.text(max_size=80),
            any_text,
            st.sampled_from(["", "c", "call_1", "abcdefghi", "\ud800"]),
        ),
        max_size=6,
    ),
    any_text,
)
def test_whatever_a_model_calls_can_be_stored_and_sent_back(calls: list[ToolCallPart], text: str) -> None:
    ready = sendable(ModelResponse(parts=[TextPart(text), *calls], provider_details={"note": text}))
    made = tool_calls(ready)
    assert len({call.call_id for call in made}) == len(made) == len(calls)
    assert all(call.call_id and is_legal_tool_name(call.name) for call in made)
    stored = dump_response(ready)
    stored.encode()
    assert load_response(stored) == ready
    assert sendable(ready) == ready


def test_a_repeated_call_id_keeps_its_length_and_letters() -> None:
    twice = ModelResponse(parts=[ToolCallPart("t", "{}", "b9mgIC84m"), ToolCallPart("t", "{}", "b9mgIC84m")])
    first, second = tool_calls(sendable(twice))
    assert first.call_id == "b9mgIC84m"
    assert second.call_id == "b9mgIC842"


def test_a_name_with_stray_tokens_becomes_one_that_no_tool_has() -> None:
    (call,) = tool_calls(sendable(ModelResponse(parts=[ToolCallPart("memory<|channel|>json", "{}", "c")])))
    assert call.name == "memory__channel__json"


def test_building_an_input_keeps_each_text_as_a_message_of_its_own() -> None:
    request = user_request("one", "two")
    assert isinstance(request, ModelRequest)
    assert [part.content for part in request.parts if isinstance(part, UserPromptPart)] == ["one", "two"]
