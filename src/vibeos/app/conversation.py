"""A conversation: a session that a person talks in, with all that its turns need.

What a turn needs is gathered here and given to the agent as values; the agent reads no configuration and no variable.
One turn at a time runs in a session, also across programs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from vibeos.agent.person import Nobody
from vibeos.agent.progress import Unwatched
from vibeos.agent.workplace import Workplace
from vibeos.app.context_files import context_files
from vibeos.app.sessions import TURN_PATIENCE
from vibeos.ports.guard.lock import locked
from vibeos.values.envelopes import Envelope, InputRoute
from vibeos.values.errors import LockedError
from vibeos.values.text import one_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from vibeos.agent.commands import CommandJobs
    from vibeos.agent.context import WorkingContext
    from vibeos.agent.loop import Agent, TurnEnd
    from vibeos.agent.person import Person
    from vibeos.agent.progress import Progress
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.route import Route
    from vibeos.record import QueuedInput, Session
    from vibeos.record.registry import LivingJob

_LOOK = 0.05  # seconds between two looks whether another program's turn has ended


class Conversation:
    """Made by `Chat`. Close it: its background commands and its model end with it."""

    def __init__(
        self, app: VibeOS, session: Session, model: Model, *, source: str, notices: tuple[str, ...] = ()
    ) -> None:
        self.app = app
        self.session = session
        self.model = model
        self.source = source
        self.notices = (*notices, *self._prompt_notices(session))
        self._told = set(self.notices)
        self._workplace = self._make_workplace()
        self._jobs: CommandJobs | None = None

    @property
    def route(self) -> Route:
        """The model's route."""
        return self.model.route

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

    async def work(self, progress: Progress | None = None, person: Person | None = None) -> TurnEnd:
        """Work on what waits until the model has answered; `progress` is told what happens, `person` can be asked.

        A second program waits for the end of a turn, and what that turn answered already is its answer too.
        Cancelling it is an interrupt: what is stored stays a valid context.
        """
        from vibeos.agent.loop import run_turn

        async with self._alone():
            return await run_turn(self._agent(progress or Unwatched(), person or Nobody()))

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

    def switch(self, name: str) -> None:
        """Go on with another model; raises ModelNotConfiguredError, and then nothing changes."""
        self.model = self.app.chat.open_model(name)

    def living(self) -> tuple[LivingJob, ...]:
        """What runs or waits for this session: background commands and open questions."""
        return (*self.jobs.living(), *self.app.record.questions.living(self.session.id))

    @property
    def jobs(self) -> CommandJobs:
        """The session's background commands."""
        from vibeos.agent.commands import CommandJobs

        if self._jobs is None:
            self._jobs = CommandJobs(self._workplace, self.app.clock)
        return self._jobs

    @cached_property
    def _context(self) -> WorkingContext:
        from vibeos.agent.context import WorkingContext

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

    async def close(self) -> None:
        """End what belongs to the conversation. What was said stays."""
        if self._jobs is not None:
            self._jobs.close()
        await self.model.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _agent(self, progress: Progress, person: Person) -> Agent:
        from vibeos.agent.heard import HeardPerson
        from vibeos.agent.loop import Agent
        from vibeos.app.toolbox import make_toolset

        heard = HeardPerson(person, self.app.record, self.session.id, self._envelope())
        return Agent(
            record=self.app.record,
            journal=self.app.chat.journal,
            session_id=self.session.id,
            context=self._context,
            model=self.model,
            system=self.system(),
            make_toolset=lambda: make_toolset(self.app, self.session, self._workplace, self.jobs, heard),
            progress=progress,
            max_rounds=self.app.config.number("agent.max_rounds"),
        )

    def _prompt_notices(self, session: Session) -> tuple[str, ...]:
        return (
            *context_files(self.app.scope, session).notices,
            *self.app.skills.notices(session.project),
        )

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
        )

    def _shell_variables(self) -> dict[str, str]:
        """The person's variables, with our commands on the path, for this home and this profile."""
        scope, variables = self.app.scope, dict(self.app.environment.variables)
        variables["VIBEOS_HOME"] = os.path.abspath(scope.root)
        ours, path = os.path.dirname(sys.executable), variables.get("PATH", os.defpath)
        if ours not in path.split(os.pathsep):
            variables["PATH"] = os.pathsep.join([path, ours])
        return variables

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Keep other programs' turns out of this session, without holding up what else runs in this one."""
        lock, deadline = self.app.scope.turn_lock(self.session.id), time.monotonic() + TURN_PATIENCE
        while True:
            holding = locked(lock, timeout=0)
            try:
                holding.__enter__()
            except LockedError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(_LOOK)
                continue
            break
        try:
            yield
        finally:
            holding.__exit__(None, None, None)


def _session_line(session: Session) -> str:
    began = session.started_at[:10]
    project = f" It belongs to the project {one_line(session.project, 300)}." if session.project else ""
    return f"This session began on {began} (UTC).{project}"
