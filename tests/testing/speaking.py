"""Both formats by hand, so that no client library is polite on our behalf."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.testing import StrictServer

OPENAI = "/v1/chat/completions"
ANTHROPIC = "/v1/messages"
BOTH = (OPENAI, ANTHROPIC)
ANTHROPIC_HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}


@dataclass
class Answered:
    """What came back: of a body that broke off, what came before the break."""

    status: int
    headers: dict[str, str]
    raw: bytes
    broke_off: bool

    @property
    def json(self) -> Any:
        """The body as one value."""
        return json.loads(self.raw)

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The events of a stream: name (empty when it has none) and value."""
        return [_event(block) for block in self.raw.decode().split("\n\n")[:-1]]


def post(
    server: StrictServer | str,
    path: str,
    body: Any,
    *,
    headers: dict[str, str] | None = None,
    method: str = "POST",
) -> Answered:
    """One request to a server or an address; the body as JSON unless it is bytes."""
    address = server if isinstance(server, str) else server.root_url
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    own = ANTHROPIC_HEADERS if path == ANTHROPIC else {}
    sent = {"Content-Type": "application/json", **(own if headers is None else headers)}
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    try:
        connection.request(method, path, raw or None, sent)
        response = connection.getresponse()
        got = {name.lower(): value for name, value in response.getheaders()}
        try:
            return Answered(response.status, got, response.read(), broke_off=False)
        except http.client.IncompleteRead as error:
            return Answered(response.status, got, error.partial, broke_off=True)
    finally:
        connection.close()


def chat(path: str, *messages: Any, **more: Any) -> dict[str, Any]:
    """A request of either format; "hello" when no messages are given."""
    common = {"model": "strict-model", "messages": list(messages) or [{"role": "user", "content": "hello"}]}
    return {**common, **({"max_tokens": 100} if path == ANTHROPIC else {}), **more}


def said(answer: Answered, path: str) -> str:
    """The text of a whole answer or of a stream."""
    streamed = answer.headers["content-type"].startswith("text/event-stream")
    if path == ANTHROPIC:
        return _said_anthropic(answer, streamed=streamed)
    if not streamed:
        return answer.json["choices"][0]["message"]["content"] or ""
    chunks = [value for _, value in answer.events if value != "[DONE]" and "choices" in value]
    return "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks if one["choices"])


def kinds(events: Sequence[tuple[str, Any]]) -> list[str]:
    """The names of events, those that come again and again once."""
    names = [name for name, _ in events]
    return [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name]


def _said_anthropic(answer: Answered, *, streamed: bool) -> str:
    if not streamed:
        return "".join(block.get("text", "") for block in answer.json["content"])
    return "".join(
        value["delta"].get("text", "") for name, value in answer.events if name == "content_block_delta"
    )


def _event(block: str) -> tuple[str, Any]:
    fields = dict(line.split(": ", 1) for line in block.split("\n"))
    data = fields["data"]
    return fields.get("event", ""), data if data == "[DONE]" else json.loads(data)
