"""Every refusal of the messages endpoint: the status, the type and the words of the real one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from testing.speaking import ANTHROPIC, ANTHROPIC_HEADERS, post
from vibeos.testing import StrictServer, reply
from vibeos.testing.anthropic_blocks import signature_of
from vibeos.testing.anthropic_rules import prompt_bytes, refusal

MARK = {"type": "ephemeral"}
USER = {"role": "user", "content": "hello"}
THINKING = {"type": "thinking", "thinking": "hm", "signature": signature_of("hm")}


def use(call_id: str = "1", **changes: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "t", "input": {}, **changes}


def result(call_id: str = "1", **changes: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "done", **changes}


def text(words: str = "a", **changes: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **changes}


def says(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def asks(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def tool(**changes: Any) -> dict[str, Any]:
    return {"name": "t", "description": "d", "input_schema": {"type": "object", "properties": {}}, **changes}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 10, "messages": list(messages), **more}


ACCEPTED = [
    body(USER),
    body(USER, USER, says(text()), USER),
    body(asks(text())),
    body(USER, system="s"),
    body(USER, system=[text("s", cache_control=MARK)]),
    body(USER, says(use()), asks(result())),
    body(USER, says(text(), use("1"), use("2")), asks(result("2"), result("1"), text("and"))),
    body(USER, says(use()), asks(result(content=[text()], is_error=True))),
    body(USER, says(use()), asks(result(content=""))),
    body(USER, says(THINKING, text()), USER),
    body(USER, says({"type": "redacted_thinking", "data": "x"}, text()), USER),
    body(asks({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}})),
    body(USER, tools=[tool()], tool_choice={"type": "auto"}),
    body(USER, tools=[tool()], tool_choice={"type": "tool", "name": "t"}),
    body(
        USER,
        tools=[tool(cache_control={"type": "ephemeral", "ttl": "1h"})],
        system=[text(cache_control=MARK)],
    ),
    body(USER, max_tokens=3000, thinking={"type": "enabled", "budget_tokens": 2000}),
    body(
        USER, stream=False, temperature=0, top_p=1, top_k=3, stop_sequences=["x"], metadata={"user_id": "u"}
    ),
    body(asks(*[text(cache_control=MARK)] * 3), cache_control=MARK),
]

REFUSED: list[tuple[str, Any, str]] = [
    ("not an object", [1], "The request body is not valid JSON"),
    ("no model", {"max_tokens": 1, "messages": [USER]}, "model: Field required"),
    ("no max_tokens", {"model": "m", "messages": [USER]}, "max_tokens: Field required"),
    ("no messages", {"model": "m", "max_tokens": 1}, "messages: Field required"),
    ("an unknown parameter", body(USER, foo=1), "foo: Extra inputs are not permitted"),
    ("a limit in words", body(USER, max_tokens="many"), "max_tokens: Input should be a valid integer"),
    ("a limit that is true", body(USER, max_tokens=True), "max_tokens: Input should be a valid integer"),
    ("a limit of nothing", body(USER, max_tokens=0), "max_tokens: Input should be greater than or equal to 1"),
    ("a stream in words", body(USER, stream="yes"), "stream: Input should be a valid boolean"),
    ("little thinking", body(USER, max_tokens=2000, thinking={"type": "enabled", "budget_tokens": 10}), "greater than or equal to 1024"),
    ("much thinking", body(USER, thinking={"type": "enabled", "budget_tokens": 2000}), "`max_tokens` must be greater than `thinking.budget_tokens`"),
    ("a system of another type", body(USER, system=5), "system: Input should be a valid list"),
    ("a system of images", body(USER, system=[{"type": "image", "source": {}}]), "system.0.type: Input should be 'text'"),
    ("an empty system", body(USER, system=[text("")]), "system: text content blocks must be non-empty"),
    ("empty messages", body(), "messages: at least one message is required"),
    ("messages of another type", body(USER, messages="hi"), "messages: Input should be a valid list"),
    ("a message that is none", body("hi"), "messages.0: Input should be a valid dictionary"),
    ("no role", body({"content": "x"}), "messages.0.role: Field required"),
    ("a system message", body({"role": "system", "content": "s"}, USER), 'Unexpected role "system". The Messages API accepts a top-level `system` parameter'),
    ("an unknown role", body(USER, {"role": "tool", "content": "x"}), 'Unexpected role "tool". Allowed roles are "user" or "assistant"'),
    ("an unknown field", body({**USER, "name": "x"}), "messages.0.name: Extra inputs are not permitted"),
    ("no content", body({"role": "user"}), "messages.0.content: Field required"),
    ("content of another type", body({"role": "user", "content": 5}), "messages.0.content: Input should be a valid list"),
    ("empty content", body({"role": "user", "content": ""}), "messages.0: all messages must have non-empty content"),
    ("no blocks", body(USER, says(), USER), "messages.1: all messages must have non-empty content"),
    ("an assistant first", body(says(text()), USER), 'messages: first message must use the "user" role'),
    ("an assistant last", body(USER, says(text())), "The conversation must end with a user message"),
    ("a block without a type", body(asks({"text": "a"})), "messages.0.content.0.type: Field required"),
    ("an unknown block", body(asks({"type": "smell"})), "Input tag 'smell' found using 'type'"),
    ("a block with an unknown field", body(asks(text(x=1))), "messages.0.content.0.text.x: Extra inputs are not permitted"),
    ("an empty text", body(asks(text(""))), "messages: text content blocks must be non-empty"),
    ("a blank text", body(asks(text(" \n"))), "messages: text content blocks must contain non-whitespace text"),
    ("a blank message", body({"role": "user", "content": " "}), "text content blocks must contain non-whitespace text"),
    ("an empty text in a result", body(USER, says(use()), asks(result(content=[text("")]))), "text content blocks must be non-empty"),
    ("a call by the user", body(asks(use())), "messages.0: `tool_use` blocks can only be in `assistant` messages"),
    ("a result by the assistant", body(USER, says(result())), "messages.1: `tool_result` blocks can only be in `user` messages"),
    ("thinking by the user", body(asks(THINKING)), "`thinking` blocks can only be in `assistant` messages"),
    ("thinking without a signature", body(USER, says({"type": "thinking", "thinking": "hm"}), USER), "messages.1.content.0.thinking.signature: Field required"),
    ("thinking that was changed", body(USER, says({**THINKING, "thinking": "other"}), USER), "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ("empty thinking", body(USER, says({**THINKING, "thinking": ""}), USER), "each thinking block must contain thinking"),
    ("a call with an odd id", body(USER, says(use("a:b")), asks(result("a:b"))), "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
    ("a call with an odd name", body(USER, says(use(name="a.b")), asks(result())), "messages.1.content.0.tool_use.name: String should match pattern"),
    ("arguments as text", body(USER, says(use(input="{}")), asks(result())), "messages.1.content.0.tool_use.input: Input should be a valid dictionary"),
    ("a call without input", body(USER, says({"type": "tool_use", "id": "1", "name": "t"}), asks(result())), "tool_use.input: Field required"),
    ("one id twice", body(USER, says(use(), use()), asks(result())), "messages.1.content.1: `tool_use` ids must be unique"),
    ("an orphan result", body(asks(result())), "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: 1."),
    ("a late result", body(USER, says(use()), asks(result()), says(text()), asks(result())), "messages.4.content.0: unexpected `tool_use_id`"),
    ("a second result", body(USER, says(use()), asks(result(), result())), "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: 1"),
    ("an unanswered call", body(USER, says(use("1"), use("2")), asks(result("1"))), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: 2."),
    ("a call answered by words", body(USER, says(use()), USER), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: 1."),
    ("a result behind words", body(USER, says(use()), asks(text(), result())), "messages.1: `tool_use` ids were found without"),
    ("a call at the end", body(USER, says(use())), "messages.1: `tool_use` ids were found without"),
    ("results in two messages", body(USER, says(use("1"), use("2")), asks(result("1")), asks(result("2"))), "immediately after: 2."),
    ("a tool without a name", body(USER, tools=[{"input_schema": {"type": "object"}}]), "tools.0.custom.name: Field required"),
    ("a tool with an odd name", body(USER, tools=[tool(name="a.b")]), "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    ("a tool with a long name", body(USER, tools=[tool(name="a" * 129)]), "tools.0.custom.name: String should match pattern"),
    ("two tools of one name", body(USER, tools=[tool(), tool()]), "tools: Tool names must be unique."),
    ("a tool without a schema", body(USER, tools=[{"name": "t"}]), "tools.0.custom.input_schema: Field required"),
    ("a schema without a type", body(USER, tools=[tool(input_schema={})]), "tools.0.custom.input_schema.type: Field required"),
    ("a schema of a string", body(USER, tools=[tool(input_schema={"type": "string"})]), "input_schema.type: Input should be 'object'"),
    ("a choice without tools", body(USER, tool_choice={"type": "auto"}), "tool_choice may only be specified while providing tools"),
    ("an unknown choice", body(USER, tools=[tool()], tool_choice={"type": "x"}), "tool_choice: Input tag"),
    ("a choice of no tool", body(USER, tools=[tool()], tool_choice={"type": "tool", "name": "x"}), "Tool 'x' not found in provided tools"),
    ("five marks", body(asks(*[text(cache_control=MARK)] * 4), tools=[tool(cache_control=MARK)]), "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    ("four marks and the automatic one", body(asks(*[text(cache_control=MARK)] * 4), cache_control=MARK), "Found 5."),
    ("a mark inside a result", body(USER, says(use()), asks(result(content=[text(cache_control=MARK)] * 5))), "Found 5."),
    ("another mark", body(asks(text(cache_control={"type": "forever"}))), "cache_control.type: Input should be 'ephemeral'"),
    ("a mark for a day", body(asks(text(cache_control={**MARK, "ttl": "1d"}))), "cache_control.ttl: Input should be '5m' or '1h'"),
    ("a mark on nothing", body(asks(text("", cache_control=MARK))), "cache_control cannot be set for empty text blocks"),
    ("a mark on thinking", body(USER, says({**THINKING, "cache_control": MARK}), USER), "cache_control: Extra inputs are not permitted"),
]  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Any:
    with StrictServer([reply("ok")] * len(ACCEPTED)) as running:
        yield running


@pytest.mark.parametrize("request_body", ACCEPTED, ids=range(len(ACCEPTED)))
def test_what_the_real_endpoint_takes_is_taken(server: StrictServer, request_body: dict[str, Any]) -> None:
    answer = post(server, ANTHROPIC, request_body)
    assert (answer.status, answer.json.get("error")) == (200, None)
    assert answer.json["content"] == [{"type": "text", "text": "ok"}]


@pytest.mark.parametrize(
    ("request_body", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_the_real_endpoint_refuses_is_refused_in_its_form(
    server: StrictServer, request_body: Any, words: str
) -> None:
    answer = post(server, ANTHROPIC, request_body)
    assert answer.status == 400
    assert set(answer.json) == {"type", "error", "request_id"}
    assert (answer.json["type"], answer.json["error"]["type"]) == ("error", "invalid_request_error")
    assert words in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status", "kind", "words"),
    [
        ({}, 401, "authentication_error", "x-api-key header is required"),
        ({"x-api-key": "wrong", "anthropic-version": "v"}, 401, "authentication_error", "invalid x-api-key"),
        ({"authorization": "Bearer wrong", "anthropic-version": "v"}, 401, "authentication_error", "Invalid bearer token"),
        ({"x-api-key": "right"}, 400, "invalid_request_error", "anthropic-version: header is required"),
    ],
)  # fmt: skip
def test_the_headers_are_checked(headers: dict[str, str], status: int, kind: str, words: str) -> None:
    with StrictServer(api_key="right") as locked:
        answer = post(locked, ANTHROPIC, body(USER), headers=headers)
    assert (answer.status, answer.json["error"]) == (status, {"type": kind, "message": words})


@pytest.mark.parametrize("name", ["x-api-key", "authorization"])
def test_the_right_key_is_taken_in_either_header(name: str) -> None:
    key = "right" if name == "x-api-key" else "Bearer right"
    with StrictServer(["ok"], api_key="right") as locked:
        assert (
            post(locked, ANTHROPIC, body(USER), headers={name: key, "anthropic-version": "v"}).status == 200
        )


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/v1/messages", 405, "invalid_request_error"),
        ("POST", "/v1/messages/other", 404, "not_found_error"),
        ("DELETE", "/v1/messages", 405, "invalid_request_error"),
    ],
)
def test_another_page_or_method_is_refused(
    server: StrictServer, method: str, path: str, status: int, kind: str
) -> None:
    answer = post(server, path, body(USER), method=method, headers=ANTHROPIC_HEADERS)
    assert (answer.status, answer.json["error"]["type"]) == (status, kind)


def test_a_model_that_does_not_exist_is_refused() -> None:
    with StrictServer(models=["a"]) as small:
        answer = post(small, ANTHROPIC, body(USER))
    assert (answer.status, answer.json["error"]) == (404, {"type": "not_found_error", "message": "model: m"})


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (50, "prompt is too long: {size} tokens > 50 maximum"),
        (
            300,
            "input length and `max_tokens` exceed context limit: {size} + 100 > 300, decrease input length or `max_tokens` and try again",
        ),
        (1_000, None),
    ],
)
def test_too_many_tokens_are_refused_in_both_of_its_forms(window: int, words: str | None) -> None:
    asked = body({"role": "user", "content": "x" * 900}, max_tokens=100)
    size = -(-len(prompt_bytes(asked)) // 4)
    refused = refusal(asked, context_window=window)
    assert (refused and refused.message) == (words and words.format(size=size))


def test_marks_for_the_cache_are_no_part_of_the_prompt() -> None:
    marked = body(asks(text(cache_control=MARK)), tools=[tool(cache_control=MARK)], cache_control=MARK)
    assert prompt_bytes(marked) == prompt_bytes(body(asks(text()), tools=[tool()]))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
WHOLE = body(
    asks(text(cache_control=MARK)),
    says(THINKING, text(), use()),
    asks(result(content=[text()]), text()),
    system=[text()],
    tools=[tool()],
    tool_choice={"type": "tool", "name": "t"},
    max_tokens=2000,
    thinking={"type": "enabled", "budget_tokens": 1024},
)


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_request_is_judged_and_never_breaks_the_judge(data: st.DataObject) -> None:
    damaged = json.loads(json.dumps(WHOLE))
    node: Any = damaged
    while True:
        key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        inner = node[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            node[key] = data.draw(json_values)
            break
        node = inner
    refused = refusal(damaged, context_window=10_000)
    assert refused is None or (refused.message and refused.status == 400)


def test_the_request_that_is_damaged_there_is_whole() -> None:
    assert refusal(WHOLE, context_window=10_000) is None
