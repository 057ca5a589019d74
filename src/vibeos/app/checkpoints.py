"""Checkpoints as a conversation needs them, and verbs to look at them: what was made, what was tried, what was settled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.errors import NotFoundError, VibeOSError

if TYPE_CHECKING:
    from vibeos.agent.toolsets import ToolsetGroup
    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.memory.checkpoint.host import Host
    from vibeos.record import Attempt, Checkpoint, SkillLoad

LOG_NAME = "checkpoints.log"


class Tried(NamedTuple):
    """One attempt, and the checkpoint that came of it, if one did."""

    attempt: Attempt
    made: Checkpoint | None

    @property
    def parts(self) -> dict[str, str]:
        """The parts of the checkpoint as texts, by name; empty for an attempt that failed."""
        if self.made is None:
            return {}
        from vibeos.memory.checkpoint.state import parts_of

        return parts_of(self.made)


def make_host(conversation: Conversation, toolset: ToolsetGroup, system: str) -> Host:
    """What checkpoints of this conversation need in a turn with this system prompt."""
    from vibeos.memory.checkpoint.host import Host, how_to_look

    app, session = conversation.app, conversation.session
    return Host(
        model=conversation.model,
        system=system,
        tools=toolset.specs(),
        scratch=app.scope.scratch(session.id),
        copies=app.scope.mind_copies(session.id),
        lookup=how_to_look(session.id),
        read=toolset.call,
        living=conversation.living,
        skill=lambda load: _skill_text(app, load, session.project),
        log=CheckpointLog(app),
    )


class CheckpointLog:
    """A line for each attempt in `logs/checkpoints.log`. Where it cannot be written, the record's rows are enough."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def __call__(self, line: str) -> None:
        from vibeos.ports.guard.files import ensure_folder
        from vibeos.values.clock import stamp
        from vibeos.values.text import one_line

        folder = self._app.scope.logs
        try:
            ensure_folder(folder)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(os.path.join(folder, LOG_NAME), flags, 0o600)
            with open(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{stamp(self._app.clock())} {one_line(line, 2_000)}\n")
        except (OSError, VibeOSError):
            return


class CheckpointVerbs:
    """Looking at the checkpoints of a session."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def tried(self, session_id: str) -> tuple[Tried, ...]:
        """Every attempt of a session, the oldest first. Raises NotFoundError."""
        session = self._app.sessions.find(session_id)
        checkpoints = self._app.record.checkpoints
        made = {one.row_id: one for one in checkpoints.of_session(session.id)}
        return tuple(
            Tried(attempt, made.get(attempt.row_id) if attempt.row_id is not None else None)
            for attempt in checkpoints.attempts(session.id)
        )

    def one(self, session_id: str, number: int) -> Tried:
        """One attempt by its number. Raises NotFoundError."""
        for tried in self.tried(session_id):
            if tried.attempt.number == number:
                return tried
        raise NotFoundError(
            f"Session {session_id!r} has no checkpoint attempt {number}.",
            remedy=f"`vibeos sessions checkpoints {session_id}` lists them.",
        )


def _skill_text(app: VibeOS, load: SkillLoad, project: str) -> str | None:
    """The skill as it is now; None where it is gone, or does not pass the scan any more."""
    try:
        return app.skills.shelf(project).get(load.name).body
    except VibeOSError:
        return None
