"""The calls of a response: who runs beside whom, and that each has an outcome, whatever happens."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from vibeos.agent.acting import Acting
from vibeos.agent.progress import Unwatched
from vibeos.agent.toolsets import ToolsetGroup
from vibeos.ports.models.tools import ToolCall, ToolOutcome, ToolSpec


class Slow:
    """A tool that notes when its calls begin and end, and waits for a moment in between."""

    def __init__(self, name: str, notes: list[str], *, side_by_side: bool, wait: float = 0.0) -> None:
        self.side_by_side = side_by_side
        self.begun = asyncio.Event()
        self._name, self._notes, self._wait = name, notes, wait

    def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec(self._name, "", {"type": "object"}),)

    async def call(self, call: ToolCall) -> ToolOutcome:
        self._notes.append(f"{call.call_id} begins")
        self.begun.set()
        await asyncio.sleep(self._wait)
        self._notes.append(f"{call.call_id} ends")
        return ToolOutcome(call.call_id, call.name, "{}")


def acting(
    notes: list[str],
    *names: str,
    is_cut: bool = False,
    args: str = "{}",
    change: Slow | None = None,
) -> Acting:
    change = change or Slow("change", notes, side_by_side=False)
    group = ToolsetGroup([Slow("look", notes, side_by_side=True), change])
    calls = [ToolCall(f"{name}{place}", name, args) for place, name in enumerate(names)]
    return Acting(group, calls, Unwatched(), is_cut=is_cut)


def errors(outcomes: list[ToolOutcome]) -> list[Any]:
    return [json.loads(outcome.content).get("error", "") for outcome in outcomes]


def test_what_only_looks_runs_side_by_side_and_what_changes_waits_for_what_came_before() -> None:
    notes: list[str] = []
    work = acting(notes, "look", "look", "change", "change", "look")
    asyncio.run(work.run())
    assert notes == [
        "look0 begins", "look1 begins", "look0 ends", "look1 ends", "change2 begins", "change2 ends",
        "change3 begins", "change3 ends", "look4 begins", "look4 ends",
    ]  # fmt: skip
    assert [outcome.call_id for outcome in work.outcomes()] == [
        "look0",
        "look1",
        "change2",
        "change3",
        "look4",
    ]


def test_an_interrupt_leaves_each_call_an_outcome_that_says_how_far_it_came() -> None:
    notes: list[str] = []
    change = Slow("change", notes, side_by_side=False, wait=60)
    work = acting(notes, "look", "change", "change", change=change)

    async def interrupt_the_second() -> None:
        task = asyncio.create_task(work.run())
        await change.begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt_the_second())
    first, second, third = errors(work.outcomes())
    assert first == ""
    assert "may or may not have taken effect" in second
    assert "before this call began" in third


def test_arguments_that_the_output_limit_cut_are_explained_and_not_run() -> None:
    notes: list[str] = []
    work = acting(notes, "change", is_cut=True, args='{"text": "half of')
    asyncio.run(work.run())
    assert "cut at the output limit" in errors(work.outcomes())[0]
    assert notes == []


def test_a_call_of_an_unknown_tool_is_answered_with_the_tools_there_are() -> None:
    work = acting([], "jump")
    asyncio.run(work.run())
    assert "The tools are: change, look" in errors(work.outcomes())[0]
