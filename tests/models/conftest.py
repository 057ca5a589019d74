"""What the tests of the model port share: a route to a strict server, and a question in one line."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from vibeos.ports.models import Patience, ToolSpec, ask, parse_route, user_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.models import ModelMessage, Reply
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


class Asker(Protocol):
    """`ask`, with defaults for all that a test does not care about."""

    def __call__(
        self,
        server: StrictServer,
        messages: Sequence[ModelMessage] | str = "hello",
        *,
        system: str = "",
        tools: Sequence[ToolSpec] = (),
        api_key: str = "",
        model: str = "strict-model",
        retries: int = 0,
        answer: float = 10,
        max_output_tokens: int | None = None,
    ) -> Reply: ...


@pytest.fixture
def ask_server() -> Asker:
    def asker(
        server: StrictServer, messages: Sequence[ModelMessage] | str = "hello", **options: Any
    ) -> Reply:
        route = parse_route(
            f"openai:{options.pop('model', 'strict-model')}",
            base_url=server.base_url,
            max_output_tokens=options.pop("max_output_tokens", None),
        )
        patience = Patience(
            connect=5, answer=options.pop("answer", 10), total=20, retries=options.pop("retries", 0)
        )
        asked = [user_request(messages)] if isinstance(messages, str) else messages
        given = {"api_key": "", "system": "", "tools": (), **options}
        return asyncio.run(ask(route, messages=asked, patience=patience, **given))

    return asker


@pytest.fixture
def memory_tool() -> ToolSpec:
    return MEMORY
