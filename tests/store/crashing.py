"""A process that dies in the middle of its n-th write to a database's files."""

from __future__ import annotations

import os
import shutil
from itertools import count
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FINISHED, CRASHED, FAILED = 0, 9, 1


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], vfs: _CrashingVfs) -> None:
        self._vfs = vfs
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._vfs.writes_left -= 1
        if self._vfs.writes_left == 0:
            super().xWrite(data[: len(data) // 2], offset)
            os._exit(CRASHED)
        super().xWrite(data, offset)


class _CrashingVfs(apsw.VFS):
    def __init__(self, writes: int) -> None:
        self.writes_left = writes
        super().__init__("crashing", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - the same
        return _File(name, flags, self)


def run_and_crash(action: Callable[[], object], writes: int) -> int:
    """How a child ended that did `action` and was to die in the middle of that write."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        vfs = _CrashingVfs(writes)
        action()
        os._exit(FINISHED if vfs.writes_left > 0 else FAILED)
    finally:
        os._exit(FAILED)


def crashes(
    template: Path, work: Path, action: Callable[[Path], object], *, stride: int = 1
) -> Iterator[int]:
    """Do `action` on a fresh copy of a folder, dying at its first write, its second …, until it finishes.

    With a `stride`, at each so-manieth write only.

    Yields after each crash and after the end, so that what is left in `work` can be looked at; the value is the exit
    code. Connections must not be open when the generator goes on.
    """
    for writes in count(1, stride):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(template, work)
        code = run_and_crash(lambda: action(work), writes)
        assert code in {FINISHED, CRASHED}
        yield code
        if code == FINISHED:
            return
