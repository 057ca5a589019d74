"""One writer at a time: an advisory lock on a file, between processes and between threads.

The lock is held on an open file, so it ends with its holder: a process that dies leaves nothing locked.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vibeos.ports.guard.files import ensure_folder, refused
from vibeos.values.errors import LockedError

if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int, path: str) -> bool:  # noqa: ARG001 - as on other systems
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int, path: str) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise refused("lock", path, error) from error
        return True


@contextmanager
def locked_folder(folder: str, *, timeout: float = 10.0) -> Iterator[None]:
    """Keep every other writer out of a folder, which is made if missing; raises `FileAccessError`.

    The folder itself is locked where the system can: a lock file inside it could be tidied away while it is held.
    """
    ensure_folder(folder)
    with locked(os.path.join(folder, ".lock") if sys.platform == "win32" else folder, timeout=timeout):
        yield


@contextmanager
def locked(path: str, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock on `path`, a lock file or a folder, waiting at most `timeout` seconds; raises `FileAccessError`.

    Who tidies a folder may delete the file while it is held. So the lock counts only while the path still leads
    to the file that was locked; otherwise it is taken anew.
    """
    ensure_folder(os.path.dirname(path))
    deadline = time.monotonic() + timeout
    descriptor = _taken(path, deadline, timeout)
    try:
        yield
    finally:
        os.close(descriptor)


def _taken(path: str, deadline: float, timeout: float) -> int:
    while True:
        descriptor = _opened(path)
        try:
            _wait(descriptor, path, deadline, timeout)
            if _is_same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _opened(path: str) -> int:
    try:
        if os.path.isdir(path):
            return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise refused("lock", path, error) from error


def _is_same_file(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
    except OSError as error:
        raise refused("lock", path, error) from error


def _wait(descriptor: int, path: str, deadline: float, timeout: float) -> None:
    pause = 0.001
    while not _try_lock(descriptor, path):
        if time.monotonic() > deadline:
            raise LockedError(
                f"{path!r} has been locked by another program for {timeout:g} s; nothing was written",
                remedy="Wait until the other program has finished, then try again.",
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
