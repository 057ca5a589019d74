"""Checkpoints for an agent of pydantic-ai: its history goes through a record, and what would be too long leaves it.

    agent = Agent("openai:gpt-5", tools=[…], capabilities=[checkpoints_for_agent("notes", window=400_000)])
    result = await agent.run("process all 14 PRs, oldest first")
    result = await agent.run("continue", message_history=result.all_messages())

What the prompt of a run says is the person's; results, retries and the library's own words are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.memory.checkpoint.host import Host, how_to_look, no_log
from vibeos.memory.checkpoint.own_folder import open_folder
from vibeos.memory.checkpoint.room import RoomMaker
from vibeos.ports.models import ModelResponse, Route, dump_response, response_text
from vibeos.ports.models.agent_library import HistoryHook, after, said_in, system_element
from vibeos.ports.models.tools import dump_outcomes
from vibeos.values.envelopes import Envelope, InputRoute
from vibeos.values.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from vibeos.memory.checkpoint.own_folder import OwnFolder
    from vibeos.ports.models import ModelMessage
    from vibeos.ports.models.agent_library import AgentModel

_SOURCE, _MODEL = "pydantic-ai", "agent"
_FRAMEWORK = Envelope(InputRoute.RUN, _SOURCE, origin_id="validation", from_session="framework")


class AgentHistory:
    """One agent's conversation in a record of its own folder. One run at a time."""

    def __init__(self, own: OwnFolder, log: Callable[[str], None]) -> None:
        self._own = own
        self._record = own.record
        self._log = log
        self._context = WorkingContext(own.record, own.session.id)
        self._context.settle()
        self._given: list[ModelMessage] = list(self._context.messages)
        self._system: tuple[str, ...] = ()
        self._run, self._unproductive = "", 0
        self._room: RoomMaker | None = None
        self.session_id = own.session.id

    async def rewrite(
        self, messages: Sequence[ModelMessage], model: AgentModel, *, run_id: str
    ) -> list[ModelMessage]:
        """The messages to send: everything new is recorded first, and what does not fit has left.

        Raises CheckpointError for a history that this conversation did not give, ContextFullError.
        """
        for message in self._new(messages):
            self._take(message)
        self._context.refresh()
        await self._room_of(model, run_id).make_room()
        head = [system_element(self._system)] if self._system else []
        self._given = [*head, *self._context.messages]
        return list(self._given)

    def answered(self, response: ModelResponse) -> None:
        """Record what the model answered, before anything else is done with it."""
        self._take(response)
        self._given.append(response)

    def close(self) -> None:
        """Let go of the record."""
        self._record.close()

    def _new(self, messages: Sequence[ModelMessage]) -> Sequence[ModelMessage]:
        """What came since the last request. A run without a history goes on from the record."""
        found = after(messages, self._given)
        if found is not None:
            return found
        if len(messages) == 1:
            self._context.settle()  # what the run before left open is not in this history
            return messages
        raise CheckpointError(
            "the history of this run is not the one that this conversation gave",
            remedy="Pass message_history=result.all_messages() of its last run, or no history at all.",
        )

    def _take(self, message: ModelMessage) -> None:
        record, session = self._record.messages, self.session_id
        if isinstance(message, ModelResponse):
            record.record_response(
                session, text=response_text(message), payload=dump_response(message), model=_MODEL
            )
            return
        said = said_in(message)
        self._system = said.system or self._system
        if said.outcomes:
            self._context.refresh()
            for number in self._context.fold.unanswered:
                record.record_results(session, number, dump_outcomes(said.outcomes))
        for text in said.told:
            record.record_input(session, _FRAMEWORK, text)
        for text in said.typed:
            record.record_input(session, Envelope.person(_SOURCE), text)

    def _room_of(self, model: AgentModel, run_id: str) -> RoomMaker:
        """A new one for each request, since the agent's instructions may have changed; its counts are the run's."""
        spent = self._room.unproductive if self._room and run_id == self._run else 0
        self._run = run_id
        host = Host(
            model=model,
            system="\n\n".join((*self._system, model.system)),
            tools=model.tools,
            scratch=self._own.scratch,
            copies=self._own.copies,
            lookup=how_to_look(self.session_id, str(self._own.path)),
            log=self._log,
        )
        self._room = RoomMaker(host, self._context, unproductive=spent)
        return self._room


def checkpoints_for_agent(
    folder: str | Path,
    *,
    window: int,
    max_output: int | None = None,
    price_step: int | None = None,
    session: str | None = None,
    log: Callable[[str], None] = no_log,
) -> HistoryHook:
    """A capability for one pydantic-ai agent's conversation: `Agent(…, capabilities=[checkpoints_for_agent(…)])`.

    `window`, `max_output`, `price_step`: what the model takes, in tokens. `session`: go on with a session of the folder.
    Raises StoreError, NotFoundError, FileAccessError, ModelNotConfiguredError for sizes.
    """
    route = Route.own(_MODEL, window=window, max_output=max_output, price_step=price_step)
    own = open_folder(folder, session=session, source=_SOURCE, model=_MODEL)
    return HistoryHook(AgentHistory(own, log), route)
