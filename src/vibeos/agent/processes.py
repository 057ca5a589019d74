"""Processes of the operating system, as far as commands need them: a shell, an identity, the life of a group.

A process number may be given to another process later, so a process is known by its number and its birth together,
and nothing is signalled whose birth is not the one that was noted.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from vibeos.values.errors import VibeOSError
from vibeos.values.home import SESSION_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vibeos.agent.workplace import Workplace

GRACE = 2.0  # seconds between the polite signal and the one that cannot be refused
_DEAD = ("Z", "X")  # states of a process that has ended and was not collected yet
_STATE, _GROUP, _BIRTH = 0, 2, 19  # places in /proc/<pid>/stat after the name


def shell_of(environment: Mapping[str, str]) -> str:
    """The shell that commands run in: bash, or sh where there is none; raises VibeOSError."""
    path = environment.get("PATH", os.defpath)
    found = shutil.which("bash", path=path) or shutil.which("sh", path=path)
    if found is None:
        raise VibeOSError(
            "There is neither bash nor sh on the PATH, so no command can run.",
            remedy="The person can install bash, or start VibeOS with a PATH that has it.",
        )
    return found


def environment_of(place: Workplace) -> dict[str, str]:
    """The variables of a command: the workplace's, and the session that it belongs to."""
    return {**place.environment, SESSION_VARIABLE: place.session_id}


def not_started(place: Workplace, error: OSError) -> VibeOSError:
    """The error for a command that the operating system would not start."""
    if not os.path.isdir(place.folder):
        return VibeOSError(
            f"The working folder {place.folder!r} is not there any more.",
            remedy="Tell the person; a command can run only where its folder exists.",
        )
    why = (error.strerror or type(error).__name__).lower()
    return VibeOSError(
        f"The command was not started: {why}.",
        remedy="If it is very long, write it into a file and run that.",
    )


def birth(pid: int) -> str:
    """When the process began, in the system's own words; empty where no such process is alive."""
    if not _has_proc():
        lines = _ps("-o", "stat=,lstart=", "-p", str(pid))
        state, _, began = lines[0].strip().partition(" ") if lines else ("Z", "", "")
        return "" if state.startswith(_DEAD) else " ".join(began.split())
    fields = _stat(str(pid))
    if not fields or fields[_STATE] in _DEAD:
        return ""
    return f"{fields[_BIRTH]} of {_boot()}"


def group_lives(group: int) -> bool:
    """Whether a process of the group runs; what has ended and was not collected does not count."""
    if not _signalled(group, 0):
        return False
    return any(member == group and not state.startswith(_DEAD) for member, state in _members())


def signal_group(group: int, number: int) -> None:
    """Send the signal to every process of the group; nothing happens where there is none."""
    _signalled(group, number)


def _signalled(group: int, number: int) -> bool:
    if group <= 1:
        return False  # 0 and 1 mean other things to the system than a group of ours
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # a member runs as somebody else
        return True
    return True


def _members() -> Iterator[tuple[int, str]]:
    """The group and the state of every process."""
    if not _has_proc():
        for line in _ps("-A", "-o", "pgid=,stat="):
            group, _, state = line.strip().partition(" ")
            yield int(group), state.strip()
        return
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := _stat(name)):
            yield int(fields[_GROUP]), fields[_STATE]


def _has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def _stat(pid: str) -> list[str]:
    """The fields after the name, which may itself hold brackets and blanks; none where there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii", "replace").split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _boot() -> str:
    """Which start of the machine this is: times in /proc count from it."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _ps(*arguments: str) -> list[str]:
    import subprocess  # noqa: PLC0415 - start-up is a feature

    done = subprocess.run(
        ["ps", *arguments], capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    return done.stdout.splitlines()
