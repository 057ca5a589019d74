"""Beginning and resuming conversations: which session, which model, which memory it sees."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from vibeos.values.errors import ModelNotConfiguredError, NotFoundError, VibeOSError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.agent.journal import Journal
    from vibeos.agent.toolsets import Toolset
    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.memory.curated.snapshot import Snapshot
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.route import Route
    from vibeos.record import Session

WITHOUT_A_MODEL = "Without a model these work already: vibeos memory, sessions, data, project, config, skill, doctor (--help shows how)."


class Chat:
    """Begins and resumes conversations."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    @cached_property
    def journal(self) -> Journal:
        """The way of this program's turns into the record, shared by all its conversations."""
        from vibeos.agent.journal import Journal

        return Journal(self._app.record)

    def begin(
        self, *, source: str = "cli", model: Model | None = None, tools: Sequence[Toolset] = ()
    ) -> Conversation:
        """A conversation in a new session, with the configured model or the one that is given.

        `tools`: toolsets of the caller's beside our own. Their names must differ from ours.
        """
        model = model or self.open_model()
        snapshot = self._app.memory.snapshot()  # first: where memory cannot be read, no session begins
        session = self._app.record.sessions.start(
            source=source,
            project=self._app.projects.current(),
            user_id=self._app.scope.user,
            model=model.route.name,
        )
        return self._conversation(session, model, source, snapshot, tools)

    def resume(
        self,
        session_id: str,
        *,
        source: str = "cli",
        model: Model | None = None,
        tools: Sequence[Toolset] = (),
    ) -> Conversation:
        """The conversation of an earlier session; its snapshot stays as it was."""
        model = model or self.open_model()
        session = self._app.sessions.find(session_id)
        if session.id == self._app.environment.agent_session:
            raise VibeOSError(
                f"session {session.id!r} is the one whose agent runs this shell, and its turn would wait for itself",
                remedy="Begin another conversation: vibeos chat -q TEXT",
            )
        return self._conversation(session, model, source, self._app.memory.snapshot(), tools)

    def resume_latest(self, *, source: str = "cli", model: Model | None = None) -> Conversation:
        """The conversation of this surface used last in this folder's project; outside projects, that has none."""
        session = self._app.sessions.latest(project=self._app.projects.current(), source=source)
        if session is None:
            raise NotFoundError(
                "there is no conversation to continue here", remedy="Start one with `vibeos chat`."
            )
        return self.resume(session.id, source=source, model=model)

    def typed_before(self, limit: int = 1_000) -> list[str]:
        """What the person typed in earlier conversations, the oldest first. It is read from the record, its only copy."""
        return self._app.record.messages.typed_last(limit, user_id=self._app.scope.user)

    def open_model(self, name: str = "") -> Model:
        """The configured model, or another one by its name; raises ModelNotConfiguredError."""
        from vibeos.ports.models import open_model

        route, api_key = self._route(name)
        return open_model(route, api_key)

    def route_name(self) -> str:
        """The configured model's name, once its route and its key are known to be there."""
        route, _ = self._route()
        return f"{route.name} at {route.address}" if route.address else route.name

    def _conversation(
        self, session: Session, model: Model, source: str, snapshot: Snapshot, tools: Sequence[Toolset]
    ) -> Conversation:
        from vibeos.app.conversation import Conversation

        self._app.record.snapshots.freeze(session.id, snapshot.text)
        return Conversation(
            self._app, session, model, source=source, notices=snapshot.notices, tools=tuple(tools)
        )

    def _route(self, name: str = "") -> tuple[Route, str]:
        from vibeos.app.vibeos import vendor
        from vibeos.ports.models.route import HOW_TO_CONFIGURE, parse_route, require_key

        config = self._app.config
        configured = config.text("model.name")
        # Address and key were set for the configured model's vendor: a key must not go to another one unasked.
        is_other = bool(name and configured) and vendor(name) != vendor(configured)
        name = name or configured
        if not name:
            raise ModelNotConfiguredError(
                "no model is configured, so there is nobody to talk with yet.",
                remedy=f"{HOW_TO_CONFIGURE}\n{WITHOUT_A_MODEL}",
            )
        route = parse_route(
            name,
            base_url="" if is_other else config.text("model.base_url"),
            api_key_env="" if is_other else config.text("model.api_key_env"),
            context_window=config.optional_number("model.context_window"),
            max_output_tokens=config.optional_number("model.max_output_tokens"),
            input_limit=config.optional_number("model.input_limit"),
            price_step=config.optional_number("model.price_step"),
        )
        key = self._app.environment.get(route.api_key_env) if route.api_key_env else ""
        return route, require_key(route, key)
