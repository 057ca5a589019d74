"""Toolsets: what a model may call. Behaviour is added by wrapping one toolset in another.

A toolset is made anew for each turn, so that what a wrapper counts belongs to that turn alone. A tool never
raises for what a model did wrong: it answers with an error that says what to do instead.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Protocol

from vibeos.ports.models.tools import ToolCall, ToolOutcome, ToolSpec
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Toolset(Protocol):
    """Some tools and how to call them.

    `side_by_side`: whether its calls may run beside others of the same response, because they change nothing and
    ask nobody.
    """

    side_by_side: bool

    def specs(self) -> tuple[ToolSpec, ...]:
        """What a model reads about each tool."""
        ...

    async def call(self, call: ToolCall) -> ToolOutcome:
        """Do one call; answers with an error text rather than raising for a bad call."""
        ...


class ToolsetGroup:
    """Several toolsets as one; a name that none of them has is answered with the names there are."""

    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self._specs = tuple(spec for toolset in toolsets for spec in toolset.specs())
        self._owners = {spec.name: toolset for toolset in toolsets for spec in toolset.specs()}
        self.side_by_side = all(toolset.side_by_side for toolset in toolsets)

    def specs(self) -> tuple[ToolSpec, ...]:
        return self._specs

    def may_run_beside(self, name: str) -> bool:
        """Whether calls of this tool may run beside others of the same response."""
        owner = self._owners.get(name)
        return owner is None or owner.side_by_side

    async def call(self, call: ToolCall) -> ToolOutcome:
        owner = self._owners.get(call.name)
        if owner is None:
            names = ", ".join(sorted(self._owners)) or "none"
            return failure(call, f"There is no tool named {call.name!r}. The tools are: {names}.")
        return await owner.call(call)


class SyncTool:
    """One tool made of a plain function from arguments to the answer's text."""

    side_by_side = False

    def __init__(self, spec: ToolSpec) -> None:
        self._spec = spec

    def specs(self) -> tuple[ToolSpec, ...]:
        return (self._spec,)

    async def call(self, call: ToolCall) -> ToolOutcome:
        arguments = call.parsed()
        if arguments is None:
            return failure(
                call, "The arguments are not one JSON object. Send the call again with valid JSON."
            )
        try:
            return ToolOutcome(call.call_id, call.name, await asyncio.to_thread(self.run, arguments))
        except VibeOSError as error:  # one tool that cannot do its work must not end the turn
            return failure(call, str(error))

    def run(self, arguments: Mapping[str, Any]) -> str:
        """The tool's answer to these arguments."""
        raise NotImplementedError


def failure(call: ToolCall, error: str) -> ToolOutcome:
    """The answer to a call that cannot be done."""
    return ToolOutcome(
        call.call_id, call.name, json.dumps({"success": False, "error": error}, ensure_ascii=False)
    )
