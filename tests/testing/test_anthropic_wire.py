"""An answer in Anthropic's format: whole, event for event, as the SDK reads it, and what it cost."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from testing.speaking import ANTHROPIC, OPENAI, chat, kinds, post, said
from vibeos.testing import KeptRequest, StrictServer, call, fault, reply

FULL = reply(
    "Hi there, 你好", calls=[call("t", {"a": "b" * 20}), call("u", "{}", "mine")], reasoning="because"
)
MARK = {"type": "ephemeral"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def test_an_answer_has_the_real_shape() -> None:
    with StrictServer([FULL]) as server:
        answer = post(server, ANTHROPIC, chat(ANTHROPIC))
    body = answer.json
    assert (body["type"], body["role"], body["model"]) == ("message", "assistant", "strict-model")
    assert (body["stop_reason"], body["stop_sequence"]) == ("tool_use", None)
    thinking, words, first, second = body["content"]
    assert (thinking["type"], thinking["thinking"]) == ("thinking", "because")
    assert len(thinking["signature"]) > 20
    assert words == {"type": "text", "text": "Hi there, 你好"}
    assert first == {"type": "tool_use", "id": "toolu_1_1", "name": "t", "input": {"a": "b" * 20}}
    assert second == {"type": "tool_use", "id": "mine", "name": "u", "input": {}}
    assert answer.headers["request-id"].startswith("req_")


def test_a_stream_tells_the_message_then_its_blocks_then_why_it_ended() -> None:
    with StrictServer([FULL]) as server:
        answer = post(server, ANTHROPIC, chat(ANTHROPIC, stream=True))
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert all(name == value["type"] for name, value in answer.events)
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    first = ["content_block_start", "ping", "content_block_delta", "content_block_stop"]
    assert kinds(answer.events) == ["message_start", *first, *block * 3, "message_delta", "message_stop"]
    start, end = answer.events[0][1]["message"], answer.events[-2][1]
    assert (start["content"], start["stop_reason"], start["usage"]["output_tokens"]) == ([], None, 1)
    assert end["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}
    assert end["usage"]["output_tokens"] > 1
    assert end["usage"]["input_tokens"] == start["usage"]["input_tokens"]


def test_each_kind_of_block_begins_empty_and_grows_by_its_own_deltas() -> None:
    with StrictServer([FULL]) as server:
        events = [value for _, value in post(server, ANTHROPIC, chat(ANTHROPIC, stream=True)).events]
    begun = [one["content_block"] for one in events if one["type"] == "content_block_start"]
    assert begun == [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "text", "text": ""},
        {"type": "tool_use", "id": "toolu_1_1", "name": "t", "input": {}},
        {"type": "tool_use", "id": "mine", "name": "u", "input": {}},
    ]
    grown = [(one["index"], one["delta"]) for one in events if one["type"] == "content_block_delta"]
    assert [one["type"] for index, one in grown if index == 0][-1] == "signature_delta"
    assert "".join(one["text"] for index, one in grown if index == 1) == "Hi there, 你好"
    parts = [one["partial_json"] for index, one in grown if index == 2]
    assert (parts[0], "".join(parts)) == ("", '{"a": "' + "b" * 20 + '"}')


@pytest.mark.parametrize(
    ("finish", "openai_reason", "anthropic_reason"),
    [
        ("", "stop", "end_turn"),
        ("length", "length", "max_tokens"),
        ("max_tokens", "length", "max_tokens"),
        ("content_filter", "content_filter", "refusal"),
        ("refusal", "content_filter", "refusal"),
        ("none", None, None),
        ("something_new", "something_new", "something_new"),
    ],
)
def test_a_reason_to_finish_is_translated_into_the_format_that_was_asked_for(
    finish: str, openai_reason: str | None, anthropic_reason: str | None
) -> None:
    with StrictServer([reply("x", finish=finish)] * 2) as server:
        one = post(server, OPENAI, chat(OPENAI)).json["choices"][0]["finish_reason"]
        other = post(server, ANTHROPIC, chat(ANTHROPIC)).json["stop_reason"]
    assert (one, other) == (openai_reason, anthropic_reason)


def test_one_script_is_played_in_both_formats_and_every_request_reads_the_same() -> None:
    def look(request: KeptRequest) -> str:
        return f"{request.system}|{request.last_text}|{request.tool_names}"

    tool = {"name": "t", "parameters": {"type": "object"}}
    asked = {"type": "tool_use", "id": "1", "name": "t", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": [text("done")]}
    with StrictServer([look, look]) as server:
        one = post(
            server,
            OPENAI,
            chat(
                OPENAI,
                {"role": "system", "content": "S"},
                {"role": "user", "content": "do"},
                {"role": "assistant", "content": None, "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
                ]},
                {"role": "tool", "tool_call_id": "1", "content": "done"},
                tools=[{"type": "function", "function": tool}],
            ),
        )  # fmt: skip
        other = post(
            server,
            ANTHROPIC,
            chat(
                ANTHROPIC,
                user(text("do")),
                {"role": "assistant", "content": [asked]},
                user(result),
                system=[text("S")],
                tools=[{"name": "t", "input_schema": {"type": "object"}}],
            ),
        )
    assert said(one, OPENAI) == said(other, ANTHROPIC) == "S|done|['t']"
    assert [one.path for one in server.requests] == [OPENAI, ANTHROPIC]
    server.assert_used_up()


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (400, "invalid_request_error", "The script says 400."),
        (401, "authentication_error", "The script says 401."),
        (403, "permission_error", "The script says 403."),
        (404, "not_found_error", "The script says 404."),
        (413, "request_too_large", "The script says 413."),
        (429, "rate_limit_error", "The script says 429."),
        (500, "api_error", "The script says 500."),
        (529, "overloaded_error", "Overloaded"),
    ],
)
def test_a_fault_has_the_type_that_belongs_to_its_status(status: int, kind: str, message: str) -> None:
    with StrictServer([fault(status, retry_after=3)]) as server:
        answer = post(server, ANTHROPIC, chat(ANTHROPIC))
    assert (answer.status, answer.headers["retry-after"]) == (status, "3")
    assert answer.json == {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": answer.headers["request-id"],
    }


def usages(server: StrictServer, *requests: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Fresh, written and read tokens of each."""
    found = [post(server, ANTHROPIC, one).json["usage"] for one in requests]
    return [
        (one["input_tokens"], one["cache_creation_input_tokens"], one["cache_read_input_tokens"])
        for one in found
    ]


def test_without_a_mark_nothing_is_cached() -> None:
    with StrictServer(["a"] * 2) as server:
        first, second = usages(server, *[chat(ANTHROPIC, user(text("x" * 400)))] * 2)
    assert first == second
    assert first[1:] == (0, 0)
    assert 100 < first[0] < 120


def test_a_marked_beginning_is_written_once_and_read_by_the_next_request() -> None:
    marked = user(text("x" * 400, cache_control=MARK))
    longer = [marked, {"role": "assistant", "content": "ok"}, user(text("y" * 40, cache_control=MARK))]
    with StrictServer(["a"] * 3) as server:
        first, again, more = usages(
            server, chat(ANTHROPIC, marked), chat(ANTHROPIC, marked), chat(ANTHROPIC, *longer)
        )
    assert first[2] == 0
    assert again[1:] == (0, first[1])
    assert more[2] == first[1]
    assert 0 < more[1] < 50


def test_a_beginning_that_changed_is_not_read_from_the_cache() -> None:
    with StrictServer(["a"] * 2) as server:
        _, other = usages(
            server,
            chat(ANTHROPIC, user(text("x" * 400, cache_control=MARK)), system="S"),
            chat(ANTHROPIC, user(text("x" * 400, cache_control=MARK)), system="T"),
        )
    assert other[2] == 0
    assert other[1] > 100


def test_a_mark_looks_back_to_an_earlier_one_that_has_moved_on() -> None:
    def turn(count: int) -> dict[str, Any]:
        blocks = [text(f"{number:0100}") for number in range(count - 1)]
        return chat(ANTHROPIC, user(*blocks, text(f"{count - 1:0100}", cache_control=MARK)))

    with StrictServer(["a"] * 3) as server:
        near, far = usages(server, turn(2), turn(4))[1], usages(server, turn(40))[0]
    assert near[2] > 50
    assert far[2] == 0


def test_usage_can_be_written_into_the_script() -> None:
    given = {"prompt_tokens": 70, "completion_tokens": 3, "cached_tokens": 50}
    with StrictServer([reply("x", usage=given)]) as server:
        usage = post(server, ANTHROPIC, chat(ANTHROPIC)).json["usage"]
    assert usage == {
        "input_tokens": 20,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 50,
        "output_tokens": 3,
    }


def test_the_sdk_puts_a_stream_together_and_may_send_it_back() -> None:
    tools: Any = [{"name": name, "input_schema": {"type": "object"}} for name in ("t", "u")]
    asked: Any = [{"role": "user", "content": "hello"}]
    with (
        StrictServer([FULL, "done"], api_key="k") as server,
        anthropic.Anthropic(api_key="k", base_url=server.root_url, max_retries=0) as client,
    ):
        with client.messages.stream(model="m", max_tokens=100, messages=asked, tools=tools) as events:
            whole = events.get_final_message()
        calls = [block for block in whole.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": one.id, "content": "ok"} for one in calls]
        given_back: Any = [block.model_dump(exclude_none=True) for block in whole.content]
        asked += [{"role": "assistant", "content": given_back}, {"role": "user", "content": results}]
        end = client.messages.create(model="m", max_tokens=100, messages=asked, tools=tools)
    assert [(one.id, one.name, one.input) for one in calls] == [
        ("toolu_1_1", "t", {"a": "b" * 20}),
        ("mine", "u", {}),
    ]
    assert (whole.stop_reason, end.stop_reason) == ("tool_use", "end_turn")
    server.assert_used_up()


def test_the_models_are_listed_in_the_format_of_who_asks() -> None:
    with StrictServer(models=["a", "b"]) as server:
        one = post(server, "/v1/models", b"", method="GET").json
        other = post(server, "/v1/models", b"", method="GET", headers={
            "x-api-key": "k", "anthropic-version": "2023-06-01"
        }).json  # fmt: skip
    assert [row["object"] for row in one["data"]] == ["model", "model"]
    assert ([row["id"] for row in other["data"]], other["has_more"]) == (["a", "b"], False)
