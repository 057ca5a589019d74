"""Conversations with the agent: which session, which model, which prompt; then turns.

A turn's parts are gathered here and given to the agent as values; the agent reads no file and no variable.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vibeos.app.sessions import TURN_PATIENCE
from vibeos.values.envelopes import Envelope
from vibeos.values.errors import FileAccessError, ModelNotConfiguredError, NotFoundError
from vibeos.values.text import one_line

if TYPE_CHECKING:
    from vibeos.agent.loop import Agent, Progress, TurnEnd
    from vibeos.agent.prompt import ContextFile
    from vibeos.agent.toolsets import Toolset
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models.route import Route
    from vibeos.record import QueuedInput, Session

MOST_CONTEXT_BYTES = 500_000  # a prompt shows 20,000 characters of a file; more is no instruction file

WITHOUT_A_MODEL = "Without a model these work already: vibeos memory, sessions, data, project, config, doctor (--help shows how)."


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session that a person talks in, with all that its turns need. `notices` are for the person."""

    app: VibeOS
    session: Session
    route: Route
    api_key: str
    source: str = "cli"
    notices: tuple[str, ...] = ()
    told: set[str] = field(default_factory=set)

    def say(self, text: str) -> QueuedInput:
        """Deliver what the person typed; it waits in order if a turn is running."""
        envelope = Envelope.person(self.source, author_name=self.app.environment.person_name)
        return self.app.record.inbox.deliver(self.session.id, envelope, text)

    def turn(self, progress: Progress | None = None) -> TurnEnd:
        """Work on what waits until the model has answered; `progress` is told what happens meanwhile.

        One turn at a time runs in a session: a second program waits for its end, and what that turn answered
        already is its answer too.
        """
        import asyncio

        from vibeos.agent.loop import Unwatched, run_turn
        from vibeos.ports.guard.lock import locked

        with locked(self.app.scope.turn_lock(self.session.id), timeout=TURN_PATIENCE):
            return asyncio.run(run_turn(self._agent(progress or Unwatched())))

    def news(self) -> tuple[str, ...]:
        """What the person must be told about the context files now, and has not been told in this conversation."""
        found = self.app.chat.context_files(self.session).notices
        fresh = tuple(notice for notice in found if notice not in self.told)
        self.told.update(fresh)
        return fresh

    def _agent(self, progress: Progress) -> Agent:
        from vibeos.agent.loop import Agent

        return Agent(
            record=self.app.record,
            session_id=self.session.id,
            route=self.route,
            api_key=self.api_key,
            system=self.system(),
            make_toolset=self._toolset,
            progress=progress,
        )

    def system(self) -> str:
        """The system prompt of the next turn: the snapshot is the session's own, the files are read now."""
        from vibeos.agent.prompt import IDENTITY, PromptInputs, compose_prompt

        files = self.app.chat.context_files(self.session)
        return compose_prompt(
            PromptInputs(
                identity=files.soul or IDENTITY,
                context_files=files.shown,
                session_line=_session_line(self.session),
                snapshot=self.app.record.snapshots.get(self.session.id) or "",
            )
        )

    def _toolset(self) -> Toolset:
        from vibeos.agent.tools.memory import MemoryTool
        from vibeos.agent.tools.search import SearchTool
        from vibeos.agent.toolsets import ToolsetGroup

        toolsets: list[Toolset] = [SearchTool(self.app.record, self.session)]
        if self.app.memory.curated.settings.targets:
            toolsets.insert(0, MemoryTool(self.app.memory.curated, self.app.catalogue))
        return ToolsetGroup(toolsets)


def _session_line(session: Session) -> str:
    began = session.started_at[:10]
    project = f" It belongs to the project {one_line(session.project, 300)}." if session.project else ""
    return f"This session began on {began} (UTC).{project}"


@dataclass(frozen=True, slots=True)
class ContextFiles:
    """The person's own files for the prompt, and what the person must be told about them."""

    soul: str = ""
    shown: tuple[ContextFile, ...] = ()
    notices: tuple[str, ...] = ()


class Chat:
    """Begins and resumes conversations."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def begin(self, *, source: str = "cli") -> Conversation:
        """A conversation in a new session."""
        route, api_key = self._route()
        snapshot = self._app.memory.snapshot()
        session = self._app.record.sessions.start(
            source=source,
            project=self._app.projects.current(),
            user_id=self._app.scope.user,
            model=route.name,
        )
        self._app.record.snapshots.freeze(session.id, snapshot.text)
        return self._conversation(session, route, api_key, source, snapshot.notices)

    def resume(self, session_id: str, *, source: str = "cli") -> Conversation:
        """The conversation of an earlier session; its snapshot stays as it was."""
        route, api_key = self._route()
        session = self._app.sessions.find(session_id)
        snapshot = self._app.memory.snapshot()
        self._app.record.snapshots.freeze(session.id, snapshot.text)
        return self._conversation(session, route, api_key, source, snapshot.notices)

    def resume_latest(self, *, source: str = "cli") -> Conversation:
        """The conversation of this surface used last in this folder's project; outside projects, that has none."""
        session = self._app.sessions.latest(project=self._app.projects.current(), source=source)
        if session is None:
            raise NotFoundError(
                "there is no conversation to continue here", remedy="Start one with `vibeos chat`."
            )
        return self.resume(session.id, source=source)

    def _conversation(
        self, session: Session, route: Route, api_key: str, source: str, notices: tuple[str, ...]
    ) -> Conversation:
        told = (*notices, *self.context_files(session).notices)
        return Conversation(self._app, session, route, api_key, source, told, set(told))

    def _route(self) -> tuple[Route, str]:
        from vibeos.ports.models.route import HOW_TO_CONFIGURE, parse_route, require_key

        config = self._app.config
        name = config.text("model.name")
        if not name:
            raise ModelNotConfiguredError(
                "no model is configured, so there is nobody to talk with yet.",
                remedy=f"{HOW_TO_CONFIGURE}\n{WITHOUT_A_MODEL}",
            )
        route = parse_route(
            name,
            base_url=config.text("model.base_url"),
            api_key_env=config.text("model.api_key_env"),
            context_window=config.optional_number("model.context_window"),
            max_output_tokens=config.optional_number("model.max_output_tokens"),
        )
        return route, require_key(
            route, self._app.environment.get(route.api_key_env) if route.api_key_env else ""
        )

    def route_name(self) -> str:
        """The configured model's name, once its route and its key are known to be there."""
        route, _ = self._route()
        return f"{route.name} at {route.address}"

    def context_files(self, session: Session) -> ContextFiles:
        """`SOUL.md` of the home and `AGENTS.md` of the session's project, each only if it passes the scan."""
        from vibeos.agent.prompt import ContextFile

        soul, notices = self._scanned(self._app.scope.soul_file, inside=os.fspath(self._app.scope.home))
        files = ContextFiles(soul=soul, notices=notices)
        if not session.project:
            return files
        path = os.path.join(session.project, "AGENTS.md")
        text, notices = self._scanned(path, inside=session.project)
        shown = (ContextFile(path, text),) if text else ()
        return replace(files, shown=shown, notices=files.notices + notices)

    def _scanned(self, path: str, *, inside: str) -> tuple[str, tuple[str, ...]]:
        """The file's text; empty, with a word for the person, where it must not or cannot be shown to a model.

        A link out of its folder is not followed: a project from elsewhere must not choose which file is sent away.
        """
        from vibeos.ports.guard.files import read_bytes
        from vibeos.ports.guard.scan import explain, scan

        if os.path.commonpath([os.path.realpath(path), os.path.realpath(inside)]) != os.path.realpath(inside):
            return "", (f"{path} is withheld from the model: it is a link out of {inside}",)
        try:
            data = read_bytes(path, most=MOST_CONTEXT_BYTES)
        except FileAccessError as error:
            return "", (f"{path} is withheld from the model: {error.message}",)
        text = (data or b"").decode("utf-8-sig", "replace")
        if findings := scan(text, scope="context"):
            return "", (f"{path} is withheld from the model: {explain(findings)}",)
        return text, ()
