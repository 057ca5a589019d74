"""What the OpenAI chat completions endpoint refuses, and in which words.

Refusals use the real endpoint's statuses, codes and (nearly) its sentences, because client libraries read
them. Rules are generators of refusals and the first one counts, so a later rule may rely on the earlier ones.
Tokens are estimated as everywhere in VibeOS, bytes / 4, over the tools and then the messages: that is the order
in which a provider reads them, and so what a prefix cache can save.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from vibeos.testing.wire import Refusal, to_json
from vibeos.values.sizes import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROLES = ("system", "developer", "user", "assistant", "tool")
_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "refusal", "tool_calls", "reasoning", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}
_PARAMETERS = """
    model messages tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature top_p n stop
    stream stream_options seed user logprobs top_logprobs logit_bias presence_penalty frequency_penalty
    response_format reasoning_effort verbosity service_tier store metadata modalities audio prediction
    prompt_cache_key prompt_cache_retention safety_identifier web_search_options
"""
_KNOWN_PARAMETERS = frozenset(_PARAMETERS.split())
_STREAM_OPTIONS = {"include_usage", "include_obfuscation"}
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_NAME_LENGTH = 64
_ID_LENGTH = 40
_TYPES = {
    str: "a string",
    list: "an array",
    dict: "an object",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
}


def refusal(
    body: Any, *, models: Sequence[str] | None = None, context_window: int | None = None
) -> Refusal | None:
    """Why the real endpoint would not take this request; None when it would."""
    return next(_refusals(body, models, context_window), None)


def prompt_bytes(body: dict[str, Any]) -> bytes:
    """What a model would read, tools before messages, in a form in which equal beginnings are equal bytes."""
    return b"\n".join(to_json(part) for part in [*(body.get("tools") or []), *body["messages"]])


def tokens(size: int) -> int:
    """Estimated tokens of a number of bytes."""
    return -(-size // BYTES_PER_TOKEN)


def _refusals(body: Any, models: Sequence[str] | None, context_window: int | None) -> Iterator[Refusal]:
    if not isinstance(body, dict):
        yield Refusal("We could not parse the JSON body of your request.")
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield Refusal("you must provide a model parameter")
    if models is not None and body["model"] not in models:
        text = f"The model `{body['model']}` does not exist or you do not have access to it."
        yield Refusal(text, 404, code="model_not_found")
    for name in sorted(body.keys() - _KNOWN_PARAMETERS):
        yield Refusal(f"Unrecognized request argument supplied: {name}")
    yield from _streaming(body)
    yield from _array("messages", body.get("messages"))
    for index, message in enumerate(body["messages"]):
        yield from _message(message, index)
    yield from _pairing(body["messages"])
    yield from _tools(body)
    yield from _lengths(body, context_window)


def _streaming(body: dict[str, Any]) -> Iterator[Refusal]:
    if body.get("stream") is not None:
        yield from _typed("stream", body["stream"], bool)
    options = body.get("stream_options")
    if options is None:
        return
    if not body.get("stream"):
        text = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        yield Refusal(text, param="stream_options")
    yield from _typed("stream_options", options, dict)
    for name in sorted(options.keys() - _STREAM_OPTIONS):
        path = f"stream_options.{name}"
        yield Refusal(f"Unknown parameter: '{path}'.", param=path, code="unknown_parameter")


def _array(path: str, value: Any) -> Iterator[Refusal]:
    if value is None:
        yield Refusal(f"Missing required parameter: '{path}'.", param=path, code="missing_required_parameter")
    yield from _typed(path, value, list)
    if not value:
        text = f"Invalid '{path}': empty array. Expected an array with minimum length 1."
        yield Refusal(text, param=path, code="empty_array")


def _typed(path: str, value: Any, wanted: type) -> Iterator[Refusal]:
    if not isinstance(value, wanted):
        got = _TYPES.get(type(value), "null")
        text = f"Invalid type for '{path}': expected {_TYPES[wanted]}, but got {got} instead."
        yield Refusal(text, param=path, code="invalid_type")


def _required(path: str, owner: dict[str, Any], name: str, wanted: type) -> Iterator[Refusal]:
    if name not in owner:
        path = f"{path}.{name}"
        yield Refusal(f"Missing required parameter: '{path}'.", param=path, code="missing_required_parameter")
    yield from _typed(f"{path}.{name}", owner[name], wanted)


def _message(message: Any, index: int) -> Iterator[Refusal]:
    path = f"messages[{index}]"
    yield from _typed(path, message, dict)
    yield from _required(path, message, "role", str)
    role = message["role"]
    if role not in _ROLES:
        supported = ", ".join(f"'{one}'" for one in _ROLES)
        text = f"Invalid value: '{role}'. Supported values are: {supported}."
        yield Refusal(text, param=f"{path}.role", code="invalid_value")
    for name in sorted(message.keys() - _FIELDS[role]):
        yield Refusal(
            f"Unknown parameter: '{path}.{name}'.", param=f"{path}.{name}", code="unknown_parameter"
        )
    yield from _content(message, path)
    if role == "assistant" and "tool_calls" in message:
        yield from _calls(message["tool_calls"], f"{path}.tool_calls")
    if role == "tool":
        yield from _required(path, message, "tool_call_id", str)


def _content(message: dict[str, Any], path: str) -> Iterator[Refusal]:
    content = message.get("content")
    if content is None:
        if message["role"] == "assistant" and message.get("tool_calls"):
            return
        yield Refusal("Invalid value for 'content': expected a string, got null.", param=f"{path}.content")
    if isinstance(content, str):
        return
    yield from _array(f"{path}.content", content)
    for index, part in enumerate(content or []):
        yield from _content_part(part, f"{path}.content[{index}]", message["role"])


def _content_part(part: Any, path: str, role: str) -> Iterator[Refusal]:
    yield from _typed(path, part, dict)
    yield from _required(path, part, "type", str)
    if part["type"] == "text":
        yield from _required(path, part, "text", str)
    elif part["type"] == "image_url" and role == "user":
        yield from _required(path, part, "image_url", dict)
        yield from _required(f"{path}.image_url", part["image_url"], "url", str)
    else:
        yield Refusal(f"Invalid value: '{part['type']}'.", param=f"{path}.type", code="invalid_value")


def _calls(calls: Any, path: str) -> Iterator[Refusal]:
    yield from _array(path, calls)
    for index, one in enumerate(calls):
        at = f"{path}[{index}]"
        yield from _typed(at, one, dict)
        yield from _required(at, one, "id", str)
        if len(one["id"]) > _ID_LENGTH:
            text = f"Invalid '{at}.id': string too long. Expected a string with maximum length {_ID_LENGTH}."
            yield Refusal(text, param=f"{at}.id", code="string_above_max_length")
        yield from _required(at, one, "type", str)
        if one["type"] != "function":
            yield Refusal(f"Invalid value: '{one['type']}'.", param=f"{at}.type", code="invalid_value")
        yield from _required(at, one, "function", dict)
        yield from _required(f"{at}.function", one["function"], "name", str)
        yield from _name(one["function"]["name"], f"{at}.function.name")
        yield from _required(f"{at}.function", one["function"], "arguments", str)


def _name(name: str, path: str) -> Iterator[Refusal]:
    if not _NAME.fullmatch(name):
        text = f"Invalid '{path}': string does not match pattern. Expected the pattern '^[a-zA-Z0-9_-]+$'."
        yield Refusal(text, param=path, code="invalid_value")
    if len(name) > _NAME_LENGTH:
        text = f"Invalid '{path}': string too long. Expected a string with maximum length {_NAME_LENGTH}."
        yield Refusal(text, param=path, code="string_above_max_length")


def _pairing(messages: list[dict[str, Any]]) -> Iterator[Refusal]:
    """Each call is answered once, at once behind the message that made it; nothing else is an answer."""
    pending: set[str] = set()
    asked: set[str] = set()
    answered: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            yield from _result(message["tool_call_id"], index, asked, answered)
            pending.discard(message["tool_call_id"])
            answered[message["tool_call_id"]] = index
            continue
        yield from _unanswered(pending, index)
        ids = [one["id"] for one in message.get("tool_calls", [])]
        for call_id in {one for one in ids if ids.count(one) > 1}:
            text = (
                f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', in messages[{index}]."
            )
            yield Refusal(text, param=f"messages.[{index}].tool_calls")
        pending, asked, answered = set(ids), set(ids), {}
    yield from _unanswered(pending, len(messages))


def _result(call_id: str, index: int, asked: set[str], answered: dict[str, int]) -> Iterator[Refusal]:
    if not asked:
        text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        yield Refusal(text, param=f"messages.[{index}].role")
    if call_id not in asked:
        text = (
            f"Invalid parameter: 'tool_call_id' of '{call_id}' not found in 'tool_calls' of previous message."
        )
        yield Refusal(text, param=f"messages.[{index}].tool_call_id")
    if call_id in answered:
        where = f"in messages[{answered[call_id]}] and messages[{index}]"
        text = f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', {where}."
        yield Refusal(text, param=f"messages.[{index}].tool_call_id")


def _unanswered(pending: set[str], index: int) -> Iterator[Refusal]:
    if pending:
        text = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(sorted(pending))}"
        )
        yield Refusal(text, param=f"messages.[{index}].role")


def _tools(body: dict[str, Any]) -> Iterator[Refusal]:
    if "tools" not in body:
        if "tool_choice" in body:
            yield Refusal(
                "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
            )
        return
    yield from _array("tools", body["tools"])
    for index, tool in enumerate(body["tools"]):
        path = f"tools[{index}]"
        yield from _typed(path, tool, dict)
        yield from _required(path, tool, "type", str)
        if tool["type"] != "function":
            yield Refusal(f"Invalid value: '{tool['type']}'.", param=f"{path}.type", code="invalid_value")
        yield from _required(path, tool, "function", dict)
        yield from _required(f"{path}.function", tool["function"], "name", str)
        yield from _name(tool["function"]["name"], f"{path}.function.name")
        yield from _schema(tool["function"], path)


def _schema(function: dict[str, Any], path: str) -> Iterator[Refusal]:
    """Parameters are optional; when they are there, they describe an object."""
    schema = function.get("parameters", {"type": "object"})
    at, name = f"{path}.function.parameters", function["name"]
    yield from _typed(at, schema, dict)
    if schema.get("type") != "object":
        text = f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."
        yield Refusal(text, param=at, code="invalid_function_parameters")
    properties = schema.get("properties", {})
    yield from _typed(f"{at}.properties", properties, dict)
    for key, value in properties.items():
        if isinstance(value, dict) and value.get("type") == "array" and "items" not in value:
            text = f"Invalid schema for function '{name}': In context=('properties', '{key}'), array schema missing items."
            yield Refusal(text, param=at, code="invalid_function_parameters")


def _lengths(body: dict[str, Any], context_window: int | None) -> Iterator[Refusal]:
    limits = [name for name in ("max_tokens", "max_completion_tokens") if body.get(name) is not None]
    if len(limits) > 1:
        yield Refusal("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    for name in limits:
        yield from _typed(name, body[name], int)
        if body[name] < 1:
            text = f"Invalid '{name}': integer below minimum value. Expected a value >= 1."
            yield Refusal(text, param=name, code="integer_below_min_value")
    prompt = tokens(len(prompt_bytes(body)))
    reserved = sum(body[name] for name in limits)
    if context_window is not None and prompt + reserved > context_window:
        text = (
            f"This model's maximum context length is {context_window} tokens. However, you requested "
            f"{prompt + reserved} tokens ({prompt} in the messages, {reserved} in the completion). "
            "Please reduce the length of the messages or completion."
        )
        yield Refusal(text, param="messages", code="context_length_exceeded")
