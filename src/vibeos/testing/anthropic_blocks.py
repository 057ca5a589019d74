"""What the Anthropic messages endpoint refuses inside one block of content."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from vibeos.testing.wire import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_FIELDS = {
    "text": {"text", "citations"},
    "image": {"source"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "tool_use": {"id", "name", "input", "caller"},
    "tool_result": {"tool_use_id", "content", "is_error"},
}
_ROLE_OF = {
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "tool_use": "assistant",
    "tool_result": "user",
    "image": "user",
}
_TYPES = {
    str: "string",
    list: "list",
    dict: "dictionary",
    bool: "boolean",
    int: "integer",
}


def typed(path: str, value: Any, wanted: type) -> Iterator[Refusal]:
    """Whether a value is of the type."""
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        yield Refusal(f"{path}: Input should be a valid {_TYPES[wanted]}")


def missing(path: str, owner: dict[str, Any], name: str) -> Iterator[Refusal]:
    """Whether a field is there."""
    if name not in owner:
        yield Refusal(f"{path}.{name}: Field required".lstrip("."))


def block_refusals(block: Any, path: str, role: str) -> Iterator[Refusal]:
    """Why the endpoint would not take a block of a message with this role."""
    yield from typed(path, block, dict)
    yield from missing(path, block, "type")
    yield from typed(f"{path}.type", block["type"], str)
    kind = block["type"]
    if kind not in _FIELDS:
        yield Refusal(
            f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        )
    if role not in {"system", _ROLE_OF.get(kind, role)}:
        yield Refusal(
            f"{path.rpartition('.content')[0]}: `{kind}` blocks can only be in `{_ROLE_OF[kind]}` messages"
        )
    at = f"{path}.{kind}"
    for name in sorted(block.keys() - _FIELDS[kind] - {"type", "cache_control"}):
        yield Refusal(f"{at}.{name}: Extra inputs are not permitted")
    yield from _mark(block, at)
    match kind:
        case "text":
            yield from _text(block, at)
        case "thinking":
            yield from _thinking(block, path)
        case "tool_use":
            yield from _tool_use(block, at)
        case "tool_result":
            yield from _tool_result(block, at)


def signature_of(thinking: str) -> str:
    """What this endpoint signs its thinking with; it takes no other one back."""
    return sha256(thinking.encode("utf-8", "surrogatepass")).hexdigest()


def _mark(block: dict[str, Any], at: str) -> Iterator[Refusal]:
    mark = block.get("cache_control")
    if mark is None:
        return
    yield from typed(f"{at}.cache_control", mark, dict)
    if mark.get("type") != "ephemeral":
        yield Refusal(f"{at}.cache_control.type: Input should be 'ephemeral'")
    if mark.get("ttl", "5m") not in ("5m", "1h"):
        yield Refusal(f"{at}.cache_control.ttl: Input should be '5m' or '1h'")
    if block["type"] in {"thinking", "redacted_thinking"}:
        yield Refusal(f"{at}.cache_control: Extra inputs are not permitted")


def _text(block: dict[str, Any], at: str) -> Iterator[Refusal]:
    yield from missing(at, block, "text")
    yield from typed(f"{at}.text", block["text"], str)
    if not block["text"] and block.get("cache_control"):
        yield Refusal(f"{at}: cache_control cannot be set for empty text blocks")
    place = at.partition(".")[0]
    if not block["text"]:
        yield Refusal(f"{place}: text content blocks must be non-empty")
    if not block["text"].strip():
        yield Refusal(f"{place}: text content blocks must contain non-whitespace text")


def _thinking(block: dict[str, Any], path: str) -> Iterator[Refusal]:
    for name in ("thinking", "signature"):
        yield from missing(f"{path}.thinking", block, name)
        yield from typed(f"{path}.thinking.{name}", block[name], str)
    if not block["thinking"]:
        yield Refusal(f"{path}.thinking: each thinking block must contain thinking")
    if block["signature"] != signature_of(block["thinking"]):
        yield Refusal(f"{path}: Invalid `signature` in `thinking` block")


def _tool_use(block: dict[str, Any], at: str) -> Iterator[Refusal]:
    for name in ("id", "name", "input"):
        yield from missing(at, block, name)
    yield from _matching(f"{at}.id", block["id"], _ID, "^[a-zA-Z0-9_-]+$")
    yield from _matching(f"{at}.name", block["name"], _NAME, "^[a-zA-Z0-9_-]{1,128}$")
    yield from typed(f"{at}.input", block["input"], dict)


def _tool_result(block: dict[str, Any], at: str) -> Iterator[Refusal]:
    yield from missing(at, block, "tool_use_id")
    yield from _matching(f"{at}.tool_use_id", block["tool_use_id"], _ID, "^[a-zA-Z0-9_-]+$")
    if block.get("is_error") is not None:
        yield from typed(f"{at}.is_error", block["is_error"], bool)
    content = block.get("content")
    if content is None or isinstance(content, str):
        return
    yield from typed(f"{at}.content", content, list)
    for index, part in enumerate(content):
        yield from typed(f"{at}.content.{index}", part, dict)
        if part.get("type") not in ("text", "image"):
            yield Refusal(
                f"{at}.content.{index}: Input tag '{part.get('type')}' found using 'type' does not match any of the expected tags"
            )
        yield from block_refusals(part, f"{at}.content.{index}", "user")


def _matching(path: str, value: Any, pattern: re.Pattern[str], shown: str) -> Iterator[Refusal]:
    yield from typed(path, value, str)
    if not pattern.fullmatch(value):
        yield Refusal(f"{path}: String should match pattern '{shown}'")
