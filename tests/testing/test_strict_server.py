"""The strict server plays its script, keeps what it was asked, and says what went otherwise."""

from __future__ import annotations

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from vibeos.testing import KeptRequest, Step, StrictServer, call, drop, fault, load_script, reply
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


def post(
    server: StrictServer, text: str = "hello", **more: Any
) -> tuple[int, dict[str, Any], dict[str, str]]:
    """One chat request by hand: status, parsed answer, headers."""
    body = {"model": "strict-model", "messages": [{"role": "user", "content": text}], **more}
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
    try:
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, json.loads(response.read()), headers
    finally:
        connection.close()


def said(answer: dict[str, Any]) -> Any:
    return answer["choices"][0]["message"]["content"]


def test_steps_are_played_in_their_order() -> None:
    with StrictServer(["one", reply("two"), lambda request: f"you said {request.last_text}"]) as server:
        answers = [said(post(server, text)[1]) for text in ("a", "b", "c")]
    assert answers == ["one", "two", "you said c"]
    server.assert_used_up()


def test_an_answer_has_the_real_shape() -> None:
    step = reply("Hi", calls=[call("t", {"a": "\u00e9"}), call("t", "{broken", "mine")], reasoning="because")
    with StrictServer([step]) as server:
        _, answer, headers = post(server)
    assert answer["object"] == "chat.completion"
    (choice,) = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] == {
        "role": "assistant",
        "content": "Hi",
        "refusal": None,
        "reasoning_content": "because",
        "tool_calls": [
            {"id": "call_1_1", "type": "function", "function": {"name": "t", "arguments": '{"a": "\u00e9"}'}},
            {"id": "mine", "type": "function", "function": {"name": "t", "arguments": "{broken"}},
        ],
    }
    assert headers["content-type"] == "application/json"


def test_call_ids_differ_between_answers() -> None:
    with StrictServer([reply(calls=[call("t")])] * 2) as server:
        made = [post(server)[1]["choices"][0]["message"]["tool_calls"][0]["id"] for _ in range(2)]
    assert len(set(made)) == 2


def test_usage_is_the_prompts_bytes_over_four_and_the_common_beginning_is_cached() -> None:
    first = [{"role": "user", "content": "x" * 400}]
    more = [*first, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "y" * 40}]
    with StrictServer(["ok"] * 3) as server:
        usages = [post(server, messages=messages)[1]["usage"] for messages in (first, more, first)]
    sizes = [one["prompt_tokens"] for one in usages]
    assert 100 <= sizes[0] < 120
    assert sizes[0] + 10 < sizes[1] < sizes[0] + 50
    assert sizes[2] == sizes[0]
    cached = [one["prompt_tokens_details"]["cached_tokens"] for one in usages]
    assert cached[0] == 0
    assert sizes[0] - 1 <= cached[1] <= sizes[0]
    assert cached[2] == cached[1]
    assert all(one["total_tokens"] == one["prompt_tokens"] + one["completion_tokens"] for one in usages)


def test_usage_can_be_written_into_the_script() -> None:
    given = {"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 5}
    with StrictServer([reply("x", usage=given)]) as server:
        usage = post(server)[1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (7, 3, 10)
    assert usage["prompt_tokens_details"]["cached_tokens"] == 5


def test_every_request_is_kept_as_it_came_the_refused_ones_too() -> None:
    tools = [{"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}}]
    with StrictServer(["ok", fault(503), drop()]) as server:
        post(
            server,
            "one",
            tools=tools,
            messages=[{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
        )
        post(server, "two", nonsense=1)
        post(server, "three")
        with pytest.raises(http.client.HTTPException):
            post(server, "four")
    assert [one.status for one in server.requests] == [200, 400, 503, 0]
    assert [one.number for one in server.requests] == [1, 2, 3, 4]
    first, second, *_ = server.requests
    assert (first.method, first.path, first.headers["content-type"]) == (
        "POST",
        "/v1/chat/completions",
        "application/json",
    )
    assert json.loads(first.raw) == first.body
    assert (first.system, first.last_text, first.tool_names) == ("S", "U", ["t"])
    assert (second.system, second.last_text, second.tool_names) == ("", "two", [])
    assert [one.param for one in server.refusals] == [None]


def test_a_request_that_is_refused_uses_up_no_step() -> None:
    with StrictServer(["ok"]) as server:
        assert post(server, nonsense=1)[0] == 400
        assert said(post(server)[1]) == "ok"
    server.assert_used_up()


def test_an_unused_step_fails_the_test_and_is_named() -> None:
    with StrictServer(["one", reply("two", calls=[call("memory")])]) as server:
        post(server)
    with pytest.raises(AssertionError, match=r"step 2 was not used: .*two.*memory"):
        server.assert_used_up()


def test_a_request_behind_the_last_step_fails_and_is_named() -> None:
    with StrictServer(["one"]) as server:
        post(server)
        status, answer, headers = post(server, "one too many")
    assert status == 500
    assert "request 2 came after the script's last step (1): 'one too many'" in answer["error"]["message"]
    assert headers["x-should-retry"] == "false"
    with pytest.raises(AssertionError, match="request 2 came after"):
        server.assert_used_up()


def asks_for_tea(request: KeptRequest) -> bool:
    return "tea" in request.last_text


@pytest.mark.parametrize("expect", ["tea", asks_for_tea])
def test_a_step_that_expects_something_else_is_not_used_up(
    expect: str | Callable[[KeptRequest], bool],
) -> None:
    with StrictServer([reply("Here.", expect=expect)]) as server:
        status, answer, _ = post(server, "coffee please")
        assert status == 500
        assert "but request 1 ended with 'coffee please'" in answer["error"]["message"]
        assert said(post(server, "tea please")[1]) == "Here."
    with pytest.raises(AssertionError, match="step 1 expected"):
        server.assert_used_up()


def test_an_assertion_inside_a_step_reaches_the_test() -> None:
    def look(request: KeptRequest) -> str:
        assert request.last_text == "tea", "nobody asked for tea"
        return "never"

    with StrictServer([look]) as server:
        assert post(server)[0] == 500
    with pytest.raises(AssertionError, match="nobody asked for tea"):
        server.assert_used_up()


def test_a_mistake_inside_a_step_reaches_the_test() -> None:
    def broken(request: KeptRequest) -> str:
        return str(1 // (request.number - 1))

    with StrictServer([broken]) as server, pytest.raises(http.client.HTTPException):
        post(server)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        server.assert_used_up()


def test_a_step_may_make_any_other_step_but_a_function() -> None:
    with StrictServer([lambda _: fault(418, "teapot"), lambda _: Step(lambda _: "too deep")]) as server:
        assert post(server)[0] == 418
        assert post(server)[0] == 500
    assert any("made another function" in one for one in server.script.problems)


def test_a_fault_has_the_real_shape_or_any_bytes_at_all() -> None:
    script = [
        fault(429, "slow", code="rate_limit_exceeded", kind="tokens", headers={"Retry-After": "3"}),
        fault(502),
        fault(200, body='{"any": "thing"}', headers={"Content-Type": "text/plain"}),
    ]
    with StrictServer(script) as server:
        limited, broken, other = (post(server) for _ in script)
    assert limited[:2] == (
        429,
        {"error": {"message": "slow", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}},
    )
    assert limited[2]["retry-after"] == "3"
    assert (broken[0], broken[1]["error"]["type"]) == (502, "server_error")
    assert (other[0], other[1], other[2]["content-type"]) == (200, {"any": "thing"}, "text/plain")


def test_a_connection_can_break_at_once_or_in_the_middle() -> None:
    with StrictServer([drop(), drop(midway=True), "whole"]) as server:
        with pytest.raises(http.client.RemoteDisconnected):
            post(server)
        with pytest.raises(http.client.IncompleteRead):
            post(server)
        assert said(post(server)[1]) == "whole"


def test_an_answer_can_take_its_time() -> None:
    with StrictServer([reply("late", delay=0.1)]) as server:
        begun = time.monotonic()
        post(server)
        assert time.monotonic() - begun >= 0.1


def test_stopping_waits_for_nobody() -> None:
    began = threading.Event()

    def slow(_: KeptRequest) -> Step:
        began.set()
        return reply("never", delay=60)

    with ThreadPoolExecutor() as pool:
        with StrictServer([slow]) as server:
            idle = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
            idle.request("GET", "/v1/models")
            idle.getresponse().read()
            waiting = pool.submit(post, server)
            assert began.wait(10)
            begun = time.monotonic()
        assert time.monotonic() - begun < 5
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            waiting.result(10)
        idle.close()


def test_stopping_twice_or_before_starting_is_no_fault() -> None:
    server = StrictServer()
    server.stop()
    server.start()
    server.stop()
    server.stop()
    assert server.requests == []


def test_many_requests_at_once_each_get_a_step_of_their_own() -> None:
    with StrictServer([str(number) for number in range(40)]) as server, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: said(post(server, str(text))[1]), range(40)))
    assert sorted(answers, key=int) == [str(number) for number in range(40)]
    assert [one.number for one in server.requests] == list(range(1, 41))
    server.assert_used_up()


def test_one_connection_serves_many_requests() -> None:
    with StrictServer(["a", "b"]) as server:
        connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x"}]})
        answers = []
        for _ in range(2):
            connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            answers.append(said(json.loads(connection.getresponse().read())))
        connection.close()
    assert answers == ["a", "b"]


def test_a_request_without_a_length_is_refused() -> None:
    with StrictServer() as server:
        connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
        connection.request(
            "POST", "/v1/chat/completions", iter([b"{}"]), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        assert (response.status, b"Content-Length" in response.read()) == (411, True)
        connection.close()


def test_steps_can_be_added_while_it_runs() -> None:
    with StrictServer() as server:
        server.extend(["one", reply("two")])
        assert [said(post(server)[1]) for _ in range(2)] == ["one", "two"]
    server.assert_used_up()


SCRIPT: list[Any] = [
    "plain",
    {"reply": "short", "expect": "hello"},
    {
        "reply": {
            "text": "t",
            "calls": [{"name": "memory", "arguments": {"a": 1}, "call_id": "c"}],
            "finish": "length",
        }
    },
    {"reply": {"calls": [{"name": "x"}], "reasoning": "r", "usage": {"prompt_tokens": 1}}, "delay": 0.5},
    {"fault": {"status": 429, "message": "m", "code": "c", "headers": {"retry-after": "1"}}},
    {"drop": True},
    {"drop": "midway"},
]


@pytest.mark.parametrize("wrapped", [SCRIPT, {"steps": SCRIPT}])
def test_a_script_in_json_means_what_the_functions_mean(wrapped: Any) -> None:
    assert load_script(json.dumps(wrapped)) == [
        reply("plain"),
        reply("short", expect="hello"),
        reply("t", calls=[call("memory", {"a": 1}, "c")], finish="length"),
        reply("", calls=[call("x")], reasoning="r", usage={"prompt_tokens": 1}, delay=0.5),
        fault(429, "m", code="c", headers={"retry-after": "1"}),
        drop(),
        drop(midway=True),
    ]


@pytest.mark.parametrize(
    ("text", "fault_text"),
    [
        ("nonsense", "it is not JSON"),
        ("{}", "neither a list of steps"),
        ("[5]", "step 1 is neither text nor an object"),
        ('["a", {}]', "step 2 needs one of"),
        ('[{"reply": "a", "fault": {"status": 1}}]', "step 1 needs one of"),
        ('[{"reply": {"words": "a"}}]', "step 1: .*words"),
        ('[{"reply": {"calls": [{}]}}]', "step 1: .*name"),
        ('[{"fault": {}}]', "step 1: .*status"),
    ],
)
def test_a_script_that_cannot_be_played_says_where(text: str, fault_text: str) -> None:
    with pytest.raises(ConfigError, match=fault_text):
        load_script(text)
