"""A turn, as named steps over values.

    take what waits → compose the context from rows → ask the model → store its response
      → no calls: the turn ends with the answer
      → calls: run them side by side → store their results → take what arrived meanwhile → ask again

Whatever happens, what is stored is a valid context: a response is stored before its tools run, and results
are stored all together. A program that dies in between is set right by `settle` at the next turn.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from vibeos.agent.context import compose, last_answer, settle
from vibeos.agent.toolsets import failure
from vibeos.ports.models import Finish, ask, dump_outcomes, dump_response
from vibeos.values.errors import TurnLimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.agent.toolsets import Toolset
    from vibeos.ports.models import ModelMessage, Reply, Route
    from vibeos.ports.models.tools import ToolCall, ToolOutcome
    from vibeos.record import Message, Record

MAX_ROUNDS = 50


class Progress(Protocol):
    """Whoever watches a turn, such as a terminal."""

    def said(self, text: str) -> None:
        """The model wrote this beside its calls."""
        ...

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """A call was answered."""
        ...


class Unwatched:
    """Nobody watches."""

    def said(self, text: str) -> None:
        """Nothing."""

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class Agent:
    """What a turn needs and does not change: the model's route and key, the prompt, how to make tools."""

    record: Record
    session_id: str
    route: Route
    api_key: str
    system: str
    make_toolset: Callable[[], Toolset]
    progress: Progress = field(default_factory=Unwatched)


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ended: the answer's message, the calls that were made, and a note for the person, if any."""

    answer: Message
    calls: tuple[ToolCall, ...]
    note: str = ""


async def run_turn(agent: Agent) -> TurnEnd:
    """Work on what waits for the session until the model has answered it."""
    settle(agent.record, agent.session_id)
    toolset = agent.make_toolset()
    made: list[ToolCall] = []
    for _ in range(MAX_ROUNDS):
        agent.record.inbox.take(agent.session_id)
        rows = agent.record.context.rows(agent.session_id)
        if answered := last_answer(rows):
            return TurnEnd(agent.record.messages.at(agent.session_id, answered), tuple(made))
        reply = await _ask(agent, toolset, compose(rows))
        stored = _store_response(agent, reply)
        if not reply.calls:
            return TurnEnd(stored, tuple(made), _note(reply))
        made += reply.calls
        if reply.text:
            agent.progress.said(reply.text)
        outcomes = await _run_side_by_side(agent, toolset, reply.calls)
        agent.record.messages.record_results(agent.session_id, stored.context_seq, dump_outcomes(outcomes))
    raise TurnLimitError(
        f"the model called tools {MAX_ROUNDS} times in a row without answering, so the turn was ended",
        remedy="Everything is stored. Say what to do next, or try another model.",
    )


async def _ask(agent: Agent, toolset: Toolset, messages: list[ModelMessage]) -> Reply:
    return await ask(
        agent.route, api_key=agent.api_key, system=agent.system, tools=toolset.specs(), messages=messages
    )


def _store_response(agent: Agent, reply: Reply) -> Message:
    payload = dump_response(reply.response)
    return agent.record.messages.record_response(
        agent.session_id, text=reply.text, payload=payload, model=agent.route.name
    )


async def _run_side_by_side(agent: Agent, toolset: Toolset, calls: tuple[ToolCall, ...]) -> list[ToolOutcome]:
    outcomes = await asyncio.gather(*(_outcome(toolset, call) for call in calls))
    for call, outcome in zip(calls, outcomes, strict=True):
        agent.progress.called(call, outcome)
    return list(outcomes)


async def _outcome(toolset: Toolset, call: ToolCall) -> ToolOutcome:
    """The call's outcome; a tool's own fault is one too, so that its neighbours' results are not lost with it."""
    try:
        return await toolset.call(call)
    except Exception as error:  # noqa: BLE001 - a toolset may be anybody's; the model is told, and goes on
        return failure(call, f"The tool failed: {type(error).__name__}: {error}")


def _note(reply: Reply) -> str:
    match reply.finish:
        case Finish.TRUNCATED:
            return "The answer was cut at the model's output limit (model.max_output_tokens)."
        case Finish.FILTERED:
            return "The provider's filter withheld the answer or a part of it."
        case Finish.EMPTY:
            return "The model gave an empty answer."
        case _:
            return ""
