"""Which skills a session loaded, when, and behind which of its messages: a checkpoint puts back what was loaded last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.record.exact import cleaned
from vibeos.record.sessions import no_such_session
from vibeos.values.clock import Clock, stamp, system_clock

if TYPE_CHECKING:
    from vibeos.ports.store import Database, Row


@dataclass(frozen=True, slots=True)
class SkillLoad:
    """A skill that a session loaded. `after_seq`: the number of the session's newest message then, 0 for none."""

    session_id: str
    name: str
    path: str
    after_seq: int
    loaded_at: str


class SkillLoads:
    """The skills that sessions loaded. What a skill said stays in its file; only its name and path are kept."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def note(self, session_id: str, name: str, path: str) -> SkillLoad:
        """Note that the session loads the skill now. Raises NotFoundError."""
        with self._database.write() as transaction:
            row = transaction.one(
                "insert_skill_load",
                session_id=session_id,
                name=cleaned(name),
                path=cleaned(path),
                now=stamp(self._clock()),
            )
        if row is None:
            raise no_such_session(session_id)
        return _load(row)

    def of_session(self, session_id: str) -> tuple[SkillLoad, ...]:
        """The newest load of each skill, the one loaded last first."""
        with self._database.read() as transaction:
            return tuple(map(_load, transaction.all("session_skill_loads", session_id=session_id)))


def _load(row: Row) -> SkillLoad:
    return SkillLoad(row["session_id"], row["name"], row["path"], row["after_seq"], row["loaded_at"])
