"""Answers that come piece by piece, and how they end or do not."""

from __future__ import annotations

import asyncio
import json
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.asking import MEMORY, Heard, ask_model, ask_server, model_at
from models.loopback import EVENTS, Loopback, chunk, events, http, message_events, named_events, until_closed
from vibeos.ports.models import (
    Finish,
    NetworkModel,
    Request,
    Usage,
    dump_response,
    load_response,
    parse_route,
    user_request,
)
from vibeos.testing import (
    StrictServer,
    broken,
    call,
    drop,
    half_call,
    reply,
    stalled,
    stream_error,
    unfinished,
)
from vibeos.values.errors import (
    ContextOverflowError,
    ModelRequestError,
    ModelUnavailableError,
    StreamBrokenError,
)

if TYPE_CHECKING:
    from vibeos.ports.models import Reply

DONE = b"[DONE]"
ODD = "\u041f\u0440\u0438\u0432\u0435\u0442 \u65e5\u672c\u8a9e \U0001f600\n\n<b> \u200d end "
BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@BOTH
def test_the_pieces_are_the_text_and_more_than_one(provider: str) -> None:
    heard = Heard()
    with StrictServer([reply(ODD * 20, reasoning="hm", calls=[call("memory")])]) as server:
        got = ask_server(server, provider=provider, tools=[MEMORY], listener=heard)
    assert heard.text == got.text == ODD * 20
    assert len(heard.pieces) > 1
    assert heard.restarts == []


def test_a_piece_is_heard_before_the_next_one_is_sent() -> None:
    seen = Event()

    class Waiting(Heard):
        def wrote(self, piece: str) -> None:
            super().wrote(piece)
            seen.set()

    first, rest = events(chunk("one ")), events(chunk("two"), chunk(finish="stop"), DONE)
    with Loopback([until_closed(first), seen, rest]) as server:
        listener = Waiting()
        assert ask_model(model_at(server.base_url), listener=listener).text == "one two"
    assert listener.pieces[0] == "one "
    assert not server.hung_up.is_set()


def test_thinking_is_not_heard() -> None:
    heard = Heard()
    script = [reply("said", reasoning="thought")]
    with StrictServer(script) as server:
        ask_server(server, listener=heard)
    assert heard.text == "said"


def test_texts_around_thinking_stand_in_paragraphs_in_the_pieces_as_in_the_whole() -> None:
    heard = Heard()
    stream = events(chunk("one"), chunk(reasoning_content="hm"), chunk("two"), chunk(finish="stop"), DONE)
    with Loopback(until_closed(stream)) as server:
        got = ask_model(model_at(server.base_url), listener=heard)
    assert heard.text == got.text == "one\n\ntwo"


@BOTH
@pytest.mark.parametrize(
    ("step", "finish"),
    [
        (reply("done"), Finish.FINISHED),
        (reply("half a sen", finish="length"), Finish.TRUNCATED),
        (half_call("memory", '{"text": "abcdef"}'), Finish.TRUNCATED),
        (reply("", finish="length"), Finish.TRUNCATED),
        (reply("", finish="content_filter"), Finish.FILTERED),
        (reply("I can", finish="content_filter"), Finish.FILTERED),
        (reply(calls=[call("memory")]), Finish.TOOL_CALLS),
        (reply(""), Finish.EMPTY),
        (reply("\n"), Finish.EMPTY),
        (reply("", reasoning="hm"), Finish.EMPTY),
    ],
)
def test_why_an_answer_ended_is_told_apart_in_each_format(step: Any, finish: Finish, provider: str) -> None:
    with StrictServer([step]) as server:
        assert ask_server(server, provider=provider, tools=[MEMORY]).finish is finish


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("model_context_window_exceeded", Finish.TRUNCATED),
        ("refusal", Finish.FILTERED),
        ("stop_sequence", Finish.FINISHED),
        ("pause_turn", Finish.FINISHED),
        ("a_reason_of_tomorrow", Finish.FINISHED),
    ],
)
def test_reasons_of_anthropic_that_others_do_not_have(stop: str, finish: Finish) -> None:
    stream = named_events(message_events({"type": "text", "text": "so far"}, stop=stop))
    with Loopback(http(stream, kind=EVENTS)) as server:
        got = ask_model(model_at(server.base_url, provider="anthropic"))
    assert (got.text, got.finish) == ("so far", finish)


@BOTH
def test_half_a_call_at_the_end_of_a_cut_answer_is_kept_as_it_came(provider: str) -> None:
    with StrictServer([half_call("memory", '{"text": "abcdef"}', "id1", text="I keep it.")]) as server:
        got = ask_server(server, provider=provider, tools=[MEMORY])
    (made,) = got.calls
    assert (made.name, made.arguments, made.parsed()) == ("memory", '{"text": ', None)
    assert load_response(dump_response(got.response)).parts == got.response.parts


def test_a_refusal_in_pieces_counts_as_filtered() -> None:
    stream = events(chunk(refusal="I will "), chunk(refusal="not."), chunk(finish="stop"), DONE)
    with Loopback(until_closed(stream)) as server:
        assert ask_model(model_at(server.base_url)).finish is Finish.FILTERED


@BOTH
@pytest.mark.parametrize(
    "step",
    [
        broken("this answer breaks off"),
        broken(reply("", calls=[call("memory", {"text": "a long text"})])),
        unfinished("this answer has no end"),
        unfinished("nothing came", after=0),
        unfinished(reply(calls=[call("memory", {"text": "a"})])),
        drop(midway=True),
    ],
    ids=["cut", "cut in a call", "no end", "nothing", "no end of a call", "dropped"],
)
def test_an_answer_that_breaks_off_is_an_error_of_its_own(step: Any, provider: str) -> None:
    with (
        StrictServer([step]) as server,
        pytest.raises(
            StreamBrokenError, match="closed the connection before its answer was complete"
        ) as caught,
    ):
        ask_server(server, provider=provider, tools=[MEMORY])
    assert server.base_url.removesuffix("/v1") in caught.value.message
    assert caught.value.remedy == "Try again."


def test_a_stream_cut_in_the_middle_of_an_event_is_broken_off_too() -> None:
    stream = events(chunk("so ")) + b'data: {"id": "x", "choices": [{"del'
    with Loopback(until_closed(stream)) as server, pytest.raises(StreamBrokenError):
        ask_model(model_at(server.base_url))


def test_an_anthropic_stream_without_its_last_two_events_is_broken_off() -> None:
    whole = message_events({"type": "text", "text": "so far"})
    with Loopback(http(named_events(whole[:-2]), kind=EVENTS)) as server, pytest.raises(StreamBrokenError):
        ask_model(model_at(server.base_url, provider="anthropic"))


@pytest.mark.parametrize(
    ("stream", "finish"),
    [
        (events(chunk("all"), chunk(finish="stop")), Finish.FINISHED),
        (events(chunk("all"), DONE), Finish.FINISHED),
        (events(chunk("all"), chunk(finish="eos")), Finish.FINISHED),
        (events(chunk("all"), chunk(finish="length")), Finish.TRUNCATED),
    ],
    ids=["reason without mark", "mark without reason", "unknown reason", "length"],
)
def test_one_sign_of_the_end_is_enough(stream: bytes, finish: Finish) -> None:
    with Loopback(until_closed(stream)) as server:
        got = ask_model(model_at(server.base_url))
    assert (got.text, got.finish) == ("all", finish)


def test_a_server_that_does_not_stream_is_understood() -> None:
    message = {"role": "assistant", "content": "whole", "tool_calls": [_tool_call()]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
    heard = Heard()
    with Loopback(http(json.dumps(body))) as server:
        got = ask_model(model_at(server.base_url), tools=[MEMORY], listener=heard)
    assert (got.text, got.finish, got.usage) == ("whole", Finish.TOOL_CALLS, Usage(9, 3, 0))
    assert heard.text == "whole"


def _tool_call() -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": "memory", "arguments": "{}"}}


@pytest.mark.parametrize("kind", ["application/json", "text/plain; charset=utf-8", ""])
def test_a_stream_under_another_name_is_understood(kind: str) -> None:
    stream = events(chunk("one "), chunk("two"), chunk(finish="stop"), DONE)
    with Loopback(until_closed(stream, kind=kind)) as server:
        assert ask_model(model_at(server.base_url)).text == "one two"


@pytest.mark.parametrize("kind", ["application/json", ""])
def test_a_broken_stream_under_another_name_is_broken_off_too(kind: str) -> None:
    with Loopback(until_closed(events(chunk("one ")), kind=kind)) as server, pytest.raises(StreamBrokenError):
        ask_model(model_at(server.base_url))


@BOTH
def test_an_error_inside_a_stream_has_the_status_that_it_would_have_had_before(provider: str) -> None:
    steps = [stream_error(status=529, message="Overloaded", kind="overloaded_error", after=2)]
    with StrictServer(steps) as server, pytest.raises(ModelUnavailableError, match="Overloaded"):
        ask_server(server, provider=provider)


def test_an_error_of_an_unknown_kind_inside_a_stream_may_pass() -> None:
    stream = events(chunk("so"), {"error": {"message": "the model has crashed"}})
    with Loopback(until_closed(stream)) as server, pytest.raises(ModelUnavailableError, match="has crashed"):
        ask_model(model_at(server.base_url))


def test_a_wrong_key_that_is_told_inside_a_stream_stays_wrong() -> None:
    stream = events({"error": {"message": "no such key", "code": 401}})
    with (
        Loopback(until_closed(stream)) as server,
        pytest.raises(ModelRequestError, match="refused the key") as caught,
    ):
        ask_model(model_at(server.base_url))
    assert not isinstance(caught.value, ModelUnavailableError)


def test_an_error_line_of_an_older_llama_server_is_read() -> None:
    said = {"code": 400, "message": "the request exceeds the available context size. try increasing it"}
    stream = b"error: " + json.dumps(said).encode() + b"\n\n"
    with Loopback(until_closed(stream)) as server, pytest.raises(ContextOverflowError):
        ask_model(model_at(server.base_url))


def test_what_a_listener_raises_is_not_taken_for_a_fault_of_the_model() -> None:
    class Failing(Heard):
        def wrote(self, piece: str) -> None:
            raise ValueError(piece)

    with StrictServer([reply("boom")]) as server, pytest.raises(ValueError, match="b"):
        ask_server(server, listener=Failing())


@BOTH
def test_a_model_is_asked_in_one_event_loop_after_another_without_being_closed(provider: str) -> None:
    with StrictServer([reply("one"), reply("two")]) as server:
        model = NetworkModel(parse_route(f"{provider}:strict-model", base_url=server.base_url), "")
        request = Request("", (), [user_request("x")])
        assert [asyncio.run(model.ask(request)).text for _ in range(2)] == ["one", "two"]


def test_what_belonged_to_a_loop_goes_with_it() -> None:
    with StrictServer([reply("one"), reply("two")]) as server:
        model = NetworkModel(parse_route("openai:strict-model", base_url=server.base_url), "")
        request = Request("", (), [user_request("x")])

        async def ask_and_count() -> int:
            await model.ask(request)
            return len(model._dialects._lives)

        assert [asyncio.run(ask_and_count()) for _ in range(2)] == [1, 1]
    assert len(model._dialects._lives) == 0


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_remarks_of_the_libraries_on_old_models_and_odd_answers_are_not_shown(provider: str) -> None:
    whole = message_events({"type": "text", "text": "hello"})
    del whole[0]["message"]["usage"]["input_tokens"]
    odd = [
        chunk(reasoning=["no", "text"]),
        {**chunk("hello"), "usage": {"prompt_tokens": "many"}},
        chunk(finish="stop"),
    ]
    stream = named_events(whole) if provider == "anthropic" else events(*odd)
    with Loopback(until_closed(stream)) as server, catch_warnings(record=True) as shown:
        simplefilter("always")
        model = model_at(server.base_url, provider=provider, model="claude-sonnet-4-5")
        assert ask_model(model).text == "hello"
    assert [str(one.message) for one in shown] == []


def test_a_model_is_asked_from_several_threads_at_the_same_time() -> None:
    with StrictServer([reply("ok", delay=0.05)] * 4) as server:
        model = NetworkModel(parse_route("openai:strict-model", base_url=server.base_url), "")
        got: list[str] = []
        request = Request("", (), [user_request("x")])
        threads = [Thread(target=lambda: got.append(asyncio.run(model.ask(request)).text)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == ["ok"] * 4


def test_a_connection_is_kept_for_the_next_request_and_opened_again_after_closing() -> None:
    whole = http(events(chunk("ok"), chunk(finish="stop"), DONE), kind=EVENTS)
    request = Request("", (), [user_request("x")])
    with Loopback(*[whole] * 3) as server:
        model = NetworkModel(parse_route("openai:m", base_url=server.base_url), "")

        async def ask_thrice() -> list[int]:
            counts = []
            for number in range(3):
                if number == 2:
                    await model.close()
                await model.ask(request)
                counts.append(server.connections)
            await model.close()
            return counts

        assert asyncio.run(ask_thrice()) == [1, 1, 2]


@BOTH
def test_cancelling_ends_the_request_at_once(provider: str) -> None:
    class Alert(Heard):
        def __init__(self) -> None:
            super().__init__()
            self.something = asyncio.Event()

        def wrote(self, piece: str) -> None:
            super().wrote(piece)
            self.something.set()

    heard = Alert()
    never, whole = Event(), message_events({"type": "text", "text": "so"})
    first = named_events(whole[:3]) if provider == "anthropic" else events(chunk("so"))
    with Loopback([until_closed(first), never]) as server:
        model = model_at(server.base_url, provider=provider, retries=3)

        async def cancel() -> None:
            task = asyncio.create_task(model.ask(Request("", (), [user_request("x")]), heard))
            await asyncio.wait_for(heard.something.wait(), 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(server.hung_up.wait, 5)
            await model.close()

        asyncio.run(cancel())
    assert len(server.requests) == 1
    assert heard.restarts == []


def test_silence_in_the_middle_of_an_answer_is_not_waited_out() -> None:
    with (
        StrictServer([stalled("one two three four", pause=5)]) as server,
        pytest.raises(ModelUnavailableError, match="did not answer in time"),
    ):
        ask_server(server, answer=0.2)


ends = st.sampled_from([b"", b"data: [DONE]\n\n", b"data: {", b"event: error\ndata: {}\n\n", b"error: {\n\n"])
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**30),
    st.floats(),
    st.sampled_from(["", "x", "\ud800", "stop"]),
)
nodes = st.recursive(leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("a"), inner))


@st.composite
def damaged_streams(draw: st.DrawFn, whole: list[dict[str, Any]]) -> bytes:
    """A stream in which some value has another form, an event is missing, or stands twice."""
    datas = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(0, 2))):
        number = draw(st.integers(0, len(datas) - 1))
        match draw(st.sampled_from(["damage", "damage", "drop", "repeat"])):
            case "drop":
                del datas[number]
            case "repeat":
                datas.insert(number, datas[number])
            case _:
                _damage(draw, datas[number])
        if not datas:
            break
    return named_events(datas) if "type" in whole[0] else events(*datas)


def _damage(draw: st.DrawFn, node: Any) -> None:
    depth = draw(st.integers(0, 4))
    while isinstance(node, (dict, list)) and node:
        key = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        inner = node[key]
        if depth == 0 or not isinstance(inner, (dict, list)) or not inner:
            if key != "type":
                node[key] = draw(nodes)
            return
        node, depth = inner, depth - 1


OPENAI_STREAM = [
    chunk(role="assistant", content=""),
    chunk(reasoning_content="hm"),
    chunk("he"),
    chunk("llo"),
    chunk(tool_calls=[{"index": 0, **_tool_call()}]),
    chunk(finish="tool_calls"),
    {**chunk(), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
]
ANTHROPIC_STREAM = message_events(
    {"type": "thinking", "thinking": "hm", "signature": "s"},
    {"type": "text", "text": "hello"},
    {"type": "tool_use", "id": "c", "name": "memory", "input": "{}"},
    stop="tool_use",
)


@BOTH
def test_whatever_a_stream_brings_is_a_reply_that_can_be_stored_or_one_kind_of_error(provider: str) -> None:
    whole = OPENAI_STREAM if provider == "openai" else ANTHROPIC_STREAM
    outcomes = set()

    @settings(max_examples=120, deadline=None)
    @given(damaged_streams(whole), ends)
    def survive(stream: bytes, end: bytes) -> None:
        with Loopback(until_closed(stream + end)) as server:
            try:
                got: Reply = ask_model(model_at(server.base_url, provider=provider), tools=[MEMORY])
            except ModelRequestError:
                outcomes.add("error")
            else:
                assert load_response(dump_response(got.response)).parts == got.response.parts
                outcomes.add("reply")

    survive()
    assert outcomes == {"error", "reply"}
