"""Sessions: conversations with an id, a title, an owner, a project and their own numbering.

A session is active when something is recorded in it. Deleting one leaves nothing of it: no row, no index entry, no
bytes in the files (`forgetting`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vibeos.record.exact import cleaned
from vibeos.record.export import exported
from vibeos.record.forgetting import FORGET, finish_forgetting
from vibeos.values.clock import Clock, stamp, system_clock
from vibeos.values.errors import NotFoundError
from vibeos.values.ids import checked_id, new_id
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.ports.store import Database, Row

SHORTEST_PREFIX = 4
_CANDIDATES = 6
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Session:
    """Stamps are ISO text in UTC, empty where there is none. `user_id` is empty for the local person."""

    id: str
    title: str
    title_is_set: bool
    source: str
    user_id: str
    project: str
    backend: str
    model: str
    mode: str
    parent_id: str
    started_at: str
    last_active_at: str
    ended_at: str
    next_seq: int
    message_count: int


@dataclass(frozen=True, slots=True)
class Deletion:
    """What went with a session.

    `traces_gone`: False where bytes of it remain in the files for now, because another program was reading or the
    disk is full; the next opening tries again. `copies`: backups that were made while it was there.
    """

    session_id: str
    messages: int
    context_rows: int
    queued: int
    snapshots: int
    traces_gone: bool
    copies: tuple[str, ...] = ()


class Sessions:
    """`project=None` means any project, `user_id=None` every user; `user_id=""` is the local person.

    `spoken`: only sessions in which something was said, or waits to be.
    """

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def start(
        self,
        *,
        source: str,
        project: str = "",
        user_id: str = "",
        model: str = "",
        title: str = "",
        parent_id: str = "",
        mode: str = "full",
        backend: str = "vibey",
    ) -> Session:
        """Begin a session. Without a title it gets one from the first message that a person writes."""
        moment = self._clock()
        if parent_id:
            self.get(parent_id)
        with self._database.write() as transaction:
            row = transaction.one(
                "insert_session",
                id=new_id(moment),
                title=_title(title),
                title_is_set=int(bool(_title(title))),
                source=cleaned(source),
                user_id=cleaned(user_id),
                project=cleaned(project),
                backend=cleaned(backend),
                model=cleaned(model),
                mode=cleaned(mode),
                parent_id=parent_id or None,
                now=stamp(moment),
            )
        assert row is not None
        return _session(row)

    def get(self, session_id: str) -> Session:
        """One session by its whole id. Raises NotFoundError, InvalidIdError."""
        with self._database.read() as transaction:
            row = transaction.one("session", session_id=checked_id(session_id))
        if row is None:
            raise no_such_session(session_id)
        return _session(row)

    def resolve(self, prefix: str, *, user_id: str | None = "") -> Session:
        """One session by its id, or by the beginning of its id where no other begins so. Raises NotFoundError."""
        checked_id(prefix)
        with self._database.read() as transaction:
            rows = transaction.all("sessions_that_begin", prefix=prefix, user_id=user_id, most=_CANDIDATES)
        found = [row for row in rows if row["id"] == prefix] or (
            rows if len(prefix) >= SHORTEST_PREFIX else []
        )
        if not found:
            raise no_such_session(prefix)
        if len(found) > 1:
            raise _ambiguous(prefix, [row["id"] for row in found])
        return _session(found[0])

    def list(
        self,
        *,
        project: str | None = None,
        user_id: str | None = "",
        spoken: bool = False,
        limit: int = 20,
        offset: int = 0,
    ) -> tuple[Session, ...]:
        """Sessions, those with the newest activity first."""
        return self._listed(
            project=project, user_id=user_id, source=None, spoken=spoken, most=limit, skipped=offset
        )

    def count(self, *, project: str | None = None, user_id: str | None = "", spoken: bool = False) -> int:
        """How many `list` would give without a limit."""
        with self._database.read() as transaction:
            row = transaction.one(
                "count_sessions", project=_cleaned(project), user_id=_cleaned(user_id), spoken=int(spoken)
            )
        return int(row["sessions"]) if row else 0

    def latest(
        self,
        *,
        project: str | None = None,
        user_id: str | None = "",
        source: str | None = None,
        spoken: bool = False,
    ) -> Session | None:
        """The session with the newest activity."""
        found = self._listed(
            project=project, user_id=user_id, source=source, spoken=spoken, most=1, skipped=0
        )
        return found[0] if found else None

    def rename(self, session_id: str, title: str) -> Session:
        """Give a session a title; an empty one lets it have its automatic title again with the next message."""
        title = _title(title)
        with self._database.write() as transaction:
            row = transaction.one(
                "rename_session",
                session_id=checked_id(session_id),
                title=title,
                title_is_set=int(bool(title)),
            )
        if row is None:
            raise no_such_session(session_id)
        return _session(row)

    def end(self, session_id: str) -> Session:
        """Note that a session has ended. What is recorded in it later opens it again."""
        with self._database.write() as transaction:
            row = transaction.one("end_session", session_id=checked_id(session_id), now=stamp(self._clock()))
        if row is None:
            raise no_such_session(session_id)
        return _session(row)

    def delete(self, session_id: str) -> Deletion:
        """Delete a session with everything in it, from the files too. Sessions that it began stay."""
        checked_id(session_id)
        with self._database.write() as transaction:
            transaction.run("unindex_session", session_id=session_id)
            context_rows = transaction.run("delete_session_context", session_id=session_id)
            transaction.run("keep_given_ids")
            messages = transaction.run("delete_session_messages", session_id=session_id)
            queued = transaction.run("delete_session_inbox", session_id=session_id)
            transaction.run("delete_session_deliveries", session_id=session_id)
            transaction.run("delete_session_questions", session_id=session_id)
            transaction.run("delete_session_skill_loads", session_id=session_id)
            transaction.run("delete_session_checkpoints", session_id=session_id)
            transaction.run("delete_session_attempts", session_id=session_id)
            snapshots = transaction.run("delete_session_snapshot", session_id=session_id)
            if not transaction.run("delete_session", session_id=session_id):
                raise no_such_session(session_id)
            transaction.run("note_another_chore", name=FORGET)
        gone = finish_forgetting(self._database)
        return Deletion(session_id, messages, context_rows, queued, snapshots, gone, self._database.copies())

    def export(self, session_id: str) -> Iterator[dict[str, Any]]:
        """A session as dictionaries that JSON can hold: a header, then each message in order."""
        return exported(self._database, self.get(session_id))

    def _listed(
        self,
        *,
        project: str | None,
        user_id: str | None,
        source: str | None,
        spoken: bool,
        most: int,
        skipped: int,
    ) -> tuple[Session, ...]:
        with self._database.read() as transaction:
            rows = transaction.all(
                "list_sessions",
                project=_cleaned(project),
                user_id=_cleaned(user_id),
                source=_cleaned(source),
                spoken=int(spoken),
                most=most,
                skipped=skipped,
            )
        return tuple(map(_session, rows))


def no_such_session(session_id: str) -> NotFoundError:
    """The error to raise."""
    return NotFoundError(
        f"There is no session {preview(session_id)!r}.",
        remedy="`vibeos sessions list` shows those that there are.",
    )


def _ambiguous(prefix: str, candidates: list[str]) -> NotFoundError:
    names = ", ".join(candidates[: _CANDIDATES - 1]) + (", …" if len(candidates) == _CANDIDATES else "")
    return NotFoundError(
        f"More than one session begins with {prefix!r}: {names}.", remedy="Give more of the id."
    )


def _session(row: Row) -> Session:
    values = {name: row[name] for name in Session.__slots__}
    values["title_is_set"] = bool(row["title_is_set"])
    values["ended_at"] = row["ended_at"] or ""
    values["parent_id"] = row["parent_id"] or ""
    return Session(**values)


def _title(title: str) -> str:
    return preview(cleaned(title), _LONGEST_TITLE)


def _cleaned(text: str | None) -> str | None:
    return None if text is None else cleaned(text)
