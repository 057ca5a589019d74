"""The `memory` tool for one turn: a thin edge over the curated memory's choke point.

A call that keeps failing in one turn becomes final: the model is told to stop, and nothing more is tried.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vibeos.agent.toolsets import SyncTool
from vibeos.memory.curated.tool import TOOL_NAME, answer_call, description, parameters
from vibeos.ports.guard.approval import Origin
from vibeos.ports.models.tools import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.memory.curated.service import CuratedMemory
    from vibeos.values.catalogue import Catalogue

FAILURES_BEFORE_FINAL = 3


class MemoryTool(SyncTool):
    """Writes Core and User memory for the agent."""

    def __init__(self, memory: CuratedMemory, catalogue: Catalogue) -> None:
        targets = memory.settings.targets
        super().__init__(ToolSpec(TOOL_NAME, description(targets), parameters(targets)))
        self._memory = memory
        self._catalogue = catalogue
        self._failures = 0

    def run(self, arguments: Mapping[str, Any]) -> str:
        if self._failures >= FAILURES_BEFORE_FINAL:
            return self._answer({"success": False, "error": self._stop()})
        answer = self._apply(arguments)
        if not answer["success"]:
            self._failures += 1
            if self._failures >= FAILURES_BEFORE_FINAL:
                answer["error"] = f"{answer['error']} {self._stop()}"
        return self._answer(answer)

    def _apply(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer = answer_call(self._memory, arguments, Origin.AGENT, self._catalogue)
        if answer["success"]:
            self._failures = 0
        return answer

    def _answer(self, answer: dict[str, Any]) -> str:
        if self._failures >= FAILURES_BEFORE_FINAL:
            answer["final"] = True
        return json.dumps(answer, ensure_ascii=False)

    def _stop(self) -> str:
        return self._catalogue.text("memory.final", count=self._failures)
