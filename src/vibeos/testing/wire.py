"""What every wire format has in common: a request as it came, a response as it goes, a refusal as a value.

A wire format is a module with `refusal(body, …)`, which judges a request, and `render(…)`, which writes an
answer; the server and the script know none of its field names. `openai_wire` is the first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request that the server got. Header names are in small letters; `status` is what it was answered with.

    A status of 0 says that the connection was dropped, or that the answer has not been written yet.
    """

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: Any = None
    status: int = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the request; empty when it has none."""
        found = self.body.get("messages") if isinstance(self.body, dict) else None
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    @property
    def last_text(self) -> str:
        """The text of the last message."""
        return text_of(self.messages[-1]) if self.messages else ""

    @property
    def system(self) -> str:
        """The text of the first message, when it is the system prompt."""
        first = self.messages[0] if self.messages else {}
        return text_of(first) if first.get("role") in {"system", "developer"} else ""

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that the model was offered."""
        tools = self.body.get("tools") if isinstance(self.body, dict) else None
        return [tool["function"]["name"] for tool in tools or []]


@dataclass(frozen=True, slots=True)
class WireResponse:
    """What goes back. A `body` that is shorter than `promised` breaks off in the middle."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request was not taken, in the words of the real endpoint."""

    message: str
    status: int = 400
    param: str | None = None
    code: str | None = None
    kind: str = "invalid_request_error"


def text_of(message: Mapping[str, Any]) -> str:
    """The text of one message, its parts joined."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def to_json(value: object) -> bytes:
    """Compact JSON in UTF-8; what UTF-8 cannot hold is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
