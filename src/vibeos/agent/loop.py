"""A turn, as named steps over values.

    take what waits → compose the context from rows → make room where it is too long → ask the model → store its response
      → no calls: the turn ends with the answer
      → calls: act → store their results → take what arrived meanwhile → ask again

Whatever happens, what is stored is a valid context: a response is stored before its tools run, and results
are stored all together. An interrupt stores what there is of an answer or of results and ends the turn; a program that
dies in between is set right by `settle` at the next turn.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vibeos.agent.acting import Acting
from vibeos.agent.progress import Overheard, Unwatched
from vibeos.memory.checkpoint.room import RoomMaker
from vibeos.ports.models import Finish, dump_outcomes, dump_response
from vibeos.ports.models.model import Request
from vibeos.ports.models.plain import plain_response
from vibeos.values.errors import ContextOverflowError, StreamBrokenError, TurnLimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.agent.journal import Journal
    from vibeos.agent.progress import Progress
    from vibeos.agent.toolsets import ToolsetGroup
    from vibeos.memory.checkpoint.context import WorkingContext
    from vibeos.memory.checkpoint.host import Host
    from vibeos.ports.models import Reply, ToolCall
    from vibeos.ports.models.model import Model
    from vibeos.record import Message, Record

MAX_ROUNDS = 200
INTERRUPTED_ANSWER = "[The person interrupted this answer here.]"
BROKEN_ANSWER = "The connection broke off, and asking again did not help. What had been written of the answer:\n\n{written}"


@dataclass(frozen=True, slots=True)
class Agent:
    """What a turn needs and does not change: the session's context, the model, the prompt, how to make tools.

    `make_host` gives what checkpoints need, for the turn's tools.
    """

    record: Record
    journal: Journal
    session_id: str
    context: WorkingContext
    model: Model
    system: str
    make_toolset: Callable[[], ToolsetGroup]
    make_host: Callable[[ToolsetGroup], Host]
    progress: Progress = field(default_factory=Unwatched)
    max_rounds: int = MAX_ROUNDS


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ended: the answer's message, the calls that were made, and a note for the person, if any."""

    answer: Message
    calls: tuple[ToolCall, ...]
    note: str = ""


async def run_turn(agent: Agent) -> TurnEnd:
    """Work on what waits for the session until the model has answered it.

    Raises ModelError where the model could not be asked, ContextFullError where nothing more can leave the context,
    TurnLimitError after `max_rounds` requests. Cancelling it is an interrupt.
    """
    agent.context.settle()
    toolset = agent.make_toolset()
    room = RoomMaker(agent.make_host(toolset), agent.context)
    made: list[ToolCall] = []
    for _ in range(agent.max_rounds):
        _take(agent, is_under_way=bool(made))
        if answered := agent.context.last_answer:
            return TurnEnd(agent.record.messages.at(agent.session_id, answered), tuple(made))
        reply = await _ask_with_room(agent, toolset, room)
        stored = await _store_response(agent, reply)
        if not reply.calls:
            return TurnEnd(stored, tuple(made), _note(reply))
        made += reply.calls
        await _act(agent, toolset, reply, stored.context_seq)
    raise TurnLimitError(
        f"the model called tools {agent.max_rounds} times in a row without answering, so the turn was ended",
        remedy="Everything is stored. Say what to do next, or raise agent.max_rounds.",
    )


def _take(agent: Agent, *, is_under_way: bool) -> None:
    """Let what waits enter the context, in the order in which it arrived."""
    taken = agent.record.inbox.take(agent.session_id)
    agent.context.refresh()
    if taken and is_under_way:
        agent.progress.took(tuple(message.text for message in taken))


async def _ask_with_room(agent: Agent, toolset: ToolsetGroup, room: RoomMaker) -> Reply:
    """Ask, with as much of the context as the model takes; what it refuses as too long is made shorter each time."""
    while True:
        await room.make_room()
        try:
            return await _ask(agent, toolset)
        except ContextOverflowError:
            room.refused()


async def _ask(agent: Agent, toolset: ToolsetGroup) -> Reply:
    request = Request(agent.system, toolset.specs(), agent.context.messages)
    overheard = Overheard(agent.progress)
    try:
        return await agent.model.ask(request, overheard)
    except asyncio.CancelledError:
        _store_interrupted(agent, overheard.text)
        raise
    except StreamBrokenError:
        _note_broken(agent, overheard.text)
        raise


async def _store_response(agent: Agent, reply: Reply) -> Message:
    payload = dump_response(reply.response)
    return await agent.journal.store(
        lambda transaction: agent.record.messages.add_response(
            transaction, agent.session_id, text=reply.text, payload=payload, model=agent.model.route.name
        )
    )


def _store_interrupted(agent: Agent, written: str) -> None:
    """The person has read what was written, so it was said; that it ended there is no word of the agent's."""
    if written.strip():
        agent.record.messages.record_response(
            agent.session_id,
            text=written,
            payload=plain_response(written, f"\n\n{INTERRUPTED_ANSWER}"),
            model=agent.model.route.name,
        )


def _note_broken(agent: Agent, written: str) -> None:
    """The person has read it, but it is no answer: the same is asked again when the turn is taken up."""
    if written.strip():
        agent.record.messages.record_notice(agent.session_id, BROKEN_ANSWER.format(written=written))


async def _act(agent: Agent, toolset: ToolsetGroup, reply: Reply, number: int) -> None:
    """Do the calls of a response and store their results, also those of an interrupted one."""
    acting = Acting(toolset, reply.calls, agent.progress, is_cut=reply.finish is Finish.TRUNCATED)
    try:
        await acting.run()
    finally:
        results = dump_outcomes(acting.outcomes())
        await agent.journal.store(
            lambda transaction: agent.record.messages.add_results(
                transaction, agent.session_id, number, results
            )
        )


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
