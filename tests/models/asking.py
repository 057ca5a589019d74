"""What the tests of the model port share: a question to a server in one line, and who follows the answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from vibeos.ports.models import NetworkModel, Patience, Request, Retrying, ToolSpec, parse_route, user_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.models import Model, ModelMessage, Reply
    from vibeos.testing import StrictServer

MEMORY = ToolSpec(
    "memory",
    "Keep a note.",
    {
        "type": "object",
        "title": "Note",
        "properties": {"text": {"type": "string", "title": "Text", "default": None}},
        "required": ["text"],
        "additionalProperties": False,
    },
)


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.restarts: list[str] = []

    def wrote(self, piece: str) -> None:
        self.pieces.append(piece)

    def starts_again(self, reason: str) -> None:
        self.pieces.clear()
        self.restarts.append(reason)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Slept:
    """A sleep that takes no time and keeps how long it should have been."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


def model_at(
    base_url: str,
    *,
    model: str = "strict-model",
    provider: str = "openai",
    api_key: str = "",
    max_output_tokens: int | None = None,
    retries: int = 0,
    answer: float = 10,
    sleep: Slept | None = None,
) -> Model:
    """A model at an address, with defaults for all that a test does not care about."""
    route = parse_route(f"{provider}:{model}", base_url=base_url, max_output_tokens=max_output_tokens)
    patience = Patience(connect=5, answer=answer, total=20, retries=retries)
    return Retrying(
        NetworkModel(route, api_key, patience=patience), patience=patience, sleep=sleep or Slept()
    )


def ask_model(
    model: Model,
    messages: Sequence[ModelMessage] | str = "hello",
    *,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    listener: Heard | None = None,
) -> Reply:
    """One question in an event loop of its own."""
    asked = [user_request(messages)] if isinstance(messages, str) else messages

    async def ask_and_close() -> Reply:
        try:
            return await model.ask(Request(system, tuple(tools), asked), listener or Heard())
        finally:
            await model.close()

    return asyncio.run(ask_and_close())


def ask_server(
    server: StrictServer,
    messages: Sequence[ModelMessage] | str = "hello",
    *,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    listener: Heard | None = None,
    model: str = "strict-model",
    provider: str = "openai",
    api_key: str = "",
    max_output_tokens: int | None = None,
    retries: int = 0,
    answer: float = 10,
    sleep: Slept | None = None,
) -> Reply:
    """One question to a strict server."""
    asked = model_at(
        server.base_url,
        model=model,
        provider=provider,
        api_key=api_key,
        max_output_tokens=max_output_tokens,
        retries=retries,
        answer=answer,
        sleep=sleep,
    )
    return ask_model(asked, messages, system=system, tools=tools, listener=listener)
