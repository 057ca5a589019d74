"""The rehearsal's hands: calls that the offered tools take, and what their answers say.

A tool is used only when the request offers it and its schema has a field for everything that would be sent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vibeos.ports.models.rehearsal.words import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vibeos.ports.models.rehearsal.talk import Made
    from vibeos.ports.models.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call to make, for the message of this key. `arguments` is JSON text, always the same for the same arguments."""

    key: str
    tool: str
    arguments: str

    def was(self, made: Made) -> bool:
        """Whether that call is this one."""
        return (made.call.name, made.call.arguments) == (self.tool, self.arguments)


@dataclass(frozen=True, slots=True)
class Part:
    """What one message gets of the next answer: words, calls. Without calls it is the last word on that message."""

    text: str = ""
    calls: tuple[Wanted, ...] = field(default=())


def spec_of(tools: Sequence[ToolSpec], name: str) -> ToolSpec | None:
    """The offered tool of this name."""
    return next((tool for tool in tools if tool.name == name), None)


def wanted(tools: Sequence[ToolSpec], key: str, name: str, arguments: Mapping[str, Any]) -> Wanted | None:
    """The call, when the tool is offered and takes these arguments; else None."""
    tool = spec_of(tools, name)
    if tool is None or not _takes(tool, arguments):
        return None
    return Wanted(key, name, json.dumps(arguments, ensure_ascii=False))


def no_tool(name: str, language: str) -> Part:
    """The word that there is no such tool here."""
    return Part(say(language, "no_tool", tool=name))


def choices(tools: Sequence[ToolSpec], name: str, argument: str) -> list[Any]:
    """The values that a tool's schema allows for an argument; empty when it does not say."""
    tool = spec_of(tools, name)
    allowed: list[Any] = _properties(tool).get(argument, {}).get("enum", []) if tool else []
    return allowed


def json_of(made: Made) -> dict[str, Any]:
    """A tool's answer as the JSON object that it is; empty when it is plain text."""
    try:
        value = json.loads(made.outcome)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def problem_in(made: Made) -> str:
    """Why a call failed, in the tool's words; empty when it worked."""
    answer = json_of(made)
    if answer.get("success") is False:
        return str(answer.get("error") or answer.get("message") or made.outcome)
    return made.outcome if made.was_interrupted else ""


def _takes(tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
    properties = _properties(tool)
    required = tool.parameters_json_schema.get("required", [])
    return all(_fits(properties.get(name), value) for name, value in arguments.items()) and all(
        name in arguments for name in required
    )


def _fits(schema: Mapping[str, Any] | None, value: object) -> bool:
    return schema is not None and ("enum" not in schema or value in schema["enum"])


def _properties(tool: ToolSpec) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = tool.parameters_json_schema.get("properties", {})
    return properties
