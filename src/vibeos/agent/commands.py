"""A session's background commands: to start, to look at, to stop; also those that an earlier process of ours left.

A command runs as long as its keeper lives, a process that outlives ours. A keeper is known by its number and its birth,
so that no other process is ever ended in its place.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.agent.command_files import CommandFiles
from vibeos.agent.processes import (
    GRACE,
    birth,
    environment_of,
    group_lives,
    not_started,
    shell_of,
    signal_group,
)
from vibeos.ports.guard.files import refused
from vibeos.ports.guard.lineage import mark_shell
from vibeos.record.registry import JobKind, LivingJob
from vibeos.values.clock import stamp
from vibeos.values.errors import VibeOSError
from vibeos.values.text import one_line

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping

    from vibeos.agent.command_files import CommandJob
    from vibeos.agent.workplace import Workplace
    from vibeos.values.clock import Clock

MOST_LOGGED = 200_000_000  # bytes of one command's output that are kept
MOST_LIVING = 20  # that run at once in a session
PAGE = 30_000  # bytes of one look
_LAST = 8_000  # bytes of a look at the end
_READY = 10.0  # seconds for a keeper to answer
_LOOK = 0.02


@dataclass(frozen=True, slots=True)
class CommandPage:
    """A part of a command's output: the bytes from `start` to `end` of `size`, as text. `is_cut`: the log is full."""

    job: CommandJob
    text: str
    start: int
    end: int
    size: int
    is_cut: bool


class CommandJobs:
    """The background commands of one session. `close` ends those that were started here."""

    def __init__(self, place: Workplace, clock: Clock) -> None:
        self._place = place
        self._clock = clock
        self._files = CommandFiles(place.jobs)
        self._keepers: dict[str, subprocess.Popen[bytes]] = {}  # our own children, until they are collected

    def start(self, command: str) -> str:
        """Start it; its id. Raises VibeOSError, and then nothing runs."""
        if sum(job.runs for job in self.listed()) >= MOST_LIVING:
            raise VibeOSError(
                f"{MOST_LIVING} commands run in the background already, which is the most.",
                remedy="Stop one that is not needed any more.",
            )
        shell = shell_of(self._place.environment)
        id_ = self._files.reserve()
        keeper = self._keepers[id_] = self._keeper()
        mark_shell(keeper.pid)  # it has started nothing before its order
        trouble = _ordered(keeper, self._order(id_, command, shell, keeper.pid))
        if trouble:
            self._end({id_: keeper.pid})
            raise not_started(self._place, trouble)
        return id_

    def listed(self) -> tuple[CommandJob, ...]:
        """All commands of the session, ended ones too, the oldest first."""
        self._collect()
        return self._files.jobs()

    def living(self) -> tuple[LivingJob, ...]:
        """Those that run, as the registry names them."""
        return tuple(
            LivingJob(JobKind.COMMAND, job.id, one_line(_first_line(job.command)), job.started_at)
            for job in self.listed()
            if job.runs
        )

    def is_ours(self, id_: str) -> bool:
        """Whether it was started here and has not ended: `close` ends those and no others."""
        self._collect()
        return id_ in self._keepers

    def look(self, id_: str, offset: int | None = None) -> CommandPage:
        """A command's state and its output from the byte `offset` on; without one, the end of it.

        Raises InvalidIdError, NotFoundError, FileAccessError.
        """
        self._collect()
        job, path = self._files.job(id_), self._files.log(id_)
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                start = max(size - _LAST, 0) if offset is None else min(offset, size)
                file.seek(start)
                data = file.read(PAGE)
        except OSError as error:
            raise refused("read", path, error) from error
        if offset is None and start:
            start, data = _from_a_line(start, data)
        is_last = not job.runs and start + len(data) >= size
        text, used = codecs.utf_8_decode(data, "replace", is_last)
        return CommandPage(job, text, start, start + used, size, size >= MOST_LOGGED)

    def stop(self, id_: str) -> CommandJob:
        """End it with all that it started; what is known of it then. One that has ended stays as it is."""
        self._collect()
        job = self._files.job(id_)
        if job.runs:
            self._end({id_: job.pid})
        return self._files.job(id_)

    def close(self) -> None:
        """End all that was started here: the person has left. It takes seconds where a command does not want to end, so
        an event loop calls it in a thread."""
        self._collect()
        self._end({id_: keeper.pid for id_, keeper in self._keepers.items()})

    def _keeper(self) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415 - start-up is a feature

        file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keeper.py")
        try:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", file],
                cwd=self._place.folder,
                env=environment_of(self._place),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise not_started(self._place, error) from error

    def _order(self, id_: str, command: str, shell: str, pid: int) -> bytes:
        known = {
            "id": id_,
            "command": command,
            "pid": pid,
            "birth": birth(pid),
            "started_at": stamp(self._clock()),
        }
        order = {
            "state": self._files.state(id_),
            "log": self._files.log(id_),
            "shell": shell,
            "most": MOST_LOGGED,
            "known": known,
        }
        return json.dumps(order).encode()

    def _end(self, groups: Mapping[str, int]) -> None:
        """End groups that are known to be those of the commands: all politely at once, then what is left for good."""
        import signal  # noqa: PLC0415 - start-up is a feature

        for group in groups.values():
            signal_group(group, signal.SIGTERM)
        left = self._left(groups)
        for group in left.values():
            signal_group(group, signal.SIGKILL)
        self._left(left)
        for id_ in left:
            self._files.note_killed(id_, stamp(self._clock()))

    def _left(self, groups: Mapping[str, int]) -> Mapping[str, int]:
        """The groups that are still there after the time of grace."""
        import time  # noqa: PLC0415 - start-up is a feature

        deadline = time.monotonic() + GRACE
        while True:
            self._collect()
            groups = {id_: group for id_, group in groups.items() if group_lives(group)}
            if not groups or time.monotonic() > deadline:
                return groups
            time.sleep(_LOOK)

    def _collect(self) -> None:
        """Take leave of our children that have ended. What a killed one kept ends too: nobody reads it any more."""
        import signal  # noqa: PLC0415 - start-up is a feature

        for id_, keeper in list(self._keepers.items()):
            if keeper.poll() is None:
                continue
            self._keepers.pop(id_, None)
            if keeper.returncode < 0 and group_lives(
                keeper.pid
            ):  # while it lives the number is still its own
                signal_group(keeper.pid, signal.SIGKILL)


def _ordered(keeper: subprocess.Popen[bytes], order: bytes) -> OSError | None:
    """Give a keeper its order; what kept it from starting the command, None when it runs."""
    import select  # noqa: PLC0415 - start-up is a feature

    assert keeper.stdin is not None
    assert keeper.stdout is not None
    answer = b""
    with keeper.stdin, keeper.stdout:
        try:
            _write_all(keeper.stdin.fileno(), order)
        except BrokenPipeError:
            return OSError(0, "the process that keeps it ended at once")
        keeper.stdin.close()
        waiting = select.poll()
        waiting.register(keeper.stdout, select.POLLIN)
        while not answer.endswith(b"\n") and waiting.poll(_READY * 1_000):
            data = os.read(keeper.stdout.fileno(), 4_096)
            if not data:
                break
            answer += data
    if not answer.endswith(b"\n"):
        return OSError(0, "the process that keeps it did not answer")
    line = answer.decode("utf-8", "replace").strip()
    return OSError(0, line) if line else None


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _first_line(command: str) -> str:
    return next((line for line in command.splitlines() if line.strip()), command)


def _from_a_line(start: int, data: bytes) -> tuple[int, bytes]:
    """The bytes from the first line that begins in them; all of them where none does."""
    place = data.find(b"\n") + 1
    return start + place, data[place:]
