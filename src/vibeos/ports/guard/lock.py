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
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def locked(path: str, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock file `path`, waiting at most `timeout` seconds; raises `FileAccessError`."""
    ensure_folder(os.path.dirname(path))
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise refused("lock", path, error) from error
    try:
        _wait(descriptor, path, timeout)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    pause = 0.001
    while not _try_lock(descriptor):
        if time.monotonic() > deadline:
            raise FileAccessError(
                f"{path!r} has been locked by another program for {timeout:g} s; nothing was written",
                remedy="Wait until the other program has finished, then try again.",
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
