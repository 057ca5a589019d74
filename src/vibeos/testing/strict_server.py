"""A model's endpoint on this machine that is as strict as the real one, plays a script and keeps every request.

    with StrictServer([reply("hello")]) as server:
        ...                       # ask server.base_url
    server.assert_used_up()

It listens on 127.0.0.1 only, in threads of this process. Rules stand before the script: a request that the real
endpoint would refuse is refused with its status and words, and uses up no step. The wire format is a module of its
own (`openai_wire`); a second one, or streaming, is added beside it.

For other processes: `python -m vibeos.testing.strict_server --script FILE.json` prints its address as its first
line and ends, when it is told to, with 1 unless the script was played as written.
"""

from __future__ import annotations

import json
import socket
import sys
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Self

from vibeos.testing import openai_wire as wire_format
from vibeos.testing.script import Answer, Drop, Fault, Script
from vibeos.testing.wire import KeptRequest, Refusal, WireResponse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from vibeos.testing.script import Playable

_DEFAULT_MODELS = ("strict-model",)
_MOST_BYTES = 64 * 1024 * 1024
_LINGER_SECONDS = 1


class StrictServer:
    """The server. `api_key` and `models` None accept any; `context_window` None any length, in tokens."""

    def __init__(
        self,
        steps: Iterable[Playable] = (),
        *,
        api_key: str | None = None,
        models: Sequence[str] | None = None,
        context_window: int | None = None,
        port: int = 0,
    ) -> None:
        self.script = Script(steps)
        self.refusals: list[Refusal] = []
        self._api_key = api_key
        self._models = models
        self._context_window = context_window
        self._port = port
        self._requests: list[KeptRequest] = []
        self._last_prompt = b""
        self._lock = Lock()
        self._stopping = Event()
        self._http: _Http | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Listen; the address is known from here on."""
        self._http = _Http(("127.0.0.1", self._port), _Handler, self)
        self._port = self._http.server_address[1]
        self._thread = Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="strict-server"
        )
        self._thread.start()

    def stop(self) -> None:
        """Close every connection and wait for the threads."""
        if self._http is None or self._thread is None:
            return
        self._stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()
        self._http = self._thread = None

    @property
    def base_url(self) -> str:
        """The address that a client is configured with."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[KeptRequest]:
        """Every request so far, the refused ones too, in the order of their arrival."""
        with self._lock:
            return list(self._requests)

    def extend(self, steps: Iterable[Playable]) -> None:
        """Put steps at the end of the script."""
        self.script.extend(steps)

    def assert_used_up(self) -> None:
        """Fail unless every step was used and nothing else was asked."""
        problems = "".join(f"\n- {one}" for one in self.script.problems)
        assert not problems, f"the script was not played as written:{problems}"

    def answer(self, request: KeptRequest) -> WireResponse | None:
        """Judge a request, play a step, keep both. None: close the connection without an answer."""
        request = self._keep(request)
        response = self._refused(request) or self._played(request)
        with self._lock:
            status = 0 if response is None else response.status
            self._requests[request.number - 1] = replace(request, status=status)
        return response

    def _keep(self, request: KeptRequest) -> KeptRequest:
        with self._lock:
            request = replace(request, number=len(self._requests) + 1)
            self._requests.append(request)
        return request

    def _refused(self, request: KeptRequest) -> WireResponse | None:
        refused = (
            _path_refusal(request)
            or wire_format.key_refusal(request.headers.get("authorization", ""), self._api_key)
            or (self._body_refusal(request) if request.method == "POST" else None)
        )
        if refused is None:
            return None
        with self._lock:
            self.refusals.append(refused)
        return wire_format.render_refusal(refused)

    def _body_refusal(self, request: KeptRequest) -> Refusal | None:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return Refusal(
                "Unsupported content type. This API method only accepts 'application/json' requests."
            )
        return wire_format.refusal(request.body, models=self._models, context_window=self._context_window)

    def _played(self, request: KeptRequest) -> WireResponse | None:
        if request.method == "GET":
            return wire_format.render_models(self._models or _DEFAULT_MODELS)
        action, delay = self.script.play(request)
        if delay and self._stopping.wait(delay):
            return None
        match action:
            case Answer():
                return self._rendered(action, request)
            case Fault():
                return wire_format.render_fault(action)
            case Drop(midway=True):
                whole = self._rendered(Answer("this answer breaks off"), request)
                return replace(whole, body=whole.body[: len(whole.body) // 2], promised=len(whole.body))
        return None

    def _rendered(self, answer: Answer, request: KeptRequest) -> WireResponse:
        prompt = wire_format.prompt_bytes(request.body)
        with self._lock:
            cached = _common_prefix(self._last_prompt, prompt)
            self._last_prompt = prompt
        return wire_format.render(answer, body=request.body, number=request.number, cached_bytes=cached)


class _Http(ThreadingHTTPServer):
    """The listening socket and the open connections, which live longer than one request."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[_Handler], owner: StrictServer) -> None:
        self.owner = owner
        self._connections: set[socket.socket] = set()
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Bind without the library's question to the name service, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Wake the threads that wait for a next request."""
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the library's signature
        """A client that went away is no problem; anything else is the script's, and is named by it."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            self.owner.script.note(f"the server failed: {error!r}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "StrictServer"
    server: _Http

    def handle_any(self) -> None:
        raw = self._read()
        if raw is None:
            return
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        request = KeptRequest(0, self.command, self.path, headers, raw, _parsed(raw))
        response = self.server.owner.answer(request)
        if response is None or response.promised is not None:
            self.close_connection = True
        if response is not None:
            self._write(response)

    def __getattr__(self, name: str) -> Any:
        """Every method of HTTP is answered, if only by a refusal; the library looks for `do_GET` and so on."""
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Say nothing: the requests are kept."""

    def _read(self) -> bytes | None:
        length = self.headers.get("Content-Length", "" if self.command == "POST" else "0")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            refused = Refusal("A request needs its Content-Length, up to 64 MiB.", 411)
            self._write(wire_format.render_refusal(refused))
            self._hang_up()
            return None
        return self.rfile.read(int(length))

    def _hang_up(self) -> None:
        """Close behind an answer without having read the request; what is left unread would destroy the answer."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_LINGER_SECONDS)
        with suppress(OSError):
            while self.connection.recv(65_536):
                pass

    def _write(self, response: WireResponse) -> None:
        self.send_response(response.status)
        headers = {"content-type": "application/json", **{k.lower(): v for k, v in response.headers.items()}}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(response.promised or len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)


def _path_refusal(request: KeptRequest) -> Refusal | None:
    allowed = {wire_format.CHAT_PATH: "POST", wire_format.MODELS_PATH: "GET"}
    path = request.path.partition("?")[0]
    if path not in allowed:
        return Refusal(f"Invalid URL ({request.method} {path})", 404)
    if request.method != allowed[path]:
        return Refusal(f"Not allowed to {request.method} on {path}.", 405, code="method_not_supported")
    return None


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _common_prefix(one: bytes, other: bytes) -> int:
    """How many bytes two texts share from their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


if __name__ == "__main__":
    from vibeos.testing.serve import main

    sys.exit(main())
