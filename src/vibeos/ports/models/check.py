"""A composed request is judged before it is sent, because providers refuse what is wrong in it and say little.

The rules, over the elements of a conversation (the system prompt is none of them): it begins with an input and
ends with one or with tool results; each call of a response has exactly one result, and all of them stand at
once behind that response; no result stands anywhere else; no input is empty. Two inputs or two responses in a row
are legal. `find_fault` says what is wrong and
where, `check_request` raises it. An orphan is always our own mistake: a cut in the wrong place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelRequest, ToolCallPart, ToolReturnPart, UserPromptPart

from vibeos.ports.models.tools import is_legal_tool_name
from vibeos.values.errors import InvalidRequestError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse

    from vibeos.ports.models.tools import ToolSpec


class FaultKind(StrEnum):
    """What can be wrong with a request."""

    EMPTY = "empty"
    FIRST = "first"  # does not begin with an input
    LAST = "last"  # ends with a response, so there is nothing to answer
    FOREIGN = "foreign"  # a part that has no place here, such as a second system prompt
    UNANSWERED = "unanswered"  # a call without its result at once behind it
    ORPHAN = "orphan"  # a result without its call at once before it
    TWICE = "twice"  # a call id used twice, or answered twice
    NAME = "name"  # a tool's name that no provider takes, or another one in the result
    TOOLS = "tools"  # the tools themselves


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `position` counts the elements from 0; None is the request as a whole."""

    kind: FaultKind
    position: int | None
    text: str


class _Found(Exception):  # noqa: N818 - a way out of the walk, not an error
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


def check_request(messages: Sequence[ModelMessage], tools: Sequence[ToolSpec] = ()) -> None:
    """Raise InvalidRequestError, naming position and fault, unless the request is valid for every provider."""
    fault = find_fault(messages, tools)
    if fault is None:
        return
    where = "" if fault.position is None else f" at element {fault.position + 1} of {len(messages)}"
    raise InvalidRequestError(
        f"The request is not valid{where}: {fault.text}",
        remedy="Nothing was sent, and what was said is stored. This is a fault of VibeOS; please report it. "
        "A new session is not affected.",
    )


def find_fault(messages: Sequence[ModelMessage], tools: Sequence[ToolSpec] = ()) -> Fault | None:
    """The first fault of a request, or None."""
    try:
        _judge_tools(tools)
        _judge_messages(messages)
    except _Found as found:
        return found.fault
    return None


def _judge_tools(tools: Sequence[ToolSpec]) -> None:
    seen: set[str] = set()
    for tool in tools:
        if not is_legal_tool_name(tool.name):
            raise _found(FaultKind.TOOLS, None, f"{preview(tool.name)!r} cannot be the name of a tool")
        if tool.name in seen:
            raise _found(FaultKind.TOOLS, None, f"two tools are called {tool.name!r}")
        if tool.parameters_json_schema.get("type") != "object":
            raise _found(
                FaultKind.TOOLS, None, f"the schema of the tool {tool.name!r} is not that of an object"
            )
        seen.add(tool.name)


def _judge_messages(messages: Sequence[ModelMessage]) -> None:
    if not messages:
        raise _found(FaultKind.EMPTY, None, "it has no elements")
    calls = _OpenCalls()
    last = len(messages) - 1
    for position, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            _judge_request(message, position, calls)
        elif position == 0:
            raise _found(FaultKind.FIRST, 0, "it begins with a response, not with an input")
        else:
            calls.require_none(position)
            calls.open(message, position)
    calls.require_none(last)
    if not isinstance(messages[-1], ModelRequest):
        raise _found(FaultKind.LAST, last, "it ends with a response, so there is nothing to answer")


def _judge_request(request: ModelRequest, position: int, calls: _OpenCalls) -> None:
    if not request.parts:
        raise _found(FaultKind.EMPTY, position, "an input has no parts")
    for part in request.parts:
        if isinstance(part, ToolReturnPart):
            calls.answer(part, position)
        elif isinstance(part, UserPromptPart):
            calls.require_none(position)
            if not part.content:
                raise _found(FaultKind.EMPTY, position, "an input has no text")
        else:
            raise _found(
                FaultKind.FOREIGN, position, f"a part of the kind {_kind(part)!r} has no place in it"
            )


class _OpenCalls:
    """The calls of the last response that have no result yet, and those that have."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._answered: set[str] = set()

    def open(self, response: ModelResponse, position: int) -> None:
        """Take over the calls of a response."""
        self._answered.clear()
        for part in response.parts:
            if not isinstance(part, ToolCallPart):
                continue
            if not part.tool_call_id or part.tool_call_id in self._open:
                raise _found(FaultKind.TWICE, position, f"the call id {_id(part)} is empty or used twice")
            if not is_legal_tool_name(part.tool_name):
                raise _found(FaultKind.NAME, position, f"{preview(part.tool_name)!r} cannot be a tool's name")
            self._open[part.tool_call_id] = part.tool_name

    def answer(self, result: ToolReturnPart, position: int) -> None:
        """Match one result with its call."""
        call_id = result.tool_call_id
        if call_id in self._answered:
            raise _found(FaultKind.TWICE, position, f"the call {_id(result)} has a second result")
        if call_id not in self._open:
            if position == 0:
                raise _found(FaultKind.FIRST, 0, f"it begins with a tool result (of the call {_id(result)})")
            raise _found(
                FaultKind.ORPHAN, position, f"the result of {_id(result)} does not stand behind its call"
            )
        name = self._open.pop(call_id)
        self._answered.add(call_id)
        if result.tool_name != name:
            text = (
                f"the result of {_id(result)} is from {preview(result.tool_name)!r}, but {name!r} was called"
            )
            raise _found(FaultKind.NAME, position, text)

    def require_none(self, position: int) -> None:
        """Fail when calls are open where something else than a result stands, or nothing more."""
        if self._open:
            ids = ", ".join(repr(preview(call_id)) for call_id in self._open)
            raise _found(FaultKind.UNANSWERED, position, f"no result stands at once behind the calls {ids}")


def _found(kind: FaultKind, position: int | None, text: str) -> _Found:
    return _Found(Fault(kind, position, text))


def _id(part: ToolCallPart | ToolReturnPart) -> str:
    return repr(preview(part.tool_call_id))


def _kind(part: ModelRequestPart) -> str:
    return part.part_kind
