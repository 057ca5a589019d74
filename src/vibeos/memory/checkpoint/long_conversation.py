"""Checkpoints for an agent of your own: a conversation of any length over any endpoint of the OpenAI chat format.

    async with LongConversation.open("notes", ask=ask, window=128_000, system=PROMPT, tools=TOOLS) as talk:
        talk.typed("process all 14 PRs, oldest first")
        while True:
            answer = await ask(await talk.messages(), talk.tools)
            calls = talk.answered(answer)
            if not calls:
                break
            for call in calls:
                talk.result(call.call_id, run(call))

`messages` gives the next request's messages. Where they would no longer fit, a checkpoint is made first, with the same
`ask`. Everything said is in a record in the folder; opening it again with the session's id goes on where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.memory.checkpoint.host import Host, how_to_look, no_jobs, no_log
from vibeos.memory.checkpoint.own_folder import open_folder
from vibeos.memory.checkpoint.room import RoomMaker
from vibeos.memory.checkpoint.turn import with_edit
from vibeos.ports.models import Route, dump_response, response_text, tool_calls
from vibeos.ports.models.chat_format import ChatModel, chat_messages, chat_response, chat_tools, tool_specs
from vibeos.ports.models.tools import ToolOutcome, dump_outcomes
from vibeos.values.envelopes import Envelope
from vibeos.values.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from vibeos.ports.models import ToolCall
    from vibeos.ports.models.chat_format import Ask, Chat
    from vibeos.record import Record
    from vibeos.record.registry import LivingJob

_SOURCE = "library"


class LongConversation:
    """One session in a record of its own folder. Not for use from several tasks at once."""

    def __init__(self, record: Record, host: Host, session_id: str) -> None:
        self._record = record
        self._host = host
        self._context = WorkingContext(record, session_id)
        self._context.settle()
        self._room = RoomMaker(host, self._context)
        self._results: dict[str, ToolOutcome] = {}
        self.session_id = session_id

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        ask: Ask,
        window: int,
        max_output: int | None = None,
        price_step: int | None = None,
        model: str = "own",
        system: str = "",
        tools: Sequence[dict[str, Any]] = (),
        session: str | None = None,
        lookup: str = "",
        living: Callable[[], Sequence[LivingJob]] = no_jobs,
        log: Callable[[str], None] = no_log,
    ) -> Self:
        """Begin a session in the folder, or go on with the one that is named.

        `ask(messages, tools)` asks the endpoint and gives its completion; it may be a coroutine function. `window`,
        `max_output`, `price_step`: what the model takes, in tokens. `system` and `tools` (in the chat format) stand at the
        head of each request. `lookup`: how the agent can query the record; by default with the `vibe` command.
        `living`: what runs for the session, listed in each checkpoint. `log` takes a line about each attempt.
        Raises StoreError, NotFoundError, FileAccessError, ModelRequestError for tools, ModelNotConfiguredError for sizes.
        """
        route = Route.own(model, window=window, max_output=max_output, price_step=price_step)
        specs = with_edit(tool_specs(tools))
        own = open_folder(folder, session=session, source=_SOURCE, model=model)
        host = Host(
            model=ChatModel(ask, route),
            system=system,
            tools=specs,
            scratch=own.scratch,
            copies=own.copies,
            lookup=lookup or how_to_look(own.session.id, str(own.path)),
            living=living,
            log=log,
        )
        return cls(own.record, host, own.session.id)

    # -- what happened ---------------------------------------------------------------------------------------------------

    def typed(self, text: str, *, name: str = "User") -> int:
        """What the person typed; its number. Nothing else can ever count as their word."""
        return self._input(Envelope.person(_SOURCE, author_name=name), text)

    def delivered(self, text: str, envelope: Envelope) -> int:
        """What came by another route than the person's keyboard, such as a watch or a task; its number."""
        return self._input(envelope, text)

    def answered(self, answer: Any) -> tuple[ToolCall, ...]:
        """What the model answered: a completion or its message, as a dict or an object of a client library.

        Gives its calls, each of which needs a `result` before the next `messages`.
        """
        response = chat_response(answer)
        self._record.messages.record_response(
            self.session_id,
            text=response_text(response),
            payload=dump_response(response),
            model=self._host.model.route.name,
        )
        self._context.refresh()
        self._results = {}
        return tuple(tool_calls(response))

    def result(self, call_id: str, text: str) -> None:
        """What a call gave. Once each call of the answer has one, they are stored."""
        for number, response in self._context.fold.unanswered.items():
            calls = tool_calls(response)
            named = {call.call_id: call.name for call in calls}
            if call_id not in named:
                continue
            self._results[call_id] = ToolOutcome(call_id, named[call_id], text)
            if len(self._results) == len(calls):
                outcomes = [self._results[call.call_id] for call in calls]
                self._record.messages.record_results(self.session_id, number, dump_outcomes(outcomes))
                self._context.refresh()
            return
        raise InvalidRequestError(
            f"no call {call_id!r} waits for a result", remedy="Give each call of the last answer one result."
        )

    # -- what is asked next ----------------------------------------------------------------------------------------------

    async def messages(self) -> Chat:
        """The messages of the next request. Raises ContextFullError where nothing can leave any more."""
        self._context.refresh()
        for response in self._context.fold.unanswered.values():
            missing = [call.call_id for call in tool_calls(response) if call.call_id not in self._results]
            raise InvalidRequestError(
                f"the calls {', '.join(map(repr, missing))} have no results yet",
                remedy="Give each one with `result`; a call that failed has its error as result.",
            )
        await self._room.make_room()
        return chat_messages(self._context.messages, self._host.system)

    @property
    def tools(self) -> Chat:
        """The tools of each request: yours, and `edit`, which checkpoints use; always the same bytes."""
        return chat_tools(self._host.tools)

    def refused(self) -> None:
        """The endpoint refused the last messages as too long: `messages` gives fewer then."""
        self._room.refused()

    def look_up(self, number: int) -> str:
        """One message whole, by its number. Raises NotFoundError."""
        return self._record.messages.at(self.session_id, number).text

    # -- the end ---------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the record. Everything said stays in it."""
        self._record.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _input(self, envelope: Envelope, text: str) -> int:
        self._context.refresh()
        if self._context.last_answer is not None:  # a new run
            self._room = RoomMaker(self._host, self._context)
        return self._record.messages.record_input(self.session_id, envelope, text).context_seq
