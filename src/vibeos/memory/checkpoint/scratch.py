"""The two files of a checkpoint turn, in a folder of their own: made, edited, read back, and nothing else ever touched.

Every step goes through a handle on the folder and follows no link, so whatever happens to the folder meanwhile, no file
outside it is read or written. A folder that is a link or has vanished is an error, and the attempt ends.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from vibeos.ports.guard.files import ensure_folder, refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

MIND_FILE = "mind.md"
MEMO_FILE = "memo.md"
NAMES = (MIND_FILE, MEMO_FILE)
MOST_BYTES = 1_000_000
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_HAS_HANDLES = os.open in os.supports_dir_fd  # not on Windows, where the path is looked at each time


class Scratch:
    """The folder while a checkpoint turn runs; use it in a `with` block. Raises FileAccessError."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)
        ensure_folder(os.path.dirname(self.folder))
        flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
        self._handle: int | None = None
        with _refusals("use the folder", self.folder):
            with suppress(FileExistsError):
                os.mkdir(self.folder, 0o700)
            if _HAS_HANDLES:
                self._handle = os.open(self.folder, flags)

    def path(self, name: str) -> str:
        """Where a file of it is, for whoever is told."""
        return os.path.join(self.folder, name)

    def name_of(self, path: str) -> str | None:
        """Which of the two files a path means, given whole or by its name; None: neither."""
        return next((name for name in NAMES if path in (name, f"./{name}", self.path(name))), None)

    def write(self, name: str, text: str) -> None:
        """Put a file in its place, whole."""
        neighbour = f".{name}.new"
        with _refusals("write", self.path(name)):
            with suppress(FileNotFoundError):
                self._unlink(neighbour)
            with open(self._open(neighbour, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK), "wb") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
            self._replace(neighbour, name)

    def read(self, name: str) -> str | None:
        """A file's text; None where it is missing, no ordinary file, larger than 1 MB or no UTF-8."""
        try:
            descriptor = self._open(name, os.O_RDONLY | _NO_LINK)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                return None
            data = file.read(MOST_BYTES + 1)
        try:
            return data.decode() if len(data) <= MOST_BYTES else None
        except UnicodeDecodeError:
            return None

    def is_there(self) -> bool:
        """Whether the folder still stands at its path and is the one that was opened."""
        try:
            now = os.lstat(self.folder)
        except OSError:
            return False
        if self._handle is None:
            return stat.S_ISDIR(now.st_mode)
        held = os.fstat(self._handle)
        return (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino)

    def clear(self) -> None:
        """Remove the two files, and the folder if it is empty then."""
        for name in NAMES:
            with suppress(OSError):
                self._unlink(name)
        with suppress(OSError):
            os.rmdir(self.folder)

    def close(self) -> None:
        """Let go of the folder."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()
        self.close()

    def _open(self, name: str, flags: int) -> int:
        if self._handle is not None:
            return os.open(name, flags, 0o600, dir_fd=self._handle)
        return os.open(self.path(name), flags | getattr(os, "O_BINARY", 0), 0o600)

    def _unlink(self, name: str) -> None:
        if self._handle is not None:
            os.unlink(name, dir_fd=self._handle)
        else:
            os.unlink(self.path(name))

    def _replace(self, name: str, target: str) -> None:
        if self._handle is not None:
            os.replace(name, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        else:
            os.replace(self.path(name), self.path(target))


@contextmanager
def _refusals(action: str, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refused(action, path, error) from error
