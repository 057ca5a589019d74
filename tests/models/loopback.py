"""A server on this machine that sends exactly the bytes it was given: for what no strict server would say."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

EVENTS = "text/event-stream"


class Loopback:
    """Plays one answer for each request. An answer is bytes, or several with an Event between them to wait for."""

    def __init__(self, *answers: bytes | list[bytes | Event]) -> None:
        self._answers = [[one] if isinstance(one, bytes) else one for one in answers]
        self.requests: list[bytes] = []
        self.connections = 0
        self.hung_up = Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads = [Thread(target=self._accept, name="loopback")]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in (self._socket, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def body(self, number: int) -> Any:
        """The parsed body of a request, counted from 0."""
        return json.loads(self.requests[number].partition(b"\r\n\r\n")[2])

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                self._open.append(connection)
                thread = Thread(target=self._serve, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            while request := _read_request(connection):
                self.requests.append(request)
                parts = self._answers.pop(0) if self._answers else []
                for part in parts:
                    if isinstance(part, Event):
                        self._wait(part, connection)
                    else:
                        connection.sendall(part)
                first = parts[0] if parts else b""
                if isinstance(first, Event) or b"content-length" not in first.partition(b"\r\n\r\n")[0]:
                    return

    def _wait(self, event: Event, connection: socket.socket) -> None:
        """Wait for the event, or for the client to go away."""
        connection.settimeout(0.01)
        while not event.is_set():
            with suppress(TimeoutError):
                if not connection.recv(1):
                    self.hung_up.set()
                    break
        connection.settimeout(None)


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65_536)):
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0
    )
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


def http(body: bytes | str, *, status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """A whole answer, of a length that is said."""
    raw = body.encode() if isinstance(body, str) else body
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{more}content-length: {len(raw)}\r\n\r\n"
    return head.encode() + raw


def until_closed(body: bytes, *, kind: str = EVENTS) -> bytes:
    """An answer whose end is the end of the connection."""
    return f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode() + body


def events(*datas: object) -> bytes:
    """Events of a stream that are only data; bytes stand as they are."""
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in datas]
    return b"".join(b"data: " + line + b"\n\n" for line in lines)


def named_events(datas: Iterable[dict[str, Any]]) -> bytes:
    """Events of a stream, each with the name that its data has as type."""
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in datas)


def chunk(text: str | None = None, *, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One event of a chat completion."""
    if text is not None:
        delta["content"] = text
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def message_events(*blocks: dict[str, Any], stop: str = "end_turn") -> list[dict[str, Any]]:
    """The events of an Anthropic message with these blocks, each whole in one delta."""
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "claude"}
    started = {
        **message,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    }
    made: list[dict[str, Any]] = [{"type": "message_start", "message": started}]
    for index, block in enumerate(blocks):
        made.append({"type": "content_block_start", "index": index, "content_block": _emptied(block)})
        made += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block)]
        made.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": stop, "stop_sequence": None}
    made.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": 3}})
    return [*made, {"type": "message_stop"}]


def _emptied(block: dict[str, Any]) -> dict[str, Any]:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
    return block


def _deltas(block: dict[str, Any]) -> list[dict[str, Any]]:
    match block["type"]:
        case "text":
            return [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            thinking = {"type": "thinking_delta", "thinking": block["thinking"]}
            return [thinking, {"type": "signature_delta", "signature": block["signature"]}]
        case "tool_use":
            return [{"type": "input_json_delta", "partial_json": block["input"]}]
    return []
