"""A request is judged before it is sent; the strict server, on the wire, comes to the same judgement."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from vibeos.ports.models import (
    FaultKind,
    NetworkModel,
    Patience,
    Request,
    ToolOutcome,
    ToolSpec,
    check_request,
    find_fault,
    outcomes_request,
    parse_route,
    user_request,
)
from vibeos.ports.models.exchange import exchange
from vibeos.ports.models.kept import Kept
from vibeos.ports.models.openai_chat import OpenAIChat
from vibeos.testing import StrictServer, reply
from vibeos.values.errors import InvalidRequestError, ModelRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What only other providers refuse, or only we: the OpenAI endpoint would take it.
STRICTER_THAN_OPENAI = {FaultKind.FIRST, FaultKind.LAST, FaultKind.NAME, FaultKind.EMPTY, FaultKind.FOREIGN}


def says(text: str = "ok") -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])


def calls(*ids: str, name: str = "memory") -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(name, "{}", one) for one in ids])


def results(*ids: str, name: str = "memory") -> ModelRequest:
    return outcomes_request([ToolOutcome(one, name, "done") for one in ids])


VALID: list[tuple[str, list[ModelMessage]]] = [
    ("one input", [user_request("a")]),
    ("two inputs in one", [user_request("a", "b")]),
    ("two inputs", [user_request("a"), user_request("b")]),
    ("a conversation", [user_request("a"), says(), user_request("b")]),
    ("two responses", [user_request("a"), says(), says(), user_request("b")]),
    ("an empty response", [user_request("a"), ModelResponse(parts=[]), user_request("b")]),
    ("a call", [user_request("a"), calls("1"), results("1")]),
    ("calls, results in another order", [user_request("a"), calls("1", "2"), results("2", "1")]),
    ("results in two elements", [user_request("a"), calls("1", "2"), results("1"), results("2")]),
    ("an input behind results", [user_request("a"), calls("1"), results("1"), user_request("b")]),
    ("an id used again later", [user_request("a"), calls("1"), results("1"), calls("1"), results("1")]),
]

FAULTY: list[tuple[str, list[ModelMessage], FaultKind, int | None]] = [
    ("nothing", [], FaultKind.EMPTY, None),
    ("an input without parts", [ModelRequest(parts=[])], FaultKind.EMPTY, 0),
    ("an input without text", [user_request("a"), user_request("")], FaultKind.EMPTY, 1),
    ("begins with a response", [says(), user_request("a")], FaultKind.FIRST, 0),
    ("begins with a result", [results("1"), user_request("a")], FaultKind.FIRST, 0),
    ("ends with a response", [user_request("a"), says()], FaultKind.LAST, 1),
    ("ends with a call", [user_request("a"), calls("1")], FaultKind.UNANSWERED, 1),
    (
        "an input before the result",
        [user_request("a"), calls("1"), user_request("b")],
        FaultKind.UNANSWERED,
        2,
    ),
    ("half of the results", [user_request("a"), calls("1", "2"), results("1")], FaultKind.UNANSWERED, 2),
    ("a response before the result", [user_request("a"), calls("1"), says()], FaultKind.UNANSWERED, 2),
    ("a result without a call", [user_request("a"), results("1")], FaultKind.ORPHAN, 1),
    ("a result of another call", [user_request("a"), calls("1"), results("2")], FaultKind.ORPHAN, 2),
    (
        "a result too late",
        [user_request("a"), calls("1"), results("1"), says(), results("1")],
        FaultKind.ORPHAN,
        4,
    ),
    ("a second result", [user_request("a"), calls("1"), results("1", "1")], FaultKind.TWICE, 2),
    ("one id for two calls", [user_request("a"), calls("1", "1"), results("1")], FaultKind.TWICE, 1),
    ("a call without an id", [user_request("a"), calls(""), results("")], FaultKind.TWICE, 1),
    (
        "a result under another name",
        [user_request("a"), calls("1"), results("1", name="x")],
        FaultKind.NAME,
        2,
    ),
    (
        "a call with an odd name",
        [user_request("a"), calls("1", name="a b"), results("1", name="a b")],
        FaultKind.NAME,
        1,
    ),
    ("a second system prompt", [ModelRequest(parts=[SystemPromptPart("x")])], FaultKind.FOREIGN, 0),
]


@pytest.mark.parametrize("messages", [messages for _, messages in VALID], ids=[name for name, _ in VALID])
def test_a_valid_request_passes(messages: list[ModelMessage]) -> None:
    assert find_fault(messages) is None


@pytest.mark.parametrize(
    ("messages", "kind", "position"), [case[1:] for case in FAULTY], ids=[case[0] for case in FAULTY]
)
def test_a_fault_is_found_and_named_with_its_place(
    messages: list[ModelMessage], kind: FaultKind, position: int | None
) -> None:
    fault = find_fault(messages)
    assert fault is not None
    assert (fault.kind, fault.position) == (kind, position)
    with pytest.raises(InvalidRequestError) as caught:
        check_request(messages)
    assert fault.text in caught.value.message
    if position is not None:
        assert f"element {position + 1} of {len(messages)}" in caught.value.message
    assert "Nothing was sent" in caught.value.remedy


@pytest.mark.parametrize(
    ("tools", "fault"),
    [
        ([ToolSpec("a b", "", {"type": "object"})], "'a b' cannot be the name of a tool"),
        ([ToolSpec("", "", {"type": "object"})], "cannot be the name of a tool"),
        ([ToolSpec("x" * 65, "", {"type": "object"})], "cannot be the name of a tool"),
        ([ToolSpec("a", "", {"type": "object"})] * 2, "two tools are called 'a'"),
        ([ToolSpec("a", "", {"type": "string"})], "not that of an object"),
        ([ToolSpec("a", "", {})], "not that of an object"),
    ],
)
def test_tools_that_no_provider_takes_are_found(tools: list[ToolSpec], fault: str) -> None:
    with pytest.raises(InvalidRequestError, match="The request is not valid") as caught:
        check_request([user_request("a")], tools)
    assert fault in caught.value.message


def test_an_invalid_request_is_never_sent() -> None:
    with StrictServer() as server:
        route = parse_route("openai:strict-model", base_url=server.base_url)
        with pytest.raises(InvalidRequestError):
            asyncio.run(NetworkModel(route, "").ask(Request("s", (), [user_request("a"), calls("1")])))
    assert server.requests == []


@st.composite
def histories(draw: st.DrawFn) -> list[ModelMessage]:
    """A valid conversation, in which nothing is wrong yet."""
    messages: list[ModelMessage] = []
    for turn in range(draw(st.integers(1, 3))):
        messages.append(user_request(f"input {turn}"))
        for round_ in range(draw(st.integers(0, 2))):
            ids = [f"c{turn}{round_}{n}" for n in range(draw(st.integers(1, 3)))]
            messages += [calls(*ids), results(*draw(st.permutations(ids)))]
        messages.append(says(f"answer {turn}"))
    return [*messages, user_request("last")]


def _atoms(messages: Sequence[ModelMessage]) -> Iterator[ModelMessage]:
    """The conversation with each result and each input as an element of its own."""
    for message in messages:
        if isinstance(message, ModelRequest):
            yield from (ModelRequest(parts=[part]) for part in message.parts)
        else:
            yield message


@st.composite
def cut_histories(draw: st.DrawFn) -> list[ModelMessage]:
    """A conversation out of which pieces were cut, and into which one was perhaps put twice."""
    atoms = list(_atoms(draw(histories())))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(atoms)))
        del atoms[start : start + draw(st.integers(1, 4))]
    doubled = draw(st.sampled_from([True, False]))
    if atoms and doubled:
        atoms.insert(draw(st.integers(0, len(atoms))), draw(st.sampled_from(atoms)))
    return atoms


@settings(max_examples=200, deadline=None)
@given(histories())
def test_every_whole_conversation_is_valid_at_each_place_where_a_model_is_asked(
    messages: list[ModelMessage],
) -> None:
    for end, message in enumerate(messages, 1):
        if isinstance(message, ModelRequest):
            assert find_fault(messages[:end]) is None


@settings(max_examples=300, deadline=None)
@given(cut_histories())
def test_a_conversation_cut_anywhere_is_valid_or_its_fault_is_named(messages: list[ModelMessage]) -> None:
    fault = find_fault(messages)
    assert (fault is None) == _obeys_the_rules(messages)
    if fault is not None:
        assert fault.text
        assert fault.position is None or 0 <= fault.position < len(messages)


def _obeys_the_rules(messages: Sequence[ModelMessage]) -> bool:
    """The rules once more, written the slow way: look at each call, look at each result."""
    flat = [part for message in messages for part in message.parts]
    if not flat or not isinstance(flat[0], UserPromptPart) or isinstance(messages[-1], ModelResponse):
        return False
    matched: set[int] = set()
    place = 0
    for message in messages:
        behind = place + len(message.parts)
        place = behind
        wanted = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
        following = flat[behind : behind + len(wanted)]
        got = [part.tool_call_id for part in following if isinstance(part, ToolReturnPart)]
        if sorted(got) != sorted(wanted):
            return False
        matched |= set(range(behind, behind + len(wanted)))
    return all(index in matched for index, part in enumerate(flat) if isinstance(part, ToolReturnPart))


def test_the_strict_server_judges_the_same_requests_the_same_way() -> None:
    with StrictServer([reply("ok")] * 2_000) as server:
        route = parse_route("openai:strict-model", base_url=server.base_url)

        @settings(max_examples=60, deadline=None)
        @given(cut_histories())
        def agree(messages: list[ModelMessage]) -> None:
            fault = find_fault(messages)
            refused = asyncio.run(_is_refused(messages))
            if fault is None or fault.kind in STRICTER_THAN_OPENAI:
                assert not refused or fault is not None
            else:
                assert refused, f"only we see a fault: {fault}"

        async def _is_refused(messages: list[ModelMessage]) -> bool:
            before = len(server.refusals)
            dialect = OpenAIChat(route, "", Patience(), Kept())
            try:
                async for _ in exchange(dialect, Request("", (), messages), route=route, key=""):
                    pass
            except ModelRequestError:
                assert len(server.refusals) == before + 1
                return True
            finally:
                await dialect.close()
            return False

        agree()
        assert server.refusals, "no example was refused, so nothing was compared"
        assert len(server.refusals) < len(server.requests), "every example was refused"
