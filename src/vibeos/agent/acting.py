"""The calls of one response and what became of them: every call has an outcome, whatever happens.

Calls that may run side by side do, the others wait for those before them; outcomes stand in the order of the calls.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from vibeos.agent.toolsets import failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.agent.progress import Progress
    from vibeos.agent.toolsets import ToolsetGroup
    from vibeos.ports.models.tools import ToolCall, ToolOutcome

STOPPED = "The person interrupted this call. It may or may not have taken effect: check before you repeat it."
NOT_BEGUN = "The person interrupted the turn before this call began. Nothing of it was done."
CUT = (
    "Your answer was cut at the output limit, and the arguments of this call with it. Nothing was done. Make the call "
    "again with shorter arguments, in several calls if need be."
)


class Acting:
    """One response's calls while they run."""

    def __init__(
        self, toolset: ToolsetGroup, calls: Sequence[ToolCall], progress: Progress, *, is_cut: bool
    ) -> None:
        self._toolset = toolset
        self._calls = calls
        self._progress = progress
        self._is_cut = is_cut
        self._begun: set[int] = set()
        self._outcomes: dict[int, ToolOutcome] = {}

    async def run(self) -> None:
        """Do all of them. Cancelling it stops those that run."""
        for batch in _batches(self._toolset, self._calls):
            await asyncio.gather(*(self._one(place) for place in batch))

    def outcomes(self) -> list[ToolOutcome]:
        """What is known of each call now, in the order of the calls."""
        return [self._outcomes.get(place) or self._missing(place) for place in range(len(self._calls))]

    async def _one(self, place: int) -> None:
        call = self._calls[place]
        self._begun.add(place)
        self._progress.calls(call)
        outcome = self._outcomes[place] = await self._outcome(call)
        self._progress.called(call, outcome)

    async def _outcome(self, call: ToolCall) -> ToolOutcome:
        """The call's outcome; a tool's own fault is one too, so that its neighbours' results are not lost with it."""
        if self._is_cut and call.parsed() is None:
            return failure(call, CUT)
        try:
            return await self._toolset.call(call)
        except Exception as error:  # noqa: BLE001 - a toolset may be anybody's; the model is told, and goes on
            return failure(call, f"The tool failed: {type(error).__name__}: {error}")

    def _missing(self, place: int) -> ToolOutcome:
        call = self._calls[place]
        return failure(call, STOPPED if place in self._begun else NOT_BEGUN)


def _batches(toolset: ToolsetGroup, calls: Sequence[ToolCall]) -> list[list[int]]:
    """The places of the calls, in their order: neighbours that may run side by side together, others alone."""
    batches: list[list[int]] = []
    last_may = False
    for place, call in enumerate(calls):
        may = toolset.may_run_beside(call.name)
        if may and last_may:
            batches[-1].append(place)
        else:
            batches.append([place])
        last_may = may
    return batches
