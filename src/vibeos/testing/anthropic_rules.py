"""What the Anthropic messages endpoint refuses, and in which words.

Refusals use the real endpoint's statuses and (nearly) its sentences, because client libraries read them. Rules are
generators of refusals and the first one counts, so a later rule may rely on the earlier ones. Tokens are estimated
as everywhere in VibeOS, bytes / 4, over the tools, the system prompt and then the messages: that is the order in
which the endpoint reads them, and so what a cached prefix can save. Marks for the cache are no part of that text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from vibeos.testing.anthropic_blocks import block_refusals, missing, typed
from vibeos.testing.openai_rules import tokens
from vibeos.testing.wire import Refusal, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PARAMETERS = """
    model messages max_tokens system tools tool_choice stream stop_sequences temperature top_k top_p metadata thinking
    cache_control container context_management diagnostics inference_geo mcp_servers output_config service_tier speed
"""
_KNOWN_PARAMETERS = frozenset(_PARAMETERS.split())
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_CHOICES = ("auto", "any", "tool", "none")
_MOST_MARKS = 4
_LEAST_THINKING = 1024


def refusal(
    body: Any, *, models: Sequence[str] | None = None, context_window: int | None = None
) -> Refusal | None:
    """Why the real endpoint would not take this request; None when it would."""
    return next(_refusals(body, models, context_window), None)


def prompt_parts(body: dict[str, Any]) -> list[tuple[bytes, bool]]:
    """What a model would read, block by block, and whether a mark for the cache stands at the block's end."""
    parts = [_part("", tool) for tool in body.get("tools") or []]
    system = body.get("system") or []
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
    parts += [_part("system", block) for block in blocks]
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts += [_part(message["role"], block) for block in blocks]
    if body.get("cache_control") and parts:
        parts[-1] = (parts[-1][0], True)
    return parts


def prompt_bytes(body: dict[str, Any]) -> bytes:
    """What a model would read, in a form in which equal beginnings are equal bytes."""
    return b"".join(part for part, _ in prompt_parts(body))


def _part(role: str, block: dict[str, Any]) -> tuple[bytes, bool]:
    plain = _without_marks(block)
    return role.encode() + to_json(plain) + b"\n", plain != block


def _without_marks(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_marks(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_marks(one) for key, one in value.items() if key != "cache_control"}


def _refusals(body: Any, models: Sequence[str] | None, context_window: int | None) -> Iterator[Refusal]:
    if not isinstance(body, dict):
        yield Refusal("The request body is not valid JSON: it is no object")
    for name in ("model", "max_tokens", "messages"):
        yield from missing("", body, name)
    yield from typed("model", body["model"], str)
    if models is not None and body["model"] not in models:
        yield Refusal(f"model: {body['model']}", 404)
    for name in sorted(body.keys() - _KNOWN_PARAMETERS):
        yield Refusal(f"{name}: Extra inputs are not permitted")
    yield from typed("max_tokens", body["max_tokens"], int)
    if body["max_tokens"] < 1:
        yield Refusal("max_tokens: Input should be greater than or equal to 1")
    if body.get("stream") is not None:
        yield from typed("stream", body["stream"], bool)
    yield from _thinking(body)
    yield from _system(body.get("system"))
    yield from _messages(body["messages"])
    yield from _tools(body)
    yield from _marks(body)
    yield from _pairing(body["messages"])
    yield from _lengths(body, context_window)


def _thinking(body: dict[str, Any]) -> Iterator[Refusal]:
    thinking = body.get("thinking")
    if thinking is None:
        return
    yield from typed("thinking", thinking, dict)
    if thinking.get("type") != "enabled":
        return
    yield from missing("thinking.enabled", thinking, "budget_tokens")
    yield from typed("thinking.enabled.budget_tokens", thinking["budget_tokens"], int)
    if thinking["budget_tokens"] < _LEAST_THINKING:
        text = f"thinking.enabled.budget_tokens: Input should be greater than or equal to {_LEAST_THINKING}"
        yield Refusal(text)
    if body["max_tokens"] <= thinking["budget_tokens"]:
        yield Refusal("`max_tokens` must be greater than `thinking.budget_tokens`.")


def _system(system: Any) -> Iterator[Refusal]:
    if system is None or isinstance(system, str):
        return
    yield from typed("system", system, list)
    for index, block in enumerate(system):
        yield from typed(f"system.{index}", block, dict)
        if block.get("type") != "text":
            yield Refusal(f"system.{index}.type: Input should be 'text'")
        yield from block_refusals(block, f"system.{index}", "system")


def _messages(messages: Any) -> Iterator[Refusal]:
    yield from typed("messages", messages, list)
    if not messages:
        yield Refusal("messages: at least one message is required")
    for index, message in enumerate(messages):
        yield from _message(message, index, is_last=index == len(messages) - 1)
    if messages[0]["role"] != "user":
        yield Refusal('messages: first message must use the "user" role')
    last = messages[-1]
    if last["role"] == "assistant" and not _calls(last):
        yield Refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def _message(message: Any, index: int, *, is_last: bool) -> Iterator[Refusal]:
    path = f"messages.{index}"
    yield from typed(path, message, dict)
    yield from missing(path, message, "role")
    role = message["role"]
    if role == "system":
        text = 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
        yield Refusal(text)
    if role not in ("user", "assistant"):
        yield Refusal(f'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant".')
    for name in sorted(message.keys() - {"role", "content"}):
        yield Refusal(f"{path}.{name}: Extra inputs are not permitted")
    yield from missing(path, message, "content")
    content = message["content"]
    if not isinstance(content, str):
        yield from typed(f"{path}.content", content, list)
    if not content and not (is_last and role == "assistant"):
        yield Refusal(
            f"{path}: all messages must have non-empty content except for the optional final assistant message"
        )
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) and content else content or []
    for number, block in enumerate(blocks):
        yield from block_refusals(block, f"{path}.content.{number}", role)


def _tools(body: dict[str, Any]) -> Iterator[Refusal]:
    tools = body.get("tools")
    if tools is not None:
        yield from typed("tools", tools, list)
    names: list[str] = []
    for index, tool in enumerate(tools or []):
        yield from _tool(tool, f"tools.{index}")
        names.append(tool["name"])
    if len(set(names)) < len(names):
        yield Refusal("tools: Tool names must be unique.")
    yield from _choice(body.get("tool_choice"), names)


def _tool(tool: Any, path: str) -> Iterator[Refusal]:
    yield from typed(path, tool, dict)
    if tool.get("type", "custom") != "custom":
        yield Refusal(f"{path}: this server knows only tools of the type 'custom'")
    at = f"{path}.custom"
    yield from missing(at, tool, "name")
    yield from typed(f"{at}.name", tool["name"], str)
    if not _TOOL_NAME.fullmatch(tool["name"]):
        yield Refusal(f"{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if "description" in tool:
        yield from typed(f"{at}.description", tool["description"], str)
    yield from missing(at, tool, "input_schema")
    yield from typed(f"{at}.input_schema", tool["input_schema"], dict)
    yield from missing(f"{at}.input_schema", tool["input_schema"], "type")
    if tool["input_schema"]["type"] != "object":
        yield Refusal(f"{at}.input_schema.type: Input should be 'object'")


def _choice(choice: Any, names: list[str]) -> Iterator[Refusal]:
    if choice is None:
        return
    yield from typed("tool_choice", choice, dict)
    if choice.get("type") not in _CHOICES:
        yield Refusal(
            "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"
        )
    if not names and choice["type"] != "none":
        yield Refusal("tool_choice may only be specified while providing tools.")
    if choice["type"] == "tool" and choice.get("name") not in names:
        yield Refusal(f"Tool '{choice.get('name')}' not found in provided tools")


def _marks(body: dict[str, Any]) -> Iterator[Refusal]:
    found = sum(_count_marks(body.get(name)) for name in ("tools", "system", "messages"))
    found += bool(body.get("cache_control"))
    if found > _MOST_MARKS:
        yield Refusal(f"A maximum of {_MOST_MARKS} blocks with cache_control may be provided. Found {found}.")


def _count_marks(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_count_marks, value))
    if not isinstance(value, dict):
        return 0
    inner = sum(_count_marks(one) for key, one in value.items() if key not in {"input", "input_schema"})
    return inner + bool(value.get("cache_control"))


def _pairing(messages: list[dict[str, Any]]) -> Iterator[Refusal]:
    """Each call has one result in the next message, before anything else there; nothing else is a result."""
    asked: list[str] = []
    for index, message in enumerate(messages):
        yield from _answers(message, index, asked)
        asked = _calls(message)
        for number, call_id in enumerate(asked):
            if call_id in asked[:number]:
                yield Refusal(f"messages.{index}.content.{number}: `tool_use` ids must be unique")
    yield from _unanswered(asked, [], len(messages))


def _answers(message: dict[str, Any], index: int, asked: list[str]) -> Iterator[Refusal]:
    answered: list[str] = []
    in_front: list[str] = []
    at_front = True
    for number, block in enumerate(_blocks(message)):
        at_front = at_front and block["type"] == "tool_result"
        if block["type"] != "tool_result":
            continue
        call_id, path = block["tool_use_id"], f"messages.{index}.content.{number}"
        if call_id not in asked:
            yield Refusal(
                f"{path}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        if call_id in answered:
            yield Refusal(
                f"{path}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {call_id}"
            )
        answered.append(call_id)
        in_front += [call_id] if at_front else []
    yield from _unanswered(asked, in_front, index)


def _unanswered(asked: list[str], answered: list[str], index: int) -> Iterator[Refusal]:
    left = [one for one in asked if one not in answered]
    if left:
        yield Refusal(
            f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(left)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        )


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _calls(message: dict[str, Any]) -> list[str]:
    return [block["id"] for block in _blocks(message) if block["type"] == "tool_use"]


def _lengths(body: dict[str, Any], context_window: int | None) -> Iterator[Refusal]:
    prompt, reserved = tokens(len(prompt_bytes(body))), body["max_tokens"]
    if context_window is None:
        return
    if prompt > context_window:
        yield Refusal(f"prompt is too long: {prompt} tokens > {context_window} maximum")
    if prompt + reserved > context_window:
        yield Refusal(
            f"input length and `max_tokens` exceed context limit: {prompt} + {reserved} > {context_window}, "
            "decrease input length or `max_tokens` and try again"
        )
