"""Paths as a model gives them: relative to the workplace's folder, `~` for the person's home folder.

VibeOS's own files are out of reach of what writes: also through a link, `..` or another spelling.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.agent.workplace import Workplace

_MOST_NAMES = 5_000


def path_argument(arguments: Mapping[str, Any]) -> str:
    """The call's `path`; raises VibeOSError."""
    path = arguments.get("path")
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise VibeOSError("'path' must be the path of a file.")
    return path


def located(place: Workplace, path: str) -> str:
    """The absolute path that is meant."""
    if path == "~" or path.startswith("~/"):
        path = place.environment.get("HOME", "~") + path[1:]
    return os.path.normpath(os.path.join(place.folder, path))


def writable(place: Workplace, path: str) -> str:
    """The absolute path that is meant, if it may be written; raises VibeOSError inside our own home."""
    target = located(place, path)
    if _is_inside(target, place.home):
        raise VibeOSError(
            f"{path!r} lies in VibeOS's own home, which no file tool changes.",
            remedy="For what you want to remember use the memory tool; other settings are the person's to change.",
        )
    return target


def _is_inside(path: str, folder: str) -> bool:
    """By the real place of both, and by the identity of every folder above: a name may have several spellings."""
    real, home = os.path.realpath(path), os.path.realpath(folder)
    if real == home or real.startswith(home + os.sep):
        return True
    above = real
    while above != os.path.dirname(above):
        above = os.path.dirname(above)
        if os.path.exists(home) and os.path.exists(above) and os.path.samefile(above, home):
            return True
    return False


def missing(place: Workplace, path: str) -> VibeOSError:
    """The error for a file that is not there, with the names that it may have meant."""
    target = located(place, path)
    folder, name = os.path.split(target)
    try:
        names = sorted(os.listdir(folder))[:_MOST_NAMES]
    except OSError:
        return VibeOSError(f"There is no file {path!r}, and no folder {folder!r} either.")
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    hint = f"Did you mean {', '.join(repr(one) for one in near)}?" if near else f"The folder is {folder!r}."
    return VibeOSError(f"There is no file {path!r}.", remedy=hint)
