"""Whether an agent's shell stands above this process, also where its variables say nothing of it any more.

A command of an agent can take `VIBEOS_SESSION` off whatever it starts, so three things are looked at:

- A limit of the system (real-time CPU time without a pause, of which nobody ever reaches three years) that each shell
  of an agent gets. It passes to all that the shell starts, through `env -i`, a session of its own, and the death of
  everything above, and only the machine's keeper can lift it again. It says that it is an agent, not which.
- The variables with which the processes above began, in /proc, where only they themselves could change them.
- The same of the leaders of this process's session and group, which may lead on where a process above has died.

Linux has all of this. Elsewhere (macOS) there is no such limit, and the variables of other processes are not to be had
without starting a program: there the variable alone decides, as for everyone who cannot be looked up.
"""

from __future__ import annotations

import os
import sys

from vibeos.values.home import SESSION_VARIABLE

UNKNOWN_SESSION = "unknown"  # an agent's shell for certain, but not which session's
_LIMIT = 95_010_622_361_427  # microseconds: a number that nobody else would choose
_MOST_ABOVE = 64
_MARK = b"\0" + SESSION_VARIABLE.encode() + b"="


def mark_shell(pid: int) -> None:
    """Give the limit to a process that has started nothing yet. Where the system refuses, the variable must do."""
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - a short command never starts a shell

    try:
        resource.prlimit(pid, resource.RLIMIT_RTTIME, (_LIMIT, _LIMIT))
    except (OSError, ValueError):  # it is lower already, or has ended
        return


def session_above() -> str:
    """The session whose agent's shell stands above this process; `UNKNOWN_SESSION`, or empty for none."""
    if sys.platform != "linux":
        return ""
    for pid in _above():
        if session := _session_of(pid):
            return session
    return UNKNOWN_SESSION if b" %d " % _LIMIT in _read("/proc/self/limits") else ""


def _above() -> list[int]:
    """The processes above this one, the nearest first, and the leaders of its session and group."""
    found: list[int] = []
    pid = os.getppid()
    while pid > 1 and len(found) < _MOST_ABOVE:
        found.append(pid)
        pid = _parent_of(pid)
    leaders = (os.getsid(0), os.getpgrp())
    return [*found, *(leader for leader in leaders if leader > 1 and leader not in (*found, os.getpid()))]


def _parent_of(pid: int) -> int:
    # The name may itself hold brackets and blanks; behind it stand the state and the parent.
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def _session_of(pid: int) -> str:
    _, mark, rest = (b"\0" + _read(f"/proc/{pid}/environ")).partition(_MARK)
    return rest.partition(b"\0")[0].decode("utf-8", "replace") if mark else ""


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:  # it has ended, or is not ours to look at
        return b""
