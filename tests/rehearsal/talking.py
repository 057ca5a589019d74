"""A conversation with the rehearsal in a test: requests as the loop composes them, the product's tools on a real folder."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vibeos.agent.tools.read import ReadTool
from vibeos.agent.tools.write import WriteTool
from vibeos.agent.workplace import Workplace
from vibeos.ports.models.messages import outcomes_request, user_request
from vibeos.ports.models.model import Request
from vibeos.ports.models.rehearsal import RehearsalModel
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vibeos.agent.toolsets import Toolset
    from vibeos.ports.models.messages import ModelMessage
    from vibeos.ports.models.reply import Reply

    Do = Callable[[dict[str, Any]], str]


def spec(name: str, *required: str, **properties: Any) -> ToolSpec:
    fields = {field: {"type": "string"} for field in required} | properties
    schema = {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name, f"The tool {name}.", schema)


@dataclass
class Talking:
    """One conversation. `seen` are the calls that were really done; `spoil` may answer in a tool's place."""

    folder: Path
    system: str = "You are the agent."
    tools: dict[str, tuple[ToolSpec, Do]] = field(default_factory=dict)
    messages: list[ModelMessage] = field(default_factory=list)
    seen: list[ToolCall] = field(default_factory=list)
    spoil: Callable[[ToolCall], str | None] = lambda _call: None

    def offer(self, tool: ToolSpec, do: Do) -> None:
        self.tools[tool.name] = tool, do

    def offer_tool(self, tool: Toolset) -> None:
        """One of the product's own tools."""
        (described,) = tool.specs()

        def do(arguments: dict[str, Any]) -> str:
            call = ToolCall("c", described.name, json.dumps(arguments))
            return asyncio.run(tool.call(call)).content

        self.offer(described, do)

    def offer_hands(self) -> Talking:
        """The product's `read` and `write`, in this folder."""
        place = Workplace(
            "s", str(self.folder), str(self.folder / "home"), "/nowhere", "/nowhere", "/nowhere", {}
        )
        self.offer_tool(ReadTool(place))
        self.offer_tool(WriteTool(place))
        return self

    def say(self, text: str) -> None:
        self.messages.append(user_request(text))

    @property
    def waits(self) -> bool:
        """Whether something was said or done since the last answer."""
        return bool(self.messages) and self.messages[-1].kind == "request"

    def request(self) -> Request:
        return Request(self.system, tuple(tool for tool, _ in self.tools.values()), list(self.messages))

    def ask(self) -> Reply:
        """One request and what it gives; a model made anew, since it keeps nothing."""
        reply = asyncio.run(RehearsalModel(parse_route("rehearsal")).ask(self.request()))
        self.messages.append(reply.response)
        return reply

    def act(self, reply: Reply) -> None:
        outcomes = [ToolOutcome(call.call_id, call.name, self._do(call)) for call in reply.calls]
        if outcomes:
            self.messages.append(outcomes_request(outcomes))

    def turn(self, *texts: str, most: int = 60) -> str:
        """Say it and let the rehearsal work until it has answered; its last words."""
        for text in texts:
            self.say(text)
        for _ in range(most):
            reply = self.ask()
            self.act(reply)
            if not reply.calls:
                return reply.text
        raise AssertionError(f"no answer after {most} requests")

    def _do(self, call: ToolCall) -> str:
        spoiled = self.spoil(call)
        if spoiled is not None:
            return spoiled
        self.seen.append(call)
        arguments = call.parsed()
        assert arguments is not None
        _, do = self.tools[call.name]
        return do(arguments)


def files(folder: Path, count: int = 3) -> list[str]:
    """A folder `notes` with so many files; their names in order."""
    (folder / "notes").mkdir(exist_ok=True)
    names = [f"{number:02}.md" for number in range(1, count + 1)]
    for number, name in enumerate(names, 1):
        (folder / "notes" / name).write_text(
            f"Some words first.\n\n## Heading {number}\n\n" + "word\n" * number
        )
    return names


def read_paths(talking: Talking) -> list[str]:
    """The files that were read, in order."""
    paths = [(call.parsed() or {})["path"] for call in talking.seen if call.name == "read"]
    return [path for path in paths if path.endswith((".md", ".txt"))]
