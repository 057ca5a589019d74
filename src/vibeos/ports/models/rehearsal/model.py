"""`RehearsalModel`: the model that follows rules. It answers at once, calls real tools, and keeps nothing.

The same request always gets the same answer, ids of calls included, so a conversation that is resumed goes on as it would
have. The route `rehearsal:slow` writes at a reader's pace, so that there is time to interrupt it.
"""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.usage import RequestUsage

from vibeos.ports.models.check import check_request
from vibeos.ports.models.messages import response_text, tool_calls
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.rehearsal.steps import next_step
from vibeos.ports.models.rehearsal.talk import Answered, call_id, read_talk
from vibeos.ports.models.reply import Finish, Reply, Usage
from vibeos.values.sizes import estimate_tokens
from vibeos.values.text import well_formed

if TYPE_CHECKING:
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.rehearsal.steps import Step
    from vibeos.ports.models.rehearsal.talk import Talk
    from vibeos.ports.models.route import Route

SLOW = "slow"
SLOW_SECONDS = 0.35  # between two pieces of a text
_WORDS_OF_A_PIECE = 4
_NO_CLOCK = datetime(1970, 1, 1, tzinfo=UTC)


class RehearsalModel:
    """A `Model` without a model: a table of rules over the conversation."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._pause = SLOW_SECONDS if route.model == SLOW else 0.0

    @property
    def route(self) -> Route:
        return self._route

    async def ask(self, request: Request, listener: Listener | None = None) -> Reply:
        """The answer that the rules give; raises InvalidRequestError as every model does."""
        check_request(request.messages, request.tools)
        talk = read_talk(request)
        reply = _reply(talk, next_step(talk))
        await self._write(reply.text, listener or Deaf())
        return reply

    async def close(self) -> None:
        """Nothing is open."""

    async def _write(self, text: str, listener: Listener) -> None:
        for piece in pieces(text):
            listener.wrote(piece)
            await asyncio.sleep(self._pause)  # an interrupt gets through here, also at no pause


def pieces(text: str) -> list[str]:
    """The text in groups of a few words; together they are the text."""
    return re.findall(rf"(?:\s*\S{{1,24}}){{1,{_WORDS_OF_A_PIECE}}}\s*|\s+", text)


def _reply(talk: Talk, step: Step) -> Reply:
    text = well_formed(step.text)
    parts = [
        ToolCallPart(call.tool, call.arguments, call_id(talk, call.key, place))
        for place, call in enumerate(step.calls)
    ]
    usage = Usage(_input_tokens(talk), estimate_tokens(text) + sum(_tokens(part) for part in parts))
    response = ModelResponse(
        parts=[*([TextPart(text)] if text else []), *parts],
        usage=RequestUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens),
        model_name="rehearsal",
        timestamp=_NO_CLOCK,
        finish_reason="tool_call" if parts else "stop",
    )
    return Reply(
        response=response,
        text=response_text(response),
        calls=tuple(tool_calls(response)),
        usage=usage,
        finish=Finish.TOOL_CALLS if parts else Finish.FINISHED,
    )


def _tokens(part: ToolCallPart) -> int:
    return estimate_tokens(part.args_as_json_str())


def _input_tokens(talk: Talk) -> int:
    """The size of what was sent, estimated."""
    size = estimate_tokens(talk.system)
    for tool in talk.tools:
        size += estimate_tokens(tool.description) + estimate_tokens(
            json.dumps(dict(tool.parameters_json_schema))
        )
    for event in talk.events:
        size += estimate_tokens(event.text)
        for made in event.made if isinstance(event, Answered) else ():
            size += estimate_tokens(made.call.arguments) + estimate_tokens(made.outcome)
    return size
