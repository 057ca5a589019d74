"""The one layer of retries: what is asked again, how often, after how long, and what the listener is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from models.asking import Heard, Slept, ask_model, ask_server, model_at
from vibeos.ports.models import NetworkModel, Patience, Request, Retrying, parse_route, user_request
from vibeos.testing import StrictServer, broken, drop, fault, reply, stream_error, unfinished
from vibeos.values.errors import ModelRequestError, ModelUnavailableError, StreamBrokenError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.testing import Step

BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])
PASSING: list[tuple[str, Callable[[], Step]]] = [
    *(
        (f"status {status}", lambda status=status: fault(status, "busy"))
        for status in (408, 409, 429, 500, 502, 503, 529)
    ),
    ("no answer", drop),
    ("half an answer", lambda: drop(midway=True)),
    ("a cut stream", lambda: broken("this answer breaks off")),
    ("a stream without an end", lambda: unfinished("this answer has no end")),
    ("an error in a stream", lambda: stream_error(status=529, kind="overloaded_error", after=2)),
]


@BOTH
@pytest.mark.parametrize(("name", "step"), PASSING, ids=[name for name, _ in PASSING])
def test_what_may_pass_is_asked_again_with_the_same_bytes(
    name: str, step: Callable[[], Step], provider: str
) -> None:
    heard, slept = Heard(), Slept()
    with StrictServer([step(), step(), reply("here")]) as server:
        got = ask_server(server, provider=provider, retries=2, listener=heard, sleep=slept)
    server.assert_used_up()
    assert got.text == heard.text == "here"
    assert len({one.raw for one in server.requests}) == 1
    assert len(heard.restarts) == len(slept.waits) == 2
    assert all("asking again in" in reason for reason in heard.restarts)


STAYING = [
    fault(400, "no"),
    fault(401, "wrong key"),
    fault(403, "not allowed"),
    fault(404, "no such model"),
    fault(413, "too large"),
    fault(422, "no"),
    fault(402, "no credit"),
    fault(429, "quota", code="insufficient_quota", kind="billing_error"),
    fault(503, "do not come back", headers={"x-should-retry": "false"}),
    fault(200, body="<html>", headers={"content-type": "text/html"}),
]


@BOTH
@pytest.mark.parametrize("step", STAYING)
def test_what_would_fail_again_is_asked_once(step: Step, provider: str) -> None:
    heard = Heard()
    with StrictServer([step, reply("never")]) as server, pytest.raises(ModelRequestError) as caught:
        ask_server(server, provider=provider, retries=3, listener=heard)
    assert not isinstance(caught.value, ModelUnavailableError)
    assert len(server.requests) == 1
    assert heard.restarts == []


def test_a_provider_that_says_so_is_asked_again_also_after_a_refusal() -> None:
    with StrictServer([fault(400, "just now", headers={"x-should-retry": "true"}), reply("here")]) as server:
        assert ask_server(server, retries=1).text == "here"


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_the_patience_has_an_end_and_the_last_error_is_told(retries: int) -> None:
    slept = Slept()
    steps = [fault(503, f"busy {number}") for number in range(retries + 1)]
    with StrictServer(steps) as server, pytest.raises(ModelUnavailableError, match=f"busy {retries}"):
        ask_server(server, retries=retries, sleep=slept)
    assert len(server.requests) == retries + 1
    assert len(slept.waits) == retries


def test_the_waits_double_and_are_spread_downwards() -> None:
    def waits(chance: float) -> list[float]:
        slept, patience = Slept(), Patience(retries=8)
        with StrictServer([fault(500)] * 9) as server:
            model = NetworkModel(parse_route("openai:m", base_url=server.base_url), "", patience=patience)
            with pytest.raises(ModelUnavailableError):
                ask_model(Retrying(model, patience=patience, sleep=slept, chance=lambda: chance))
        return slept.waits

    assert waits(1) == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert waits(0) == [0.75 * wait for wait in waits(1)]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({"retry-after": "0"}, 0.0)],
)
def test_the_wait_that_a_provider_asks_for_is_kept(headers: dict[str, str], wait: float) -> None:
    heard, slept = Heard(), Slept()
    with StrictServer([fault(429, "slow down", headers=headers), reply("here")]) as server:
        ask_server(server, retries=1, listener=heard, sleep=slept)
    assert slept.waits == [wait]
    assert f"asking again in {wait:.1f} s" in heard.restarts[0]


def test_a_wait_that_no_person_would_sit_out_is_told_instead() -> None:
    slept = Slept()
    limited = fault(429, "come back tomorrow", headers={"retry-after": "3600"})
    with StrictServer([limited]) as server, pytest.raises(ModelUnavailableError) as caught:
        ask_server(server, retries=4, sleep=slept)
    assert slept.waits == []
    assert caught.value.retry_after == 3600
    assert "HTTP 429; it asks to wait 3600 s" in caught.value.message
    assert "Wait a little" in caught.value.remedy


def test_what_was_heard_of_a_broken_answer_is_taken_back_before_the_next_one() -> None:
    told: list[str] = []

    class Telling(Heard):
        def wrote(self, piece: str) -> None:
            told.append(piece)

        def starts_again(self, reason: str) -> None:
            told.append(f"<{reason.partition(' ')[2].partition(';')[0]}>")

    with StrictServer([broken("this answer breaks off", after=3), reply("whole")]) as server:
        ask_server(server, retries=1, listener=Telling())
    restart = next(index for index, one in enumerate(told) if one.startswith("<closed the connection"))
    assert restart > 0
    assert "".join(told[restart + 1 :]) == "whole"


def test_a_server_that_comes_back_is_found_again() -> None:
    slept = Slept()
    with StrictServer() as gone:
        address, port = gone.base_url, int(gone.base_url.split(":")[2].partition("/")[0])
    with pytest.raises(ModelUnavailableError, match="Nothing answers"):
        ask_model(model_at(address, retries=2, sleep=slept))
    assert len(slept.waits) == 2
    with StrictServer([reply("back")], port=port):
        assert ask_model(model_at(address, retries=2)).text == "back"


def test_an_answer_that_keeps_breaking_off_stays_an_error_of_its_own() -> None:
    with StrictServer([broken("a b c")] * 2) as server, pytest.raises(StreamBrokenError):
        ask_server(server, retries=1)


def test_cancelling_ends_a_wait_at_once() -> None:
    with StrictServer([fault(500)]) as server:
        patience = Patience(retries=3)
        model = NetworkModel(parse_route("openai:m", base_url=server.base_url), "", patience=patience)

        async def cancel() -> None:
            waits = asyncio.Event()

            async def sleep(seconds: float) -> None:
                waits.set()
                await asyncio.sleep(600)

            asked = Retrying(model, patience=patience, sleep=sleep)
            task = asyncio.create_task(asked.ask(Request("", (), [user_request("x")])))
            await waits.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asked.close()

        asyncio.run(cancel())
    assert len(server.requests) == 1


def test_the_route_of_the_model_is_its_own() -> None:
    model: Any = NetworkModel(parse_route("openai:m", context_window=9_000), "key")
    assert Retrying(model).route is model.route
