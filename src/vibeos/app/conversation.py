"""A conversation: a session that a person talks in, with all that its turns need.

What a turn needs is gathered here and given to the agent as values; the agent reads no configuration and no variable.
One turn at a time runs in a session, also across programs.
"""

from __future__ import annotations

import asyncio
import os
from functools import cached_property
from typing import TYPE_CHECKING

from vibeos.agent.person import Nobody
from vibeos.agent.progress import Unwatched
from vibeos.agent.workplace import Workplace
from vibeos.app.alone import alone
from vibeos.app.context_files import context_files
from vibeos.app.sessions import TURN_PATIENCE
from vibeos.record import MessageType
from vibeos.values.envelopes import Envelope, InputRoute
from vibeos.values.errors import ContextFullError
from vibeos.values.text import one_line

if TYPE_CHECKING:
    from typing import Self

    from vibeos.agent.commands import CommandJobs
    from vibeos.agent.loop import Agent, TurnEnd
    from vibeos.agent.person import Person
    from vibeos.agent.progress import Progress
    from vibeos.agent.toolsets import Toolset, ToolsetGroup
    from vibeos.app.vibeos import VibeOS
    from vibeos.memory.checkpoint.context import WorkingContext
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.route import Route
    from vibeos.record import QueuedInput, Session
    from vibeos.record.registry import LivingJob

INTERRUPTED = "The person interrupted the turn here."


class Conversation:
    """Made by `Chat`. Close it: its background commands and its model end with it."""

    def __init__(
        self,
        app: VibeOS,
        session: Session,
        model: Model,
        *,
        source: str,
        notices: tuple[str, ...] = (),
        tools: tuple[Toolset, ...] = (),
    ) -> None:
        self.app = app
        self.session = session
        self.model = model
        self.source = source
        self._tools = tools
        self._workplace = self._make_workplace()
        self.notices = (*notices, *self._place_notices(), *self._prompt_notices(session))
        self._told = set(self.notices)
        self._jobs: CommandJobs | None = None
        self._working = 0  # turns of this conversation that run or wait for their time
        self._outgoing: list[Model] = []  # models that were replaced while a turn might ask them

    @property
    def route(self) -> Route:
        """The model's route."""
        return self.model.route

    @property
    def folder(self) -> str:
        """Where commands run and relative paths begin."""
        return self._workplace.folder

    def say(self, text: str) -> QueuedInput:
        """Deliver what the person typed; it waits in order if a turn is running.

        In an agent's shell it is that agent that speaks, and its words are marked so.
        """
        return self.app.record.inbox.deliver(self.session.id, self._envelope(), text)

    def _envelope(self) -> Envelope:
        environment = self.app.environment
        if environment.agent_session:
            return Envelope(
                InputRoute.RUN, self.source, origin_id="shell", from_session=environment.agent_session
            )
        return Envelope.person(self.source, author_name=environment.person_name)

    def is_anything_waiting(self) -> bool:
        """Whether inputs have arrived that no turn has taken."""
        return bool(self.app.record.inbox.waiting(self.session.id))

    def is_unfinished(self) -> bool:
        """Whether a turn would have something to do by itself: inputs wait, or the last one broke off before its answer
        and the person did not want it to (`note_interrupt`).

        It may load what a turn needs, so an event loop asks in a thread.
        """
        return self.is_anything_waiting() or (self._lacks_an_answer() and not self._was_interrupted())

    def note_interrupt(self) -> None:
        """Record that the person ended the turn before its answer, so that it does not go on by itself some day."""
        if self._lacks_an_answer():
            self.app.record.messages.record_notice(self.session.id, INTERRUPTED)

    def _lacks_an_answer(self) -> bool:
        context = self._context
        context.refresh()
        return bool(context.messages) and context.last_answer is None

    def _was_interrupted(self) -> bool:
        last = self.app.record.sessions.get(self.session.id).next_seq - 1
        messages = self.app.record.messages.of_session(self.session.id, after=last - 1)
        return any(one.type is MessageType.NOTICE and one.text == INTERRUPTED for one in messages)

    async def work(self, progress: Progress | None = None, person: Person | None = None) -> TurnEnd:
        """Work on what waits until the model has answered; `progress` is told what happens, `person` can be asked.

        A second program waits for the end of a turn, and what that turn answered already is its answer too.
        Cancelling it is an interrupt: what is stored stays a valid context.
        """
        from vibeos.agent.loop import run_turn

        self._working += 1
        try:
            async with alone(self.app.scope.turn_lock(self.session.id), patience=TURN_PATIENCE):
                return await run_turn(self._agent(progress or Unwatched(), person or Nobody()))
        except ContextFullError as error:
            self._put_in_words(error)
            raise
        finally:
            self._working -= 1
            await self._let_go()

    def _put_in_words(self, error: ContextFullError) -> None:
        """The one thing that a person ever hears of their context's length, in their language."""
        texts = self.app.catalogue
        what = texts.text(f"full.{error.part}", number=str(error.number))
        error.message = texts.text("full.said", what=what, size=error.size, most=error.most)
        error.remedy = texts.text("full.remedy")
        error.args = (error.message,)

    def warm_up(self) -> None:
        """Load what a turn needs, which takes half a second; for a thread, while the person thinks of what to say."""
        from vibeos.agent import loop  # noqa: F401 - the loading is the point
        from vibeos.app import toolbox  # noqa: F401 - the same

    def turn(self, progress: Progress | None = None, person: Person | None = None) -> TurnEnd:
        """`work`, for a program that waits for it."""
        return asyncio.run(self._work_and_close(progress, person))

    async def _work_and_close(self, progress: Progress | None, person: Person | None) -> TurnEnd:
        try:
            return await self.work(progress, person)
        finally:
            await self.model.close()  # its connections belong to this event loop

    async def switch(self, name: str) -> None:
        """Go on with another model; raises ModelNotConfiguredError, and then nothing changes.

        The one before is closed, at once or when the turn that may ask it has ended.
        """
        other = self.app.chat.open_model(name)
        self._outgoing.append(self.model)
        self.model = other
        await self._let_go()

    async def _let_go(self) -> None:
        while self._outgoing and not self._working:
            await self._outgoing.pop().close()

    def living(self) -> tuple[LivingJob, ...]:
        """What runs or waits for this session: background commands and open questions."""
        return (*self.jobs.living(), *self.app.record.questions.living(self.session.id))

    def ending(self) -> tuple[LivingJob, ...]:
        """The background commands that `close` ends: those that were started in this conversation."""
        jobs = self._jobs
        return () if jobs is None else tuple(job for job in jobs.living() if jobs.is_ours(job.id))

    @property
    def jobs(self) -> CommandJobs:
        """The session's background commands."""
        from vibeos.agent.commands import CommandJobs

        if self._jobs is None:
            self._jobs = CommandJobs(self._workplace, self.app.clock)
        return self._jobs

    @cached_property
    def _context(self) -> WorkingContext:
        from vibeos.memory.checkpoint.context import WorkingContext

        return WorkingContext(self.app.record, self.session.id)

    def news(self) -> tuple[str, ...]:
        """What the person must be told about the prompt's files now, and has not been told in this conversation."""
        found = self._prompt_notices(self.session)
        fresh = tuple(notice for notice in found if notice not in self._told)
        self._told.update(fresh)
        return fresh

    def system(self) -> str:
        """The system prompt of the next turn: the snapshot is the session's own, the files are read now."""
        from vibeos.agent.prompt import IDENTITY, PromptInputs, compose_prompt

        files = context_files(self.app.scope, self.session)
        return compose_prompt(
            PromptInputs(
                identity=files.soul or IDENTITY,
                skills=self.app.skills.catalogue(self.session.project),
                context_files=files.shown,
                session_line=_session_line(self.session),
                snapshot=self.app.record.snapshots.get(self.session.id) or "",
            )
        )

    async def close(self, *, keep_model: bool = False) -> None:
        """End what belongs to the conversation. What was said stays. `keep_model`: another one goes on with the model.

        Other conversations in this program go on while commands take their time to end.
        """
        if self._jobs is not None:
            await asyncio.to_thread(self._jobs.close)
        outgoing, self._outgoing = self._outgoing, []
        for model in outgoing if keep_model else (*outgoing, self.model):
            await model.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _agent(self, progress: Progress, person: Person) -> Agent:
        from vibeos.agent.heard import HeardPerson
        from vibeos.agent.loop import Agent
        from vibeos.app.checkpoints import make_host

        system = self.system()
        heard = HeardPerson(person, self.app.record, self.session.id, self._envelope())
        return Agent(
            record=self.app.record,
            journal=self.app.chat.journal,
            session_id=self.session.id,
            context=self._context,
            model=self.model,
            system=system,
            make_toolset=lambda: self._toolset(heard),
            make_host=lambda toolset: make_host(self, toolset, system),
            progress=progress,
            max_rounds=self.app.config.number("agent.max_rounds"),
        )

    def _toolset(self, person: Person) -> ToolsetGroup:
        from vibeos.app.toolbox import make_toolset

        place = self._workplace
        return make_toolset(self.app, self.session, place, self.jobs, person, more=self._tools)

    def _prompt_notices(self, session: Session) -> tuple[str, ...]:
        return (
            *context_files(self.app.scope, session).notices,
            *self.app.skills.notices(session.project),
        )

    def _place_notices(self) -> tuple[str, ...]:
        """Where commands run, if that is not where the session's own project is."""
        project, folder = self.session.project, os.path.realpath(self.folder)
        if not project or f"{folder}/".startswith(f"{project.rstrip('/')}/"):
            return ()
        return (self.app.catalogue.text("notice.other_folder", project=project, folder=self.folder),)

    def _make_workplace(self) -> Workplace:
        scope, folder = self.app.scope, self.app.environment.folder
        return Workplace(
            session_id=self.session.id,
            folder=folder or self.session.project or os.path.abspath(scope.home),
            home=os.path.abspath(scope.home),
            outputs=scope.outputs(self.session.id),
            jobs=scope.jobs(self.session.id),
            skills=scope.skills,
            environment=self._shell_variables(),
            minds=scope.mind_copies(self.session.id),
        )

    def _shell_variables(self) -> dict[str, str]:
        """The variables of the agent's commands."""
        from vibeos.app.shell_variables import shell_variables

        return shell_variables(self.app.scope, self.app.environment.variables, self.app.config)


def _session_line(session: Session) -> str:
    began = session.started_at[:10]
    project = f" It belongs to the project {one_line(session.project, 300)}." if session.project else ""
    return f"This session began on {began} (UTC).{project}"
