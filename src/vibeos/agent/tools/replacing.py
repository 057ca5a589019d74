"""A file of the person's is replaced whole or not at all: another takes its place in one step.

Unlike VibeOS's own files these have no lock and anybody may write beside us, so each new file has a name that nobody
else uses. An existing file keeps its mode and its owner; a new one gets what the system gives to new files.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from vibeos.agent.tools.places import denied, name_of
from vibeos.values.errors import VibeOSError

_ANY_WRITE = 0o222
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


def replace_file(path: str, target: str, data: bytes) -> None:
    """Put `data` in the place of `target`, a real path; `path` is its name in errors. Makes missing folders.

    Raises VibeOSError, and then the file is as it was.
    """
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
    except OSError as error:
        raise denied("make the folder of", path, error) from error
    try:
        status = os.stat(target)
    except FileNotFoundError:
        status = None
    except OSError as error:
        raise denied("write", path, error) from error
    if status is not None:
        _check(path, target, status)
    try:
        _replace(target, data, status)
    except OSError as error:
        raise denied("write", path, error) from error


def _check(path: str, target: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise VibeOSError(f"{name_of(path)} is a folder; give the path of a file.")
    if not stat.S_ISREG(status.st_mode):
        raise VibeOSError(f"{name_of(path)} is a pipe, a socket or a device, not a file; it was left alone.")
    if not status.st_mode & _ANY_WRITE or not os.access(target, os.W_OK):
        raise VibeOSError(
            f"{name_of(path)} is read-only; nothing was written.",
            remedy="If it should change all the same, ask the person.",
        )


def _replace(target: str, data: bytes, old: os.stat_result | None) -> None:
    neighbour = os.path.join(os.path.dirname(target), f".vibeos-{os.urandom(8).hex()}.tmp")
    descriptor = os.open(neighbour, _NEW, 0o666 if old is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _keep_owner_and_mode(descriptor, old)
            os.fsync(descriptor)
        os.replace(neighbour, target)
    except BaseException:
        os.unlink(neighbour)
        raise


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != _owner(descriptor):
        with suppress(PermissionError):  # who may write a file may not always give one away: it is ours now
            os.fchown(descriptor, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, old.st_mode & 0o777)


def _owner(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_uid, status.st_gid
