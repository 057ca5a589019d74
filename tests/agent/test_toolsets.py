"""Tools answer a model's mistakes; they never raise for them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from vibeos.agent.tools.memory import FAILURES_BEFORE_FINAL, MemoryTool
from vibeos.agent.tools.search import PAGE_CHARACTERS, SearchTool
from vibeos.agent.toolsets import ToolsetGroup
from vibeos.memory.curated.service import CuratedMemory
from vibeos.ports.models.tools import ToolCall
from vibeos.record import open_record
from vibeos.values.catalogue import catalogue
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.agent.toolsets import Toolset
    from vibeos.record import Record
    from vibeos.values.home import Scope


def ask(toolset: Toolset, name: str, arguments: str | dict[str, Any]) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    outcome = asyncio.run(toolset.call(ToolCall("c1", name, text)))
    assert (outcome.call_id, outcome.tool_name) == ("c1", name)
    answer: dict[str, Any] = json.loads(outcome.content)
    return answer


def memory_tool(scope: Scope) -> MemoryTool:
    return MemoryTool(CuratedMemory(scope), catalogue("en"))


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(tmp_path / "state.db") as opened:
        yield opened


def said(record: Record, *texts: str, project: str = "") -> str:
    session = record.sessions.start(source="test", project=project).id
    for text in texts:
        record.messages.record_input(session, Envelope.person("test", author_name="Sam"), text)
    return session


def test_an_unknown_tool_is_answered_with_the_tools_there_are(scope: Scope) -> None:
    answer = ask(ToolsetGroup([memory_tool(scope)]), "browse", {})
    assert answer["success"] is False
    assert "memory" in answer["error"]


@pytest.mark.parametrize(
    "arguments", ["{", "[]", "3", '"x"', "null", '{"action": "add"', "\x00", '{"a": NaN}']
)
def test_arguments_that_are_no_object_are_answered_with_an_error(scope: Scope, arguments: str) -> None:
    assert ask(memory_tool(scope), "memory", arguments)["success"] is False


def test_repeated_failures_of_one_turn_become_final_and_a_new_turn_begins_anew(scope: Scope) -> None:
    tool = memory_tool(scope)
    bad = {"action": "remove", "target": "memory", "old_text": "absent"}
    answers = [ask(tool, "memory", bad) for _ in range(FAILURES_BEFORE_FINAL + 1)]
    assert [answer.get("final", False) for answer in answers] == [False, False, True, True]
    good = {"action": "add", "target": "memory", "content": "a fact"}
    assert ask(tool, "memory", good)["success"] is False
    assert ask(memory_tool(scope), "memory", good)["success"] is True


def test_a_success_forgets_the_failures_before_it(scope: Scope) -> None:
    tool = memory_tool(scope)
    bad = {"action": "remove", "target": "memory", "old_text": "absent"}
    for number in range(4):
        assert "final" not in ask(tool, "memory", bad)
        assert ask(tool, "memory", {"action": "add", "target": "memory", "content": f"fact {number}"})[
            "success"
        ]


def test_search_answers_with_whole_messages_their_author_and_number(record: Record) -> None:
    session = said(record, "The zebra is striped", "Something else")
    present = record.sessions.get(said(record, "zebra here too"))
    answer = ask(SearchTool(record, present), "session_search", {"query": "zebras"})
    assert {r["session"] for r in answer["results"]} == {session}
    best = answer["results"][0]
    assert (best["number"], best["author"], best["text"]) == ("#1", "Sam", "The zebra is striped")


def test_search_stays_in_the_project_unless_told_otherwise(record: Record) -> None:
    said(record, "zebra elsewhere", project="/elsewhere")
    inside = said(record, "zebra inside", project="/here")
    tool = SearchTool(record, record.sessions.start(source="test", project="/here"))
    assert [r["session"] for r in ask(tool, "session_search", {"query": "zebra"})["results"]] == [inside]
    assert len(ask(tool, "session_search", {"query": "zebra", "scope": "all"})["results"]) == 2


def test_one_answer_never_floods_the_context(record: Record) -> None:
    for _ in range(4):
        said(record, "zebra " + "x" * 10_000)
    tool = SearchTool(record, record.sessions.start(source="test"))
    answer = ask(tool, "session_search", {"query": "zebra"})
    assert sum(len(r["text"]) for r in answer["results"]) <= PAGE_CHARACTERS
    assert "cut" in answer["results"][-1]
    assert "1 further" in answer["more"]


@pytest.mark.parametrize(
    "arguments", [{}, {"query": ""}, {"query": 3}, {"query": "x", "limit": 0}, {"query": "x", "limit": "9"}]
)
def test_a_search_that_makes_no_sense_is_told_what_is_wrong(
    record: Record, arguments: dict[str, Any]
) -> None:
    tool = SearchTool(record, record.sessions.start(source="test"))
    assert ask(tool, "session_search", arguments)["success"] is False


def test_a_message_of_another_route_is_shown_with_its_marker(record: Record) -> None:
    session = record.sessions.start(source="watch").id
    from vibeos.values.envelopes import InputRoute

    watch = Envelope(InputRoute.WATCH, "watch", origin_id="w1", origin_name="disk")
    record.messages.record_input(session, watch, "the user approves the zebra")
    tool = SearchTool(record, record.sessions.start(source="test"))
    result = ask(tool, "session_search", {"query": "zebra"})["results"][0]
    assert result["from"] == "harness"
    assert result["text"].startswith('[Harness: Watch w1 "disk"]\n')
