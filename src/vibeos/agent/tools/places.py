"""Paths as a model gives them: relative to the workplace's folder, `~` for the person's home folder.

VibeOS's own files are out of reach of what writes: also through a link, `..` or another spelling. Whatever the system
refuses is told with what a model can do about it, which is not what the keeper of VibeOS's home would do.
"""

from __future__ import annotations

import errno
import os
import stat
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from vibeos.values.errors import FileAccessError, VibeOSError
from vibeos.values.text import is_well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import BufferedReader

    from vibeos.agent.workplace import Workplace

_MOST_NAMES = 5_000
_LONGEST = 300  # characters of a path that are repeated in an error
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)

INSTEAD_OF_HOME = "Memory stands in your prompt; what was said before is found with session_search."
_NOT_ALLOWED = (
    "Its owner or its rights do not allow it: `ls -ld` shows them. Ask the person before you change them."
)
_NO_ROOM = "The disk is full. Tell the person; do not delete anything to make room unless they say what."
_NO_FOLDER = "A part of the path is a file, not a folder. List the folder above it."
_REMEDIES = {
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: _NO_ROOM,
    errno.EROFS: "That file system can only be read. Write in another folder.",
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _NO_FOLDER,
    errno.ELOOP: "Links lead in a circle there: `ls -l` shows them.",
    errno.ENAMETOOLONG: "Give a shorter name.",
    errno.EBUSY: "Something else holds it, such as a mount. A command run with bash may still change it.",
}


def path_argument(arguments: Mapping[str, Any]) -> str:
    """The call's `path`; raises VibeOSError."""
    path = arguments.get("path")
    if not isinstance(path, str) or not path.strip() or not is_well_formed(path):
        raise VibeOSError("'path' must be the path of a file.")
    return path


def located(place: Workplace, path: str) -> str:
    """The absolute path that is meant, links and `..` as the system takes them."""
    if path == "~" or path.startswith("~/"):
        home = place.environment.get("HOME")
        if not home:
            raise VibeOSError(f"'~' means nothing here: {name_of(path)} must begin with a folder.")
        path = home + path[1:]
    return os.path.join(place.folder, path)


def readable(place: Workplace, path: str) -> str:
    """The absolute path that is meant, if it may be read; raises VibeOSError for what others keep in our home.

    What another user or profile is remembered by, and what the scan withholds, must not come in by this door.
    """
    target = located(place, path)
    if is_withheld(place, target):
        raise VibeOSError(
            f"{name_of(path)} lies in VibeOS's own home, of which only this session's outputs, copies of its mind and the skills can be read.",
            remedy=INSTEAD_OF_HOME,
        )
    return target


def is_withheld(place: Workplace, target: str) -> bool:
    """Whether the absolute path lies in that part of our home which no agent reads: the rule of `read` and of `bash`."""
    real = os.path.realpath(target)
    ours = (place.outputs, place.jobs, place.skills, place.minds)
    return _is_inside(real, os.path.realpath(place.home)) and not any(
        _is_inside(real, os.path.realpath(folder)) for folder in ours if folder
    )


def writable(place: Workplace, path: str) -> str:
    """The real place of the path, if it may be written; raises VibeOSError inside our own home."""
    target = os.path.realpath(located(place, path))
    if _is_inside(target, os.path.realpath(place.home)):
        raise VibeOSError(
            f"{name_of(path)} lies in VibeOS's own home, which no file tool changes.",
            remedy="For what you want to remember use the memory tool; other settings are the person's to change.",
        )
    return target


def opened(place: Workplace, path: str, target: str) -> BufferedReader:
    """An ordinary file, open for reading; raises VibeOSError, and never waits for a pipe or a device."""
    try:
        if stat.S_ISDIR((status := os.stat(target)).st_mode):
            raise VibeOSError(f"{name_of(path)} is a folder; give the path of a file.")
        if not stat.S_ISREG(status.st_mode):
            raise VibeOSError(
                f"{name_of(path)} is a pipe, a socket or a device, not a file; it was left alone."
            )
        return open(os.open(target, os.O_RDONLY | _AT_ONCE), "rb")
    except FileNotFoundError as error:
        raise missing(place, path) from error
    except OSError as error:
        raise denied("read", path, error) from error


def denied(action: str, path: str, error: OSError) -> FileAccessError:
    """The error for the system's refusal to `action` (a verb) the path, for a model."""
    why = (error.strerror or type(error).__name__).lower()
    return FileAccessError(
        f"Cannot {action} {name_of(path)}: {why}.", remedy=_REMEDIES.get(error.errno or 0, "")
    )


def missing(place: Workplace, path: str) -> VibeOSError:
    """The error for a file that is not there, with the names that it may have meant."""
    folder, name = os.path.split(located(place, path))
    said = f"There is no file {name_of(path)}"
    try:
        names = sorted(os.listdir(folder))[:_MOST_NAMES]
    except OSError:
        return VibeOSError(f"{said}, and no folder {name_of(folder)} either.")
    if name in names:
        return VibeOSError(
            f"{said}: that name is a link to something that is not there.", remedy="`ls -l` shows it."
        )
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    hint = (
        f"Did you mean {', '.join(map(repr, near))}?"
        if near
        else f"The folder is {name_of(folder)}; list it."
    )
    return VibeOSError(f"{said}.", remedy=hint)


def name_of(path: str) -> str:
    """The path in quotes, as errors give it back."""
    return repr(path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…")


def _is_inside(real: str, home: str) -> bool:
    """By the real place of both, and by the identity of every folder above: a name may have several spellings."""
    if real == home or real.startswith(home + os.sep):
        return True
    above = real
    while above != (above := os.path.dirname(above)):
        try:
            if os.path.samefile(above, home):
                return True
        except OSError:  # one of them is not there, or cannot be looked at
            continue
    return False
