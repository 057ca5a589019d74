"""What every wire format has in common: a request as it came, a response as it goes, a refusal as a value.

A `WireFormat` judges requests and writes answers; the server and the script know none of its field names.
`openai_wire` and `anthropic_wire` are the two that there are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vibeos.testing.steps import Answer, Fault


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
        """The system prompt: a field of its own, or the first message."""
        own = self.body.get("system") if isinstance(self.body, dict) else None
        if own is not None:
            return text_of({"content": own})
        first = self.messages[0] if self.messages else {}
        return text_of(first) if first.get("role") in {"system", "developer"} else ""

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that the model was offered."""
        tools = self.body.get("tools") if isinstance(self.body, dict) else None
        return [tool["name"] if "name" in tool else tool["function"]["name"] for tool in tools or []]

    @property
    def streams(self) -> bool:
        """Whether the answer is wanted in pieces."""
        return isinstance(self.body, dict) and bool(self.body.get("stream"))


@dataclass(frozen=True, slots=True)
class WireResponse:
    """What goes back. A `body` that is shorter than `promised` breaks off in the middle."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None


@dataclass(frozen=True, slots=True)
class WireStream:
    """An answer that goes out in events, one chunk each, with `pause` seconds between them.

    With `breaks_off` the connection closes behind the last one, without the mark that ends a chunked body.
    """

    events: Sequence[bytes]
    pause: float = 0
    breaks_off: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request was not taken, in the words of the real endpoint."""

    message: str
    status: int = 400
    param: str | None = None
    code: str | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the endpoint takes. None: any key, any model, any length (in tokens)."""

    api_key: str | None = None
    models: Sequence[str] | None = None
    context_window: int | None = None


class WireFormat(Protocol):
    """One format, and what it remembers from request to request to count what a cache would have saved."""

    def refusal(self, request: KeptRequest, limits: Limits) -> Refusal | None:
        """Why the real endpoint would not take this request; None when it would."""
        ...

    def render(self, answer: Answer, request: KeptRequest) -> WireResponse:
        """The answer as one response."""
        ...

    def events(self, answer: Answer, request: KeptRequest, *, ending: bool = True) -> list[bytes]:
        """The answer as server-sent events. Without its `ending` no reason to finish is given, and nothing after it."""
        ...

    def render_models(self, models: Sequence[str]) -> WireResponse:
        """The list of models."""
        ...

    def render_refusal(self, refused: Refusal, number: int) -> WireResponse:
        """A refusal of the request with this number, in the shape of the real endpoint's errors."""
        ...

    def render_fault(self, fault: Fault, number: int) -> WireResponse:
        """A fault of the script: its own bytes, or an error of the usual shape."""
        ...

    def error_event(self, fault: Fault, number: int) -> bytes:
        """A fault in the middle of a stream, which has begun with 200."""
        ...


def text_of(message: Mapping[str, Any]) -> str:
    """The text of one message, its parts joined; the text of tool results is part of it."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(_part_text(part) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _part_text(part: Mapping[str, Any]) -> str:
    text = part.get("text") if part.get("type") != "tool_result" else text_of(part)
    return text if isinstance(text, str) else ""


def to_json(value: object) -> bytes:
    """Compact JSON in UTF-8; what UTF-8 cannot hold is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def pieces(text: str) -> list[str]:
    """The text in two to forty pieces, as a model streams it; the same text always in the same ones."""
    size = max(1, min(8, len(text) // 2), -(-len(text) // 40))
    return [text[begin : begin + size] for begin in range(0, len(text), size)]
