"""One command in the foreground, watched by a thread of its own from its start to its end.

Whatever the command does, the watching ends in bounded time: at the time limit, or when it is stopped, the whole group
gets the polite signal and then the other one; when the command has ended, what it left behind is waited for a moment.
The command's parent is a shell of ours, so that one which kills its parent does not kill VibeOS.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.agent.processes import GRACE, environment_of, group_lives, not_started, shell_of, signal_group
from vibeos.ports.guard.lineage import mark_shell

if TYPE_CHECKING:
    from concurrent.futures import Future

    from vibeos.agent.collected import Collected
    from vibeos.agent.workplace import Workplace

LINGER = 1.0  # seconds that an ended command's output may still be open
_LOOK = 0.05  # seconds between two looks at the process
_CHUNK = 65_536
_PIPE = 1_048_576  # bytes that a pipe may hold

# The traps keep this shell alive while its child runs; unlike ignored signals they are not handed on to the child.
# It starts nothing before it is told to: until then it gets the mark that passes to all that it will start. Beside the
# command a watch waits for a second line: where the pipe ends without one, we were killed, and nobody else would end
# the command. The watch ends the shell first, which would end the watch.
_WATCH = 'read -r over || { trap "" TERM; kill -KILL $$; kill -TERM 0; sleep 2; kill -KILL 0; }'
_PARENT = f"""trap : HUP INT QUIT TERM; read -r go || exit; exec 3<&0 < /dev/null
{{ {_WATCH}; }} <&3 > /dev/null 2>&1 & watch=$!
exec 3<&-; "$0" -c " $1"; status=$?
{{ kill -KILL $watch; wait $watch; }} 2> /dev/null; exit $status"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `status` is as a shell tells it; `reached_limit`: we ended it at its time limit.

    `leaves`: something that it started still runs; `group` is the process group that it is in, 0 when it left that.
    """

    status: int
    seconds: float
    reached_limit: bool
    leaves: bool
    group: int


class Running:
    """A command that has been started. Raises VibeOSError where the system would not start it."""

    def __init__(self, command: str, place: Workplace, limit: float, output: Collected) -> None:
        self._output = output
        self._limit = limit
        self._began = time.monotonic()
        self._process = _started(command, place)
        assert self._process.stdout is not None
        self._pipe = self._process.stdout.fileno()
        self._waiting = select.poll()  # `select.select` takes no descriptor above 1,023
        self._waiting.register(self._pipe, select.POLLIN)
        self._stop = threading.Event()
        self._is_open = True  # the command's output
        self._over_at: float | None = None  # when the command itself was seen to have ended
        self._asked_at: float | None = None  # when the polite signal went out
        self._is_killed = False
        self._reached_limit = False

    def stop(self) -> None:
        """End the group; `watch` returns when it is gone."""
        self._stop.set()

    def watch(self, answer: Future[Ended]) -> None:
        """Read and wait until the command is over, answer, then take what leftovers still print, for nobody.

        The output stays open for them, or their next line would kill them.
        """
        try:
            ended = self._ended()
        except BaseException as error:  # noqa: BLE001 - the thread's edge: who waits for the answer gets it
            signal_group(self._process.pid, signal.SIGKILL)
            self._process.stdin.close()  # type: ignore[union-attr]  # the pipes are there: we asked for them
            answer.set_exception(error)
        else:
            answer.set_result(ended)
        while self._is_open:
            if len(self._read()) == _CHUNK:
                time.sleep(_LOOK)  # one that floods must not keep us busy
        self._process.stdout.close()  # type: ignore[union-attr]  # the pipe is there: we asked for it

    def _ended(self) -> Ended:
        pause = 0.001
        while not self._is_over(time.monotonic()):
            if not self._is_open:  # nothing wakes us any more
                time.sleep(pause)
                pause = min(pause * 2, _LOOK)
            self._take_what_comes()
            self._end_if_due(time.monotonic())
        self._take_the_rest()
        self._output.close()
        in_group = self._stays()
        # What even the last signal did not end (it hangs in the system) is not waited for.
        status = self._process.wait() if self._over_at is not None else -signal.SIGKILL
        return Ended(
            status=status if status >= 0 else 128 - status,
            seconds=time.monotonic() - self._began,
            reached_limit=self._reached_limit,
            leaves=in_group or self._is_open,
            group=self._process.pid if in_group else 0,
        )

    def _stays(self) -> bool:
        """Whether something of the group still runs, once the watch knows that it is over.

        The watch is there still where the command killed the shell above it.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError), self._process.stdin:
            self._process.stdin.write(b"over\n")
        if not group_lives(self._process.pid):
            return False
        time.sleep(_LOOK)
        return group_lives(self._process.pid)

    def _take_what_comes(self) -> None:
        """Read for the time of one look, or until nothing is there."""
        until = time.monotonic() + _LOOK
        while self._is_open and (wait := until - time.monotonic()) > 0:
            if not self._waiting.poll(wait * 1_000):
                return
            self._output.add(self._read())

    def _take_the_rest(self) -> None:
        """Read what stands in the pipe now, and no more: somebody may go on filling it."""
        for _ in range(_PIPE // _CHUNK):
            if not self._is_open or not self._waiting.poll(0):
                return
            self._output.add(self._read())

    def _read(self) -> bytes:
        data = os.read(self._pipe, _CHUNK)
        self._is_open = bool(data)
        return data

    def _is_over(self, now: float) -> bool:
        if self._over_at is None and self._has_ended():
            self._over_at = now
        if self._asked_at is not None:
            is_gone = self._over_at is not None and not group_lives(self._process.pid)
            return is_gone or (self._is_killed and now > self._asked_at + GRACE + LINGER)
        return self._over_at is not None and (not self._is_open or now > self._over_at + LINGER)

    def _has_ended(self) -> bool:
        """Whether the command has ended. It is left uncollected, so that its number stays its own while we signal."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            seen = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # somebody else in this program collected it
            return True
        return seen is not None

    def _end_if_due(self, now: float) -> None:
        if self._asked_at is None:
            late = self._over_at is None and now > self._began + self._limit
            if late or self._stop.is_set():
                self._reached_limit = late and not self._stop.is_set()
                self._asked_at = now
                signal_group(self._process.pid, signal.SIGTERM)
        elif not self._is_killed and now > self._asked_at + GRACE:
            self._is_killed = True
            signal_group(self._process.pid, signal.SIGKILL)


def _started(command: str, place: Workplace) -> subprocess.Popen[bytes]:
    environment = environment_of(place)
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _PARENT, shell_of(environment), command],
            cwd=place.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise not_started(place, error) from error
    mark_shell(process.pid)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it may have been ended already
        process.stdin.write(b"go\n")
    return process
