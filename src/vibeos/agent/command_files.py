"""What is known of a session's background commands, as files: `<id>.json` its state, `<id>.log` its output.

Both are written by the command's keeper, for their owner alone. An id is never given twice in a session, and none that
a model gives becomes a path before its form was checked.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vibeos.agent.processes import birth
from vibeos.ports.guard.files import atomic_write, ensure_folder, read_bytes, refused
from vibeos.values.clock import stamp
from vibeos.values.errors import InvalidIdError, NotFoundError

_ID = r"c[1-9][0-9]{0,8}"
_MOST_STATE = 4_000_000  # bytes of a state file; a command has at most 128 KB on most systems


@dataclass(frozen=True, slots=True)
class CommandJob:
    """What is known of one command. `status` is None until it has ended, and for one whose keeper was killed.

    `pid` and `birth` are the keeper's, which leads the command's process group. `runs`: the command, or something that
    it started and that still has its output, is alive.
    """

    id: str
    command: str
    pid: int
    birth: str
    started_at: str
    ended_at: str
    status: int | None
    runs: bool


class CommandFiles:
    """The folder with the commands of one session, which is made when the first one starts."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._ended: dict[str, CommandJob] = {}  # nothing changes about these any more

    def state(self, id_: str) -> str:
        """The path of a state."""
        return os.path.join(self._folder, f"{id_}.json")

    def log(self, id_: str) -> str:
        """The path of an output."""
        return os.path.join(self._folder, f"{id_}.log")

    def reserve(self) -> str:
        """The next id. Its log is made for it alone, so another process of ours cannot take the same."""
        ensure_folder(self._folder)
        number = 1 + max((int(id_[1:]) for id_ in (*self._ids(".log"), *self._ids(".json"))), default=0)
        while True:
            path = self.log(f"c{number}")
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                number += 1
            except OSError as error:
                raise refused("write", path, error) from error
            else:
                return f"c{number}"

    def jobs(self) -> tuple[CommandJob, ...]:
        """All that are known, the oldest first."""
        found = (self._read(id_) for id_ in self._ids(".json"))
        return tuple(job for job in found if job is not None)

    def job(self, id_: str) -> CommandJob:
        """One of them; raises InvalidIdError and NotFoundError."""
        if not re.fullmatch(_ID, id_):
            raise InvalidIdError(
                f"{id_[:80]!r} is not the id of a background command; they are c1, c2 and so on."
            )
        job = self._read(id_)
        if job is None:
            names = ", ".join(self._ids(".json")) or "none"
            raise NotFoundError(f"There is no background command {id_!r}. There are: {names}.")
        return job

    def note_killed(self, id_: str, ended_at: str) -> None:
        """Write the end that a killed keeper could not write."""
        known = self._known(id_)
        if known is None or "seconds" in known:
            return
        known.setdefault("status", 137)  # as a shell tells an end by SIGKILL
        known["ended_at"] = ended_at
        atomic_write(self.state(id_), json.dumps(known).encode(), durable=False)

    def _ids(self, ending: str) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise refused("read", self._folder, error) from error
        found = [name.removesuffix(ending) for name in names if re.fullmatch(_ID + re.escape(ending), name)]
        return sorted(found, key=lambda id_: int(id_[1:]))

    def _read(self, id_: str) -> CommandJob | None:
        """The job; None where nothing is known of it, which a file that is no state of ours counts as."""
        if id_ in self._ended:
            return self._ended[id_]
        job = _job_of(id_, self._known(id_))
        if job is not None and not job.ended_at and not job.runs:
            job = _job_of(id_, self._known(id_))  # it may have noted its end between our two looks
        if job is not None and job.ended_at:
            self._ended[id_] = job
        return job

    def _known(self, id_: str) -> dict[str, Any] | None:
        data = read_bytes(self.state(id_), most=_MOST_STATE)
        try:
            known = json.loads(data) if data is not None else None
        except ValueError:
            return None
        return known if isinstance(known, dict) else None


def _job_of(id_: str, known: dict[str, Any] | None) -> CommandJob | None:
    if known is None:
        return None
    command, pid, began, started_at = (known.get(key) for key in ("command", "pid", "birth", "started_at"))
    if type(pid) is not int or not all(isinstance(one, str) for one in (command, began, started_at)):
        return None
    status = known.get("status")
    ended_at = _ended_at(str(started_at), known)
    return CommandJob(
        id=id_,
        command=str(command),
        pid=pid,
        birth=str(began),
        started_at=str(started_at),
        ended_at=ended_at,
        status=status if type(status) is int else None,
        runs=not ended_at and bool(began) and birth(pid) == began,
    )


def _ended_at(started_at: str, known: dict[str, Any]) -> str:
    """When it ended, empty while it has not. A keeper knows how long it took, by a clock that nobody sets."""
    ended_at, seconds = known.get("ended_at"), known.get("seconds")
    if isinstance(ended_at, str):
        return ended_at
    if not isinstance(seconds, int | float):
        return ""
    try:
        return stamp(datetime.fromisoformat(started_at) + timedelta(seconds=seconds))
    except (ValueError, OverflowError):
        return started_at
