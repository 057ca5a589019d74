"""The program's own time of one request to a model, in milliseconds: all but the model, against a server that answers at once.

    python benchmarks/model_request.py [--elements 500,2000] [--requests 100] [--json]

The conversation is kept decoded, as in a running session, and grows by one element from request to request; `resumed` is
a first request, for which every element is new. The server is another process. The limit is that of 500 elements.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import time
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from vibeos.ports.models import (
    NetworkModel,
    Request,
    ToolOutcome,
    ToolSpec,
    load_response,
    outcomes_request,
    parse_route,
    user_request,
)

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from vibeos.ports.models import ModelMessage

LIMIT_MS = 10.0
LIMIT_ELEMENTS = 500
SYSTEM = "You help with a long task, and keep notes.\n" * 200
TOOLS = tuple(
    ToolSpec(
        f"tool_{number}" if number else "read",
        "Reads a part of a file, with the numbers of its lines. " * 4,
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "the file"},
                "limit": {"type": "integer", "minimum": 1},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    )
    for number in range(12)
)


def conversation(size: int) -> list[ModelMessage]:
    """So many elements: an input, a call, its result (2 KB), an answer, and again; the last one is an input."""
    messages: list[ModelMessage] = []
    for number in range(size // 4 + 1):
        call_id, answer = f"call_{number}", "It reads the settings and hands them on. " * 6
        call = {
            "tool_name": "read",
            "args": json.dumps({"path": f"src/part_{number}.py"}),
            "tool_call_id": call_id,
        }
        result = "    value = settings[name] if name in settings else '<default>'\n" * 32
        messages += [
            user_request(f"Look at part {number} and say what it does. " * 4),
            _response({"content": "I look.", "part_kind": "text"}, {**call, "part_kind": "tool-call"}),
            outcomes_request([ToolOutcome(call_id, "read", result)]),
            _response({"content": answer, "part_kind": "text"}),
        ]
    return [*messages[: (size - 1) // 4 * 4], user_request("Go on.")]


def _response(*parts: dict[str, str]) -> ModelMessage:
    return load_response(
        json.dumps({"parts": parts, "timestamp": "1970-01-01T00:00:00Z", "kind": "response"})
    )


def measure(provider: str, elements: int, requests: int) -> dict[str, Any]:
    """Percentiles of the time of one `ask`, of the first and of those that follow it."""
    here, there = get_context("spawn").Pipe()
    server = get_context("spawn").Process(target=serve, args=(provider, there), daemon=True)
    server.start()
    try:
        address = f"http://127.0.0.1:{here.recv()}/v1"
        first, later = asyncio.run(_ask(provider, address, elements, requests))
    finally:
        server.terminate()
        server.join()
    later.sort()
    percentiles = {f"p{p}": round(later[int(len(later) * p / 100)], 2) for p in (50, 95, 99)}
    return {"provider": provider, "elements": elements, "ms": percentiles, "resumed_ms": round(first, 2)}


async def _ask(provider: str, address: str, elements: int, requests: int) -> tuple[float, list[float]]:
    model = NetworkModel(parse_route(f"{provider}:bench", base_url=address, context_window=10_000_000), "")
    await model.ask(Request(SYSTEM, TOOLS, conversation(8)))  # loads the library, opens the connection
    messages = conversation(elements)
    times = []
    for _ in range(requests + 1):
        start = time.perf_counter()
        reply = await model.ask(Request(SYSTEM, TOOLS, messages))
        times.append((time.perf_counter() - start) * 1_000)
        if reply.text != "ok":
            raise SystemExit(f"the server answered {reply.text!r}")
        messages = [*messages, user_request("And now?")]
    await model.close()
    return times[0], times[1:]


def serve(provider: str, port: Connection) -> None:
    """Answer every request of one connection after another with the same stream, without looking at it."""
    body = (_anthropic_stream if provider == "anthropic" else _openai_stream)()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port.send(listening.getsockname()[1])
        while True:
            connection, _ = listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                while _read_request(connection):
                    connection.sendall(head.encode() + body)


def _read_request(connection: socket.socket) -> bool:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(1 << 20)):
            return False
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(one.split(b":")[1]) for one in head.lower().split(b"\r\n") if one.startswith(b"content-length")
    )
    left = length - len(body)
    while left > 0:
        left -= len(connection.recv(1 << 20))
    return True


def _openai_stream() -> bytes:
    def event(delta: dict[str, str], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps(
            {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        )

    events = [event({"role": "assistant", "content": "ok"}), event({}, "stop"), "[DONE]"]
    return "".join(f"data: {one}\n\n" for one in events).encode()


def _anthropic_stream() -> bytes:
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "bench"}
    started = {
        **message,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    ending = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--elements", default="500,2000", help="sizes of a conversation, with commas between them"
    )
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = [int(one) for one in options.elements.split(",")]
    runs = [
        measure(provider, size, options.requests) for provider in ("openai", "anthropic") for size in sizes
    ]
    judged = [run["ms"]["p95"] for run in runs if run["elements"] == LIMIT_ELEMENTS]
    result = {
        "benchmark": "model_request",
        "requests": options.requests,
        "runs": runs,
        "limit_p95_ms": LIMIT_MS,
        "limit_elements": LIMIT_ELEMENTS,
        "met": bool(judged) and max(judged) <= LIMIT_MS,
    }
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
