"""Verbs over sessions, and a session as a program holds it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from vibeos.values.envelopes import Envelope
from vibeos.values.errors import FileAccessError, LockedError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.app.vibeos import VibeOS
    from vibeos.record import Deletion, Message, Record, Session


TURN_PATIENCE = 600.0  # seconds to wait for another program's turn in the same session


DELETE_PATIENCE = 5.0


def _is_in_event_loop() -> bool:
    """Whether waiting here would hold up an event loop, perhaps the one in which the awaited turn runs."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class SessionHandle:
    """One session that a program writes to: what was typed, and what was replied."""

    def __init__(self, record: Record, session: Session, turn_lock: str) -> None:
        self._record = record
        self._session = session
        self._turn_lock = turn_lock

    @property
    def id(self) -> str:
        """The session's id."""
        return self._session.id

    @property
    def info(self) -> Session:
        """The session's row as it is now."""
        return self._record.sessions.get(self.id)

    def typed(self, text: str, *, author: str = "") -> Message:
        """Record what a person typed. Waits for the end of a turn that another program runs in this session."""
        return self.delivered(Envelope.person(self._session.source, author_name=author), text)

    def delivered(self, envelope: Envelope, text: str) -> Message:
        """Record an input that came by another route; the envelope says by which. Waits as `typed` does, so that no
        answer in the making is taken for an answer to this."""
        from vibeos.ports.guard.lock import locked

        self._record.sessions.get(self.id)  # a deleted session gets no lock file again
        with locked(self._turn_lock, timeout=0 if _is_in_event_loop() else TURN_PATIENCE):
            return self._record.messages.record_input(self.id, envelope, text)

    def replied(self, text: str, *, model: str = "") -> Message:
        """Record what the agent answered."""
        from vibeos.ports.models.plain import plain_response

        return self._record.messages.record_response(
            self.id, text=text, payload=plain_response(text), model=model
        )

    def messages(self) -> tuple[Message, ...]:
        """Every message of the session, in order."""
        return self._record.messages.of_session(self.id)


class SessionVerbs:
    """What a person or a program may do with sessions."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def start(self, *, source: str = "python", title: str = "", model: str = "") -> SessionHandle:
        """Begin a session in the project of the current folder."""
        session = self._app.record.sessions.start(
            source=source,
            project=self._app.projects.current(),
            user_id=self._app.scope.user,
            title=title,
            model=model,
        )
        return self._handle(session)

    def open(self, session_id: str) -> SessionHandle:
        """Go on with a session, by its id or an unambiguous beginning of it."""
        return self._handle(self.find(session_id))

    def _handle(self, session: Session) -> SessionHandle:
        return SessionHandle(self._app.record, session, self._app.scope.turn_lock(session.id))

    def find(self, session_id: str) -> Session:
        """The session with this id, or with an unambiguous beginning of it; raises `NotFoundError`."""
        return self._app.record.sessions.resolve(session_id, user_id=self._app.scope.user)

    def list(self, *, project: str | None = None, limit: int = 20, offset: int = 0) -> tuple[Session, ...]:
        """Sessions in which something was said, the one used last first. `project=None` lists all."""
        return self._app.record.sessions.list(
            project=project, user_id=self._app.scope.user, spoken=True, limit=limit, offset=offset
        )

    def count(self, *, project: str | None = None) -> int:
        """How many sessions `list` would give without a limit."""
        return self._app.record.sessions.count(project=project, user_id=self._app.scope.user, spoken=True)

    def latest(self, *, project: str | None = None, source: str | None = None) -> Session | None:
        """The session in which something was said last; of this project and this surface, if they are named."""
        return self._app.record.sessions.latest(
            project=project, user_id=self._app.scope.user, source=source, spoken=True
        )

    def show(
        self, session_id: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Session, tuple[Message, ...]]:
        """A session and its messages whose number is above `after`."""
        session = self.find(session_id)
        return session, self._app.record.messages.of_session(session.id, after=after, limit=limit)

    def rename(self, session_id: str, title: str) -> Session:
        """Give a session another title."""
        self._app.environment.require_person("rename a session")
        return self._app.record.sessions.rename(self.find(session_id).id, title)

    def export(self, session_id: str) -> Iterator[dict[str, Any]]:
        """A session as JSON values: a header, then each message."""
        return self._app.record.sessions.export(self.find(session_id).id)

    def delete(self, session_id: str) -> Deletion:
        """Delete a session everywhere, for good; the result names what could not be reached."""
        from vibeos.ports.guard.files import remove_folder
        from vibeos.ports.guard.lock import locked

        self._app.environment.require_person("delete a session")
        session_id = self.find(session_id).id
        lock = self._app.scope.turn_lock(session_id)
        try:
            with locked(lock, timeout=DELETE_PATIENCE):
                # Folders first: should the program die in between, the session is still there to be deleted again.
                self._end_commands(session_id)
                for folder in self._app.scope.folders_of(session_id):
                    remove_folder(folder)
                return self._app.record.sessions.delete(session_id)
        except LockedError as error:
            raise LockedError(
                f"A turn is running in session {session_id!r}; nothing was deleted.",
                remedy="Interrupt it or wait for its end, then delete the session.",
            ) from error
        finally:
            if not self._exists(session_id):
                with suppress(FileNotFoundError):
                    os.unlink(lock)

    def _end_commands(self, session_id: str) -> None:
        """End what the session left running in the background: without it nobody could find it again."""
        scope = self._app.scope
        if not os.path.isdir(scope.jobs(session_id)):
            return
        from vibeos.agent.commands import CommandJobs
        from vibeos.agent.workplace import Workplace

        home = os.path.abspath(scope.home)
        place = Workplace(
            session_id, home, home, scope.outputs(session_id), scope.jobs(session_id), scope.skills, {}
        )
        jobs = CommandJobs(place, self._app.clock)
        for job in jobs.living():
            jobs.stop(job.id)

    def _exists(self, session_id: str) -> bool:
        try:
            self._app.record.sessions.get(session_id)
        except NotFoundError:
            return False
        return True

    def export_to(self, session_id: str, path: str) -> int:
        """Write an export into a file, whole or not at all (a pipe or a device is written as it is); its messages.

        Never into the home: what lies there is not to be written over.
        """
        import json

        from vibeos.ports.guard.files import put_bytes

        home, target = os.path.realpath(self._app.scope.home), os.path.realpath(path)
        if os.path.commonpath([home, target]) == home:
            raise FileAccessError(
                f"{path!r} lies in VibeOS's own home; nothing was written.", remedy="Choose another place."
            )
        lines = [json.dumps(row, ensure_ascii=True) + "\n" for row in self.export(session_id)]
        put_bytes(path, "".join(lines).encode())
        return len(lines) - 1
