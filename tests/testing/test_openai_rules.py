"""Every refusal of the strict server: the status, the code and the place that the real endpoint names."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vibeos.testing import StrictServer, reply
from vibeos.testing.openai_rules import prompt_bytes, refusal

USER = {"role": "user", "content": "hello"}


def calls(*ids: str, **changes: Any) -> dict[str, Any]:
    made = [{"id": one, "type": "function", "function": {"name": "t", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": made, **changes}


def result(call_id: str, **changes: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "done", **changes}


def tool(**changes: Any) -> dict[str, Any]:
    function = {
        "name": "t",
        "description": "d",
        "parameters": {"type": "object", "properties": {}},
        **changes,
    }
    return {"type": "function", "function": function}


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "strict-model", "messages": list(messages), **more}


def one_call(**changes: Any) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}, **changes}


def ask_raw(
    server: StrictServer,
    body: bytes,
    *,
    method: str = "POST",
    path: str = "/v1/chat/completions",
    **headers: str,
) -> tuple[int, dict[str, Any]]:
    """One request by hand, so that no client library is polite on our behalf."""
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
    try:
        given = {"Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        connection.request(method, path, body or None, given)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"{}")
    finally:
        connection.close()


ACCEPTED = [
    chat(USER),
    chat({"role": "system", "content": "s"}, USER),
    chat({"role": "developer", "content": "s"}, USER),
    chat(USER, {"role": "assistant", "content": "a"}, USER),
    chat(USER, {"role": "assistant", "content": ""}, USER),
    chat(USER, {"role": "assistant", "content": "a", "reasoning_content": "r"}, USER),
    chat({"role": "user", "content": [{"type": "text", "text": "a"}]}),
    chat(
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}],
        }
    ),
    chat(USER, calls("1"), result("1")),
    chat(USER, calls("1", "2"), result("2"), result("1"), USER),
    chat(USER, calls("1", content="with words"), result("1"), calls("1"), result("1")),
    chat(USER, calls("1"), result("1", content=[{"type": "text", "text": "a"}])),
    chat(USER, tools=[tool()], tool_choice="auto", parallel_tool_calls=False),
    chat(USER, tools=[{"type": "function", "function": {"name": "t"}}]),
    chat(
        USER, tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "array", "items": {}}}})]
    ),
    chat(USER, max_completion_tokens=1),
    chat(USER, max_tokens=1, temperature=0, seed=1, stream=False),
]

REFUSED: list[tuple[str, Any, str | None, str | None, str]] = [
    ("not an object", [1], None, None, "could not parse the JSON body"),
    ("no model", {"messages": [USER]}, None, None, "must provide a model"),
    ("an empty model", {"model": "", "messages": [USER]}, None, None, "must provide a model"),
    ("no messages", {"model": "m"}, "missing_required_parameter", "messages", "Missing required parameter: 'messages'"),
    ("empty messages", chat(), "empty_array", "messages", "empty array"),
    ("messages of another type", {"model": "m", "messages": "hi"}, "invalid_type", "messages", "got a string instead"),
    ("an unknown parameter", chat(USER, foo=1), None, None, "Unrecognized request argument supplied: foo"),
    ("a message that is none", chat(USER, "hi"), "invalid_type", "messages[1]", "expected an object"),
    ("no role", chat({"content": "x"}), "missing_required_parameter", "messages[0].role", "messages[0].role"),
    ("a bad role", chat({"role": "robot", "content": "x"}), "invalid_value", "messages[0].role", "Invalid value: 'robot'"),
    ("an old role", chat({"role": "function", "content": "x"}), "invalid_value", "messages[0].role", "'function'"),
    ("an unknown field", chat({**USER, "x": 1}), "unknown_parameter", "messages[0].x", "messages[0].x"),
    ("a tool's name in a result", chat(USER, calls("1"), result("1", name="t")), "unknown_parameter", "messages[2].name", "name"),
    ("no content", chat({"role": "user"}), None, "messages[0].content", "got null"),
    ("null content", chat({"role": "user", "content": None}), None, "messages[0].content", "got null"),
    ("null content without calls", chat(USER, {"role": "assistant", "content": None}), None, "messages[1].content", "got null"),
    ("null content of a result", chat(USER, calls("1"), result("1", content=None)), None, "messages[2].content", "got null"),
    ("content of another type", chat({"role": "user", "content": 5}), "invalid_type", "messages[0].content", "integer"),
    ("an empty list of parts", chat({"role": "user", "content": []}), "empty_array", "messages[0].content", "empty"),
    ("an unknown part", chat({"role": "user", "content": [{"type": "smell"}]}), "invalid_value", "messages[0].content[0].type", "smell"),
    ("a part without text", chat({"role": "user", "content": [{"type": "text"}]}), "missing_required_parameter", "messages[0].content[0].text", "text"),
    ("an image in a result", chat(USER, calls("1"), result("1", content=[{"type": "image_url", "image_url": {"url": "x"}}])), "invalid_value", "messages[2].content[0].type", "image_url"),
    ("an image without an address", chat({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}), "missing_required_parameter", "messages[0].content[0].image_url.url", "url"),
    ("an empty list of calls", chat(USER, calls()), None, "messages[1].content", "got null"),
    ("an empty list of calls with text", chat(USER, calls(content="x")), "empty_array", "messages[1].tool_calls", "empty"),
    ("a call without an id", chat(USER, calls(tool_calls=[{"type": "function"}])), "missing_required_parameter", "messages[1].tool_calls[0].id", "id"),
    ("a call with a long id", chat(USER, calls("x" * 41), result("x" * 41)), "string_above_max_length", "messages[1].tool_calls[0].id", "maximum length 40"),
    ("a call of another type", chat(USER, calls(tool_calls=[one_call(type="custom")])), "invalid_value", "messages[1].tool_calls[0].type", "custom"),
    ("a call without a function", chat(USER, calls(tool_calls=[{"id": "1", "type": "function"}])), "missing_required_parameter", "messages[1].tool_calls[0].function", "function"),
    ("a call with an odd name", chat(USER, calls(tool_calls=[one_call(function={"name": "a b", "arguments": ""})])), "invalid_value", "messages[1].tool_calls[0].function.name", "pattern"),
    ("a call with a long name", chat(USER, calls(tool_calls=[one_call(function={"name": "a" * 65, "arguments": ""})])), "string_above_max_length", "messages[1].tool_calls[0].function.name", "64"),
    ("arguments as an object", chat(USER, calls(tool_calls=[one_call(function={"name": "t", "arguments": {}})])), "invalid_type", "messages[1].tool_calls[0].function.arguments", "got an object instead"),
    ("no arguments", chat(USER, calls(tool_calls=[one_call(function={"name": "t"})])), "missing_required_parameter", "messages[1].tool_calls[0].function.arguments", "arguments"),
    ("an orphan result", chat(USER, result("1")), None, "messages.[1].role", "must be a response to a preceeding message"),
    ("a result at the beginning", chat(result("1"), USER), None, "messages.[0].role", "must be a response"),
    ("a result behind an answer", chat(USER, calls("1"), result("1"), {"role": "assistant", "content": "x"}, result("1")), None, "messages.[4].role", "must be a response"),
    ("an unknown call id", chat(USER, calls("1"), result("2")), None, "messages.[2].tool_call_id", "'tool_call_id' of '2' not found"),
    ("a result without an id", chat(USER, calls("1"), {"role": "tool", "content": "x"}), "missing_required_parameter", "messages[2].tool_call_id", "tool_call_id"),
    ("a second result", chat(USER, calls("1"), result("1"), result("1")), None, "messages.[3].tool_call_id", "in messages[2] and messages[3]"),
    ("one id twice in an answer", chat(USER, calls("1", "1"), result("1")), None, "messages.[1].tool_calls", "Duplicate value for 'tool_call_id' of '1'"),
    ("an unanswered call", chat(USER, calls("a", "b"), result("b"), USER), None, "messages.[3].role", "did not have response messages: a"),
    ("a call at the end", chat(USER, calls("1")), None, "messages.[2].role", "did not have response messages: 1"),
    ("a call before another", chat(USER, calls("1"), calls("2"), result("2")), None, "messages.[2].role", "messages: 1"),
    ("an empty list of tools", chat(USER, tools=[]), "empty_array", "tools", "empty"),
    ("a choice without tools", chat(USER, tool_choice="auto"), None, None, "only allowed when 'tools' are specified"),
    ("a tool of another type", chat(USER, tools=[{"type": "magic", "function": {}}]), "invalid_value", "tools[0].type", "magic"),
    ("a tool without a type", chat(USER, tools=[{"function": {"name": "t"}}]), "missing_required_parameter", "tools[0].type", "type"),
    ("a tool without a name", chat(USER, tools=[{"type": "function", "function": {}}]), "missing_required_parameter", "tools[0].function.name", "name"),
    ("a tool with an odd name", chat(USER, tools=[tool(name="a.b")]), "invalid_value", "tools[0].function.name", "pattern"),
    ("a tool with a long name", chat(USER, tools=[tool(name="a" * 65)]), "string_above_max_length", "tools[0].function.name", "64"),
    ("a schema of a string", chat(USER, tools=[tool(parameters={"type": "string"})]), "invalid_function_parameters", "tools[0].function.parameters", "Invalid schema for function 't'"),
    ("a schema without a type", chat(USER, tools=[tool(parameters={})]), "invalid_function_parameters", "tools[0].function.parameters", "Invalid schema"),
    ("a schema that is a list", chat(USER, tools=[tool(parameters=[])]), "invalid_type", "tools[0].function.parameters", "got an array"),
    ("an array without items", chat(USER, tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "array"}}})]), "invalid_function_parameters", "tools[0].function.parameters", "missing items"),
    ("two limits", chat(USER, max_tokens=1, max_completion_tokens=1), None, None, "at the same time"),
    ("a limit of nothing", chat(USER, max_tokens=0), "integer_below_min_value", "max_tokens", "below minimum"),
    ("a limit in words", chat(USER, max_tokens="many"), "invalid_type", "max_tokens", "expected an integer"),
]  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Any:
    with StrictServer([reply("ok")] * len(ACCEPTED)) as running:
        yield running


@pytest.mark.parametrize("body", ACCEPTED, ids=range(len(ACCEPTED)))
def test_what_the_real_endpoint_takes_is_taken(server: StrictServer, body: dict[str, Any]) -> None:
    status, answer = ask_raw(server, json.dumps(body).encode())
    assert (status, answer.get("error")) == (200, None)
    assert answer["choices"][0]["message"]["content"] == "ok"


@pytest.mark.parametrize(
    ("body", "code", "param", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_the_real_endpoint_refuses_is_refused_in_its_form(
    server: StrictServer, body: Any, code: str | None, param: str | None, words: str
) -> None:
    status, answer = ask_raw(server, json.dumps(body).encode())
    assert status == 400
    assert set(answer) == {"error"}
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    assert words in answer["error"]["message"]
    assert (answer["error"]["code"], answer["error"]["param"]) == (code, param)
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"nonsense", b"\xff", b"[" * 100_000], ids=["empty", "cut", "words", "bytes", "deep"]
)
def test_a_body_that_is_no_json_is_refused(server: StrictServer, raw: bytes) -> None:
    status, answer = ask_raw(server, raw, Content_Length=str(len(raw)))
    assert status == 400
    assert "could not parse the JSON body" in answer["error"]["message"]


def test_a_body_of_another_content_type_is_refused(server: StrictServer) -> None:
    status, answer = ask_raw(server, json.dumps(chat(USER)).encode(), Content_Type="text/plain")
    assert status == 400
    assert "application/json" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v1/completions", 404),
        ("POST", "/chat/completions", 404),
        ("GET", "/", 404),
        ("GET", "/v1/chat/completions", 405),
        ("DELETE", "/v1/models", 405),
        ("PUT", "/v1/chat/completions", 405),
    ],
)
def test_another_page_or_method_is_refused(server: StrictServer, method: str, path: str, status: int) -> None:
    got, answer = ask_raw(server, json.dumps(chat(USER)).encode(), method=method, path=path)
    assert got == status
    assert path in answer["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "code", "words"),
    [
        ({}, None, "didn't provide an API key"),
        ({"Authorization": "Bearer "}, None, "didn't provide an API key"),
        ({"Authorization": "Basic right"}, "invalid_api_key", "Incorrect API key"),
        ({"Authorization": "Bearer wrong"}, "invalid_api_key", "Incorrect API key"),
        ({"Authorization": "bearer right"}, None, ""),
    ],
)
def test_the_key_is_checked(headers: dict[str, str], code: str | None, words: str) -> None:
    with StrictServer([reply("ok")], api_key="right") as locked:
        status, answer = ask_raw(locked, json.dumps(chat(USER)).encode(), **headers)
    if not words:
        assert status == 200
        return
    assert status == 401
    assert answer["error"]["code"] == code
    assert words in answer["error"]["message"]
    assert "wrong" not in answer["error"]["message"]


def test_a_model_that_does_not_exist_is_refused() -> None:
    with StrictServer(models=["a", "b"]) as small:
        status, answer = ask_raw(small, json.dumps(chat(USER)).encode())
        listed, models = ask_raw(small, b"", method="GET", path="/v1/models")
    assert (status, answer["error"]["code"]) == (404, "model_not_found")
    assert (listed, [one["id"] for one in models["data"]]) == (200, ["a", "b"])


@pytest.mark.parametrize(
    ("more", "fits"), [({}, True), ({"max_tokens": 100}, True), ({"max_tokens": 101}, False)]
)
def test_too_many_tokens_are_refused_with_the_room_for_the_answer_counted(
    more: dict[str, int], fits: bool
) -> None:
    body = chat({"role": "user", "content": "x" * 1_000})
    size = -(-len(prompt_bytes(body)) // 4)
    refused = refusal({**body, **more}, context_window=size + 100)
    assert (refused is None) is fits
    if refused is not None:
        assert (refused.status, refused.code, refused.param) == (400, "context_length_exceeded", "messages")
        assert f"{size} in the messages" in refused.message


def test_tools_count_as_part_of_the_prompt() -> None:
    plain, equipped = chat(USER), chat(USER, tools=[tool(description="x" * 4_000)])
    assert refusal(plain, context_window=500) is None
    assert refusal(equipped, context_window=500) is not None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_damaged_request_is_judged_and_never_breaks_the_judge(data: st.DataObject) -> None:
    body = json.loads(json.dumps(chat(USER, calls("1"), result("1"), tools=[tool()], max_tokens=5)))
    node: Any = body
    while True:
        key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        if (
            not isinstance(node[key], (dict, list))
            or not node[key]
            or data.draw(st.sampled_from([True, False]))
        ):
            node[key] = data.draw(json_values)
            break
        node = node[key]
    refused = refusal(body, context_window=10_000)
    assert refused is None or (refused.message and refused.status == 400)
