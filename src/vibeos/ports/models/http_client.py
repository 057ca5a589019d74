"""The HTTP client that a model's route is asked through.

What leaves this machine goes to the route's address only: redirects are not followed, a proxy never stands before a
server on this machine, and never sees a key in the clear. An answer is read up to a limit, counted after decoding, so
that no server can fill the memory: one event of a stream as much as a whole answer, and a stream as many times that as
the wrapping of its pieces weighs more than they do.
"""

from __future__ import annotations

from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2
from pydantic_core import to_json

from vibeos.ports.models.kept import Kept
from vibeos.values.errors import ModelRequestError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from vibeos.ports.models.patience import Patience
    from vibeos.ports.models.route import Route

MOST_BYTES = 32 * 1024 * 1024
STREAM_FACTOR = 8
TAIL = "vibeos_tail"  # the response's extension that holds the last bytes of its body

_TAIL_BYTES = 4_096
# Asked for nothing else, few servers compress. What these two make of one read is bounded by a factor of a thousand.
_BOUNDED_ENCODINGS = frozenset({"", "identity", "gzip", "deflate"})


def encoded(body: dict[str, Any]) -> bytes:
    """A request's body as JSON: keys in their order, letters as they are, the same body always the same bytes."""
    return to_json(body)


def open_http_client(
    route: Route, patience: Patience, *, most_bytes: int = MOST_BYTES, kept: Kept | None = None
) -> httpx2.AsyncClient:
    """A client for the route. Raises ModelRequestError when the environment's certificates or proxies are unusable."""
    kept = kept or Kept()
    is_far = urlsplit(route.address).scheme == "https" and not route.is_loopback
    try:
        kept.trust = kept.trust or _read_trust(route)
        return _BoundedClient(
            most_bytes,
            timeout=httpx2.Timeout(patience.answer, connect=patience.connect),
            follow_redirects=False,
            trust_env=is_far,
            verify=kept.trust,
            headers={"accept-encoding": "identity"},
        )
    except (OSError, ImportError, ValueError, httpx2.InvalidURL) as error:
        raise ModelRequestError(
            f"{route.address} cannot be asked: {error}",
            remedy="Look at the variables SSL_CERT_FILE, SSLKEYLOGFILE, HTTPS_PROXY and ALL_PROXY.",
        ) from error


def _read_trust(route: Route) -> SSLContext:
    """The certificates of the world, also those that the environment names for what is not on this machine."""
    if urlsplit(route.address).scheme == "https":
        return httpx2.create_ssl_context(trust_env=not route.is_loopback)
    return SSLContext(PROTOCOL_TLS_CLIENT)  # for plain HTTP: it trusts nobody, should there be a need to


class _BoundedClient(httpx2.AsyncClient):
    def __init__(self, most_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self._most_bytes = most_bytes

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        plain = _bounded(await super().send(request, stream=True, **options), self._most_bytes)
        if not stream:
            await plain.aread()
        return plain


def _bounded(response: httpx2.Response, most_bytes: int) -> httpx2.Response:
    """The response with a body that is decoded and counted while it is read."""
    body = _Body(response, most_bytes)
    headers = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name not in {"content-encoding", "content-length", "transfer-encoding"}
    ]
    return httpx2.Response(
        response.status_code,
        headers=headers,
        stream=body,
        request=response.request,
        extensions={**response.extensions, TAIL: body.tail},
    )


class _Body(httpx2.AsyncByteStream):
    """Iterating it again goes on where it was left: the SDKs read what is behind an answer's end that way."""

    def __init__(self, response: httpx2.Response, most_bytes: int) -> None:
        self._response = response
        self._most_bytes = most_bytes
        self._streams = response.headers.get("content-type", "").startswith("text/event-stream")
        self._chunks: AsyncIterator[bytes] | None = None
        self._read = 0
        self._line = 0  # the bytes since the last line break
        self._tail = b""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._chunks is None:
            self._check_encoding()
            self._chunks = self._response.aiter_bytes()
        chunk = await anext(self._chunks)
        self._count(chunk)
        self._tail = (self._tail + chunk)[-_TAIL_BYTES:]
        return chunk

    async def aclose(self) -> None:
        await self._response.aclose()

    def tail(self) -> bytes:
        """The last bytes that were read."""
        return self._tail

    @property
    def _address(self) -> str:
        url = self._response.request.url
        return f"{url.scheme}://{url.netloc.decode()}"

    def _check_encoding(self) -> None:
        encoding = self._response.headers.get("content-encoding", "").strip().lower()
        if encoding not in _BOUNDED_ENCODINGS:
            raise ModelRequestError(
                f"{self._address} encoded its answer as {encoding[:40]!r}, which was not asked for",
                remedy="Check model.base_url, and what stands between here and there.",
            )

    def _count(self, chunk: bytes) -> None:
        self._read += len(chunk)
        after_break = len(chunk) - 1 - chunk.rfind(b"\n")
        self._line = after_break if after_break < len(chunk) else self._line + len(chunk)
        most = self._most_bytes * (STREAM_FACTOR if self._streams else 1)
        if self._read > most or self._line > self._most_bytes:
            raise too_long(self._address, self._most_bytes)


def too_long(address: str, most_bytes: int) -> ModelRequestError:
    """The error for an answer that is longer than any real one."""
    return ModelRequestError(
        f"{address} sent more than {most_bytes / 2**20:.0f} MiB as one answer, so it was not read on",
        remedy="No model writes that much: check that model.base_url is the address of a model's server.",
    )
