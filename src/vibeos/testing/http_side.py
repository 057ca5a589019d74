"""The HTTP side of the strict server: sockets, threads, and bytes in and out. It judges and plays nothing."""

from __future__ import annotations

import json
import socket
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, Protocol

from vibeos.testing.wire import KeptRequest, Refusal, WireResponse, WireStream

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 64 * 1024 * 1024
_LINGER_SECONDS = 1


class Owner(Protocol):
    """Whoever says what is answered."""

    def answer(self, request: KeptRequest) -> WireResponse | WireStream | None:
        """The answer to a request. None: close the connection without one."""
        ...

    def refuse(self, request: KeptRequest, refused: Refusal) -> WireResponse:
        """The answer to a request that could not be read."""
        ...

    def failed(self, error: BaseException | None) -> None:
        """Something went wrong while a request was answered."""
        ...

    def pause(self, seconds: float) -> bool:
        """Wait; True when the server was stopped meanwhile."""
        ...


class HttpSide(ThreadingHTTPServer):
    """The listening socket and the open connections, which live longer than one request."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, port: int, owner: Owner) -> None:
        self.owner = owner
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

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
            self.owner.failed(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "StrictServer"
    disable_nagle_algorithm = True  # a piece of a stream leaves when it is written
    server: HttpSide

    def handle_any(self) -> None:
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        length = headers.get("content-length", "" if self.command == "POST" else "0")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            self._refuse_length(KeptRequest(0, self.command, self.path, headers, b""))
            return
        raw = self.rfile.read(int(length))
        answer = self.server.owner.answer(KeptRequest(0, self.command, self.path, headers, raw, _parsed(raw)))
        match answer:
            case None:
                self.close_connection = True
            case WireResponse():
                self._write(answer)
            case WireStream():
                self._write_stream(answer)

    def __getattr__(self, name: str) -> Any:
        """Every method of HTTP is answered, if only by a refusal; the library looks for `do_GET` and so on."""
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Say nothing: the requests are kept."""

    def _refuse_length(self, request: KeptRequest) -> None:
        refused = Refusal("A request needs its Content-Length, up to 64 MiB.", 411)
        self._write(self.server.owner.refuse(request, refused))
        self._hang_up()

    def _hang_up(self) -> None:
        """Close behind an answer without having read the request; what is left unread would destroy the answer."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_LINGER_SECONDS)
        with suppress(OSError):
            while self.connection.recv(65_536):
                pass

    def _begin(self, status: int, headers: Mapping[str, str], **own: str) -> None:
        self.send_response(status)
        own = {name.replace("_", "-"): value for name, value in own.items()}
        for name, value in {**own, **{name.lower(): value for name, value in headers.items()}}.items():
            self.send_header(name, value)
        self.end_headers()

    def _write(self, response: WireResponse) -> None:
        if response.promised is not None:
            self.close_connection = True
        size = str(response.promised or len(response.body))
        self._begin(response.status, response.headers, content_type="application/json", content_length=size)
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def _write_stream(self, stream: WireStream) -> None:
        kind = "text/event-stream; charset=utf-8"
        self._begin(stream.status, stream.headers, content_type=kind, transfer_encoding="chunked")
        for number, event in enumerate(stream.events):
            if number and stream.pause and self.server.owner.pause(stream.pause):
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
        if stream.breaks_off:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
