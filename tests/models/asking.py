"""What the tests of the model port share: a question to a strict server in one line."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

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


def ask_server(
    server: StrictServer,
    messages: Sequence[ModelMessage] | str = "hello",
    *,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    api_key: str = "",
    model: str = "strict-model",
    max_output_tokens: int | None = None,
    retries: int = 0,
    answer: float = 10,
) -> Reply:
    """`ask`, with defaults for all that a test does not care about."""
    route = parse_route(f"openai:{model}", base_url=server.base_url, max_output_tokens=max_output_tokens)
    asked = [user_request(messages)] if isinstance(messages, str) else messages
    patience = Patience(connect=5, answer=answer, total=20, retries=retries)
    return asyncio.run(
        ask(route, api_key=api_key, system=system, tools=tools, messages=asked, patience=patience)
    )
