"""What passes between a model and our tools, as small values: a tool's description, a call, its outcome.

Outcomes are stored as JSON text; dumping what was loaded gives the same bytes, whatever a tool printed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vibeos.values.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_FIELDS = frozenset({"call_id", "tool_name", "content"})


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it. The schema goes on the wire as it is, keys in its order."""

    name: str
    description: str
    parameters_json_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model made. `arguments` is JSON text as the model wrote it, and may be broken."""

    call_id: str
    name: str
    arguments: str

    def parsed(self) -> dict[str, Any] | None:
        """The arguments; None when they are no JSON object, which is for the model to be told."""
        if not self.arguments.strip():
            return {}
        try:
            value = json.loads(self.arguments, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool answered to one call, as the model reads it."""

    call_id: str
    tool_name: str
    content: str


def is_legal_tool_name(name: str) -> bool:
    """Whether every provider takes the name: letters, digits, `-` and `_`, at most 64."""
    return _NAME.fullmatch(name) is not None


def legal_tool_name(name: str) -> str:
    """The name itself when it is legal, else the nearest that is."""
    return _NOT_IN_A_NAME.sub("_", name)[:64] or "unnamed"


def dump_outcomes(outcomes: Iterable[ToolOutcome]) -> str:
    """The outcomes as JSON text, in their order."""
    rows = [{"call_id": one.call_id, "tool_name": one.tool_name, "content": one.content} for one in outcomes]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    # A database takes no lone surrogate as a character, but JSON has a spelling for it.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def load_outcomes(text: str) -> list[ToolOutcome]:
    """The outcomes that `dump_outcomes` wrote; raises InvalidRequestError when the text is not of that form."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable() from error
    if not isinstance(rows, list):
        raise _unreadable()
    return [_outcome(row) for row in rows]


def _outcome(row: object) -> ToolOutcome:
    if (
        not isinstance(row, dict)
        or row.keys() != _FIELDS
        or not all(isinstance(v, str) for v in row.values())
    ):
        raise _unreadable()
    return ToolOutcome(**row)


def _unreadable() -> InvalidRequestError:
    return InvalidRequestError(
        "Stored tool results cannot be read: they are not of the form that VibeOS writes",
        remedy="Nothing was sent. Begin a new session; `vibeos doctor` checks the database.",
    )


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
