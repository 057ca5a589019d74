"""SQLite's errors in our words: what happened, to which file, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import apsw

from vibeos.values.errors import FileAccessError, StoreBusyError, StoreError, VibeOSError

if TYPE_CHECKING:
    from pathlib import Path


class _Words(NamedTuple):
    """`{file}` and `{words}` stand for the file and for what SQLite says."""

    error: type[VibeOSError]
    message: str
    remedy: str


_BUSY = _Words(
    StoreBusyError,
    "Another program has been holding {file} for too long.",
    "Nothing of this was stored. Let that program finish, or stop it, and try again.",
)
_FULL = _Words(
    StoreError,
    "The disk is full: {file} could not be written.",
    "Free some space and try again. What had been stored before is safe.",
)
_NO_DATABASE = _Words(
    StoreError,
    "{file} is not a database.",
    "Move the file away, or put a backup in its place (beside it, ending in .bak).",
)
_DAMAGED = _Words(
    StoreError,
    "{file} is damaged: {words}.",
    "Copy its folder somewhere safe first. Then put a backup in its place (beside it, ending in .bak).",
)
_READ_ONLY = _Words(
    FileAccessError,
    "{file} can only be read.",
    "Make the file and its folder writable for you, or choose another home with VIBEOS_HOME.",
)
_CANNOT_OPEN = _Words(
    FileAccessError,
    "{file} cannot be opened: {words}.",
    "See that it is a file, and that you may read and write it and its folder.",
)
_DISK = _Words(
    StoreError,
    "{file} could not be read or written: {words}.",
    "Nothing of this was stored. Check the disk and the space on it, and try again.",
)
_OTHER = _Words(StoreError, "{file}: {words}.", "")

_WORDS: dict[type[apsw.Error], _Words] = {
    apsw.BusyError: _BUSY,
    apsw.LockedError: _BUSY,
    apsw.FullError: _FULL,
    apsw.NotADBError: _NO_DATABASE,
    apsw.CorruptError: _DAMAGED,
    apsw.ReadOnlyError: _READ_ONLY,
    apsw.PermissionsError: _READ_ONLY,
    apsw.CantOpenError: _CANNOT_OPEN,
    apsw.IOError: _DISK,
}


def translated(error: apsw.Error, path: Path) -> VibeOSError:
    """The error to raise in place of SQLite's own."""
    return _said(_WORDS.get(type(error), _OTHER), path, str(error))


def read_only(path: Path) -> VibeOSError:
    """What to say when something should be written where nothing can be."""
    return _said(_READ_ONLY, path, "")


def _said(words: _Words, path: Path, said: str) -> VibeOSError:
    return words.error(words.message.format(file=repr(str(path)), words=said), remedy=words.remedy)
