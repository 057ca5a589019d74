"""A long session with checkpoints against a real llama.cpp server: what its own count says came from its cache.

The small model cannot take notes, so its replies are thrown away and scripted ones put in their place. `make test-local`.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from pydantic_ai.usage import RequestUsage

from checkpoint.conversations import Talk
from checkpoint.taking_notes import NOW, TOOLS, is_checkpoint, room_of
from vibeos.ports.models import dump_outcomes, dump_response
from vibeos.ports.models.local import LocalModel
from vibeos.ports.models.model import Deaf, Request
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolOutcome
from vibeos.record import open_record
from vibeos.testing import ScriptedModel, call, reply

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.ports.models import Reply
    from vibeos.ports.models.model import Listener
    from vibeos.ports.models.reply import Usage
    from vibeos.ports.models.route import Route
    from vibeos.testing import Step
    from vibeos.testing.scripted_model import ScriptedRequest

FILE = os.environ.get("VIBEOS_TEST_GGUF", "")
pytestmark = pytest.mark.skipif(
    not FILE or find_spec("xllamacpp") is None,
    reason="no small model here (the extra and VIBEOS_TEST_GGUF): run `make test-local`",
)
WINDOW = 8_192
LEAST_CACHED = 0.98


class Overruled:
    """Each request goes to the real model; its reply is thrown away, but for what it counted."""

    def __init__(self, real: LocalModel, script: ScriptedModel) -> None:
        self._real = real
        self._script = script
        self.asked: list[tuple[bool, Usage]] = []  # whether for a checkpoint, and what the server counted

    @property
    def route(self) -> Route:
        return self._script.route

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        counted = (await self._real.ask(request)).usage
        said = await self._script.ask(request, listener)
        self.asked.append((is_checkpoint(self._script.requests[-1]), counted))
        usage = RequestUsage(input_tokens=counted.input_tokens, output_tokens=counted.output_tokens)
        return replace(said, usage=counted, response=replace(said.response, usage=usage))

    async def close(self) -> None:
        await self._real.close()


def next_step(request: ScriptedRequest) -> Step:
    if is_checkpoint(request):
        return reply(NOW)
    return reply("", calls=[call("read", {"path": f"item{request.number}.txt"}, f"r{request.number}")])


def item(number: int) -> str:
    """A text of about 300 tokens that repeats nothing of another."""
    return " ".join(
        f"entry {number * 100 + line} is {(number * 7919 + line * 104729) % 99991}" for line in range(30)
    )


def test_between_checkpoints_nearly_everything_comes_from_the_cache(tmp_path: Path) -> None:
    script = ScriptedModel(
        [next_step] * 60,
        route=replace(parse_route("openai:scripted"), context_window=WINDOW, max_output_tokens=8),
    )
    model = Overruled(
        LocalModel(parse_route(f"local:{FILE}", context_window=WINDOW, max_output_tokens=8)), script
    )

    async def work() -> tuple[int, int]:
        alone = await model.ask(Request("You are a careful agent.", TOOLS, talk.context().messages))
        room, context = room_of(talk, model, tmp_path)
        checkpoints = 0
        for number in range(40):
            before = len(model.asked)
            await room.make_room()
            checkpoints += len(model.asked) > before
            if checkpoints == 3:
                break
            answer = await model.ask(Request("You are a careful agent.", TOOLS, context.messages))
            stored = talk.record.messages.record_response(
                talk.session, text="", payload=dump_response(answer.response), model=model.route.name
            )
            outcomes = [ToolOutcome(one.call_id, one.name, item(number)) for one in answer.calls]
            talk.record.messages.record_results(talk.session, stored.context_seq, dump_outcomes(outcomes))
            context.refresh()
        await model.close()
        return checkpoints, alone.usage.input_tokens

    with open_record(tmp_path / "state.db") as record:
        talk = Talk(record)
        talk.says("Read the items one by one.")
        checkpoints, head = asyncio.run(work())
    assert checkpoints >= 2
    before: Usage | None = None
    followed_a_checkpoint = 0
    for at, (for_checkpoint, counted) in enumerate(model.asked):
        after_checkpoint = at > 0 and model.asked[at - 1][0] and not for_checkpoint
        if after_checkpoint:
            assert counted.cached_tokens >= head - 40, (at, counted, head)  # system prompt and tools
            followed_a_checkpoint += 1
        elif before is not None and not for_checkpoint:
            assert counted.cached_tokens >= LEAST_CACHED * before.input_tokens, (at, counted, before)
        elif for_checkpoint:
            assert counted.cached_tokens >= head - 40, (at, counted, head)
        before = counted
    assert followed_a_checkpoint >= 2
