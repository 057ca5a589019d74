"""What a server may send: how much, in which encodings."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from typing import Any

import httpx2
import pytest

from models.asking import ask_model, model_at
from models.loopback import EVENTS, Loopback, chunk, events, http
from vibeos.ports.models import exchange as exchange_module
from vibeos.ports.models import parse_route
from vibeos.ports.models.http_client import STREAM_FACTOR, open_http_client
from vibeos.ports.models.patience import Patience
from vibeos.values.errors import ModelRequestError, ModelUnavailableError

MOST = 10_000


def _get(server: Loopback, *, most_bytes: int = MOST) -> bytes:
    async def get() -> bytes:
        route = parse_route("openai:m", base_url=server.base_url)
        async with open_http_client(route, Patience(), most_bytes=most_bytes) as client:
            return (await client.get(server.base_url)).content

    return asyncio.run(get())


@pytest.mark.parametrize("size", [0, 1, MOST])
def test_an_answer_up_to_the_limit_is_read(size: int) -> None:
    with Loopback(http(b"x" * size)) as server:
        assert _get(server) == b"x" * size


def test_a_longer_answer_is_refused_with_the_limit() -> None:
    with (
        Loopback(http(b"x" * (MOST + 1))) as server,
        pytest.raises(ModelRequestError, match="sent more than 0 MiB as one answer") as caught,
    ):
        _get(server)
    assert not isinstance(caught.value, ModelUnavailableError)
    assert "model.base_url" in caught.value.remedy


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_the_limit_counts_what_was_decoded(encoding: str, pack: Any) -> None:
    small, large = b"x" * MOST, b"x" * (MOST + 1)
    with Loopback(
        http(pack(small), content_encoding=encoding), http(pack(large), content_encoding=encoding)
    ) as server:
        assert _get(server) == small
        with pytest.raises(ModelRequestError, match="sent more than"):
            _get(server)


def test_an_encoding_without_a_bound_is_not_decoded() -> None:
    with (
        Loopback(http(b"x", content_encoding="zstd")) as server,
        pytest.raises(ModelRequestError, match="'zstd'"),
    ):
        _get(server)


def test_no_encoding_is_asked_for() -> None:
    with Loopback(http(b"{}")) as server:
        _get(server)
    assert b"accept-encoding: identity\r\n" in server.requests[0].lower()


def test_a_stream_may_be_longer_than_one_answer_but_not_without_end() -> None:
    line = b"x" * 99 + b"\n"
    within, beyond = line * (MOST * STREAM_FACTOR // 100), line * (MOST * STREAM_FACTOR // 100 + 1)
    with Loopback(http(within, kind=EVENTS), http(beyond, kind=EVENTS)) as server:
        assert _get(server) == within
        with pytest.raises(ModelRequestError, match="sent more than"):
            _get(server)


def test_one_event_of_a_stream_is_no_longer_than_an_answer() -> None:
    with (
        Loopback(http(b"data: " + b"x" * MOST, kind=EVENTS)) as server,
        pytest.raises(ModelRequestError, match="sent more than"),
    ):
        _get(server)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_model_that_is_asked_says_so_too(
    provider: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "vibeos.ports.models.http_client.open_http_client.__kwdefaults__", {"most_bytes": MOST}
    )
    body = json.dumps({"error": {"message": "x" * MOST}})
    with (
        Loopback(http(body, status=status)) as server,
        pytest.raises(ModelRequestError, match="sent more than"),
    ):
        ask_model(model_at(server.base_url, provider=provider))


def test_the_pieces_of_an_answer_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_module, "MOST_BYTES", 100)
    call = [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "x" * 30}}]
    for delta in ({"content": "x" * 30}, {"reasoning_content": "x" * 30}, {"tool_calls": call}):
        stream = events(*[chunk(**delta)] * 5, chunk(finish="stop"))
        with (
            Loopback(http(stream, kind=EVENTS)) as server,
            pytest.raises(ModelRequestError, match="sent more than"),
        ):
            ask_model(model_at(server.base_url))


def test_certificates_that_cannot_be_read_are_told_with_the_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://:::")
    with pytest.raises(ModelRequestError, match=r"api\.example\.com/v1 cannot be asked") as caught:
        open_http_client(parse_route("openai:m", base_url="https://api.example.com/v1"), Patience())
    assert "HTTPS_PROXY" in caught.value.remedy


def test_a_body_can_be_read_on_where_it_was_left() -> None:
    async def read() -> tuple[bytes, bytes]:
        route = parse_route("openai:m", base_url=server.base_url)
        async with (
            open_http_client(route, Patience()) as client,
            client.stream("GET", server.base_url) as response,
        ):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            raw = response.aiter_raw()  # kept: one that is forgotten closes what it was reading
            first = await anext(raw)
            return first, b"".join([one async for one in response.stream])

    body = b"y" * 300_000
    with Loopback(http(body)) as server:
        first, rest = asyncio.run(read())
    assert first + rest == body
    assert first
    assert rest
