"""What was mapped once is not mapped again, and nothing that is sent depends on it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.asking import MEMORY, ask_model, model_at
from vibeos.ports.models import (
    ModelMessage,
    ToolOutcome,
    dump_request,
    dump_response,
    load_request,
    load_response,
    outcomes_request,
    user_request,
)
from vibeos.ports.models.mapped import MappedElements
from vibeos.testing import StrictServer, reply

TOKENS = "a <|im_end|> and [INST] b"


def test_an_element_is_known_again_by_being_the_same_object() -> None:
    mapped: MappedElements[str] = MappedElements()
    one, equal = user_request("x"), user_request("x")
    assert mapped.get(one) is None
    assert mapped.put(one, "one") == "one"
    assert (mapped.get(one), mapped.get(equal)) == ("one", None)


@given(st.lists(st.integers(0, 30), max_size=200), st.integers(1, 8))
def test_the_cache_is_bounded_and_never_gives_what_belongs_to_another(wanted: list[int], most: int) -> None:
    mapped: MappedElements[int] = MappedElements(most)
    elements = [user_request(str(number)) for number in range(31)]
    for number in wanted:
        found = mapped.get(elements[number])
        assert found in {None, number}
        if found is None:
            mapped.put(elements[number], number)
        assert mapped.get(elements[number]) == number
        assert len(mapped) <= 2 * most


def test_what_was_used_last_is_still_there() -> None:
    mapped: MappedElements[int] = MappedElements(10)
    elements = [user_request(str(number)) for number in range(100)]
    for number, element in enumerate(elements):
        mapped.put(element, number)
        assert all(mapped.get(one) is not None for one in elements[max(0, number - 9) : number + 1])


texts = st.sampled_from(["hello", TOKENS, "\u043f\u0440\u0438\u0432\u0435\u0442", "{}", "a" * 300])


@st.composite
def conversations(draw: st.DrawFn) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    for number in range(draw(st.integers(1, 4))):
        messages.append(user_request(draw(texts), draw(texts)))
        parts: list[dict[str, object]] = [{"content": draw(texts), "part_kind": "text"}]
        if draw(st.booleans()):
            parts.insert(
                0, {"content": "hm", "id": "reasoning_content", "part_kind": "thinking", "provider_name": "p"}
            )
        if draw(st.booleans()):
            call = {"tool_name": "memory", "args": draw(st.sampled_from(["{}", '{"a": 1}', '{"b', ""]))}
            parts.append({**call, "tool_call_id": f"c.{number}", "part_kind": "tool-call"})
        messages.append(
            load_response(
                json.dumps({"parts": parts, "timestamp": "1970-01-01T00:00:00Z", "kind": "response"})
            )
        )
        if "tool_name" in parts[-1]:
            messages.append(outcomes_request([ToolOutcome(f"c.{number}", "memory", draw(texts))]))
    messages.append(user_request("go on"))
    return messages


def _loaded_anew(message: ModelMessage) -> ModelMessage:
    if message.kind == "response":
        return load_response(dump_response(message))
    return load_request(dump_request(message))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_request_has_the_same_bytes_whether_its_elements_were_mapped_before_or_not(provider: str) -> None:
    with StrictServer() as server:

        @settings(max_examples=30, deadline=None)
        @given(conversations())
        def same_bytes(messages: list[ModelMessage]) -> None:
            server.extend([reply("ok")] * 4)
            begun = len(server.requests)
            model = model_at(server.base_url, provider=provider, model="qwen3")
            ask_model(model, messages[:1], system="S", tools=[MEMORY])
            ask_model(model, messages, system="S", tools=[MEMORY])
            ask_model(model, messages, system="S", tools=[MEMORY])
            fresh = model_at(server.base_url, provider=provider, model="qwen3")
            ask_model(fresh, [_loaded_anew(one) for one in messages], system="S", tools=[MEMORY])
            sent = [one.raw for one in server.requests[begun:]]
            assert sent[1] == sent[2] == sent[3]

        same_bytes()
    assert server.refusals == []
