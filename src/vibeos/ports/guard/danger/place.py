"""Where the paths of a command lead: the folder that it starts in, and those that its `cd` go to.

Only texts are compared, the disk is never asked. A path is told as the rules know it: what lies in the working folder
relative to that, what lies in VibeOS's home below `~/.vibeos`.
"""

from __future__ import annotations

import posixpath
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from vibeos.ports.guard.danger.paths import LONGEST, system

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER_TAIL = 512  # of a very long folder, the end is what rules know
_OUR_HOME = re.compile(r"\$(?:VIBEOS_HOME(?!\w)|\{VIBEOS_HOME\})")
_OURS = "~/.vibeos"
_PERSONS_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?=/|$)")
_SOURCES = ("/usr/src/", "/usr/local/src/")  # where containers keep people's own work
_FIXED = ("/", "~", "$", "<")


class Place(NamedTuple):
    """A path as rules know it. `is_known`: it is certain where it lies, which is not in VibeOS's home."""

    path: str
    is_known: bool


class Whereabouts:
    """The folder at each point of one command. What is given is absolute, or empty where nothing is known.

    `home` is VibeOS's, `person` the home folder of the person.
    """

    def __init__(self, folder: str = "", home: str = "", person: str = "") -> None:
        folder = posixpath.normpath(folder) if folder else ""
        self._folder = "" if len(folder.lstrip("/")) == 0 else folder
        self._home = posixpath.normpath(home) if home else ""
        self._person = posixpath.normpath(person) if person else ""
        self._in_system = system(self._folder) and not self._folder.startswith(_SOURCES)
        self._stack: list[tuple[int, str | None]] = [(0, "")]  # None: it went where nobody can tell

    def enter(self, depth: int) -> None:
        """Go on at this depth of brackets: what deeper ones changed is over."""
        while self._stack[-1][0] > depth:
            self._stack.pop()

    def change(self, depth: int, path: str) -> None:
        """`cd path` at this depth; empty for a way back."""
        there: str | None = self.place(path).path if path else ""
        if there and there.startswith("$") and not _PERSONS_HOME.match(there):
            there = None
        if self._stack[-1][0] == depth:
            self._stack.pop()
        self._stack.append((depth, there))

    @contextmanager
    def script(self) -> Iterator[None]:
        """A text of its own begins where we are, and takes us nowhere."""
        stack, self._stack = self._stack, [(0, self._stack[-1][1])]
        try:
            yield
        finally:
            self._stack = stack

    def place(self, path: str) -> Place:
        """Where the path leads from here."""
        path = self._persons(_OUR_HOME.sub(_OURS, path[:LONGEST], count=1))
        here, is_fixed = self._stack[-1][1], path.startswith(_FIXED)
        joined = f"{here}/{path}"[-FOLDER_TAIL:] if here and not is_fixed else path
        if not self._folder or "$" in joined or joined.startswith("~") or (here is None and not is_fixed):
            return Place(joined, is_known=False)
        full = posixpath.normpath(posixpath.join(self._folder, joined))
        if self._home and _is_inside(full, self._home):
            return Place(f"{_OURS}{full[len(self._home) :]}", is_known=False)
        if self._in_system:
            return Place(full, is_known=True)
        if joined.startswith("/") and _is_inside(full, self._folder):
            return Place(full[len(self._folder) + 1 :] or ".", is_known=True)
        return Place(joined, is_known=True)

    def _persons(self, path: str) -> str:
        """With the person's home folder written out, where VibeOS's own lies in it."""
        home = _PERSONS_HOME.match(path) if self._person and self._home else None
        if home is None:
            return path
        full = posixpath.normpath(self._person + path[home.end() :])
        return full if _is_inside(full, self._home) else path

    def in_our_home(self, path: str) -> str | None:
        """What a path that leads into VibeOS's home is called there; None for every other."""
        place = posixpath.normpath(self.place(path).path)
        return place[len(_OURS) + 1 :] if _is_inside(place, _OURS) else None

    def from_persons_home(self, path: str) -> list[str]:
        """The path as it leads from the person's home folder, where that is known and the path lies in it."""
        here, is_fixed = self._stack[-1][1], path.startswith(_FIXED)
        if not self._person or not self._folder or "$" in path or path.startswith("~") or (here is None):
            return []
        joined = path if is_fixed else posixpath.join(here, path[:LONGEST])[-FOLDER_TAIL:]
        full = posixpath.normpath(posixpath.join(self._folder, joined))
        return [f"~{full[len(self._person) :]}"] if _is_inside(full, self._person) else []

    def spellings(self, path: str) -> list[str]:
        """The path as it stands, unless that is known to lie in the working folder, and where it leads."""
        place = self.place(path).path
        is_inner = path.startswith("/") and not place.startswith(("/", "~"))
        return [place] if is_inner or place == path else [path, place]


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
