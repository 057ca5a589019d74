"""One folder of a place as a skill: read, checked and scanned. Never raises for what it finds there."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from vibeos.memory.skills.front_matter import read_front_matter
from vibeos.memory.skills.skill import FILE_NAME, Skill, SkillFile, Withheld
from vibeos.ports.guard.files import exists, leads_out, read_bytes
from vibeos.ports.guard.scan import explain, scan
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from vibeos.memory.skills.skill import Place

MOST_BYTES = 500_000
NAME = r"[a-z0-9][a-z0-9-]{0,63}"


class SkillReader:
    """Reads skills; one whose file has not changed since is not read and scanned again."""

    def __init__(self) -> None:
        self._known: dict[tuple[Place, str], tuple[object, SkillFile | Withheld | None]] = {}

    def read(self, place: Place, folder_name: str) -> SkillFile | Withheld | None:
        """`read_skill`, or what it gave for the same file."""
        key, state = (place, folder_name), _state_of(os.path.join(place.folder, folder_name, FILE_NAME))
        known = self._known.get(key)
        if known is not None and state is not None and known[0] == state:
            return known[1]
        found = read_skill(place, folder_name)
        self._known[key] = (state, found)
        return found


def read_skill(place: Place, folder_name: str) -> SkillFile | Withheld | None:
    """The skill in this folder of the place; None where there is no `SKILL.md`."""
    path = os.path.join(place.folder, folder_name, FILE_NAME)
    try:
        if not exists(path):
            return None
        if leads_out(path, place.folder):
            return Withheld(folder_name, path, f"it is a link out of {place.folder}")
        data = read_bytes(path, most=MOST_BYTES)
    except FileAccessError as error:
        return Withheld(folder_name, path, error.message)
    return None if data is None else _checked(place, folder_name, path, data)


def _checked(place: Place, folder_name: str, path: str, data: bytes) -> SkillFile | Withheld:
    text, problems = _decoded(data)
    head = read_front_matter(text)
    if reason := _name_fault(folder_name, head.name):
        return Withheld(folder_name, path, reason)
    if findings := scan(text, scope="skill"):
        return Withheld(folder_name, path, explain(findings))
    return SkillFile(Skill(folder_name, head.description, path, place), head.body, problems + head.problems)


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    problems: tuple[str, ...] = ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text, problems = data.decode("utf-8-sig", "replace"), ("it is not UTF-8 everywhere",)
    return text.replace("\r\n", "\n").replace("\r", "\n"), problems


def _name_fault(folder_name: str, name: str) -> str:
    """Why it cannot have this name; empty if it can."""
    if not re.fullmatch(NAME, folder_name):
        return "its folder's name must be small letters, digits and '-', beginning with a letter or digit, at most 64"
    if name and name != folder_name:
        return f"it calls itself {name[:80]!r}, but its folder is {folder_name!r}; make them the same"
    return ""


def _state_of(path: str) -> object:
    """What changes whenever the file does; None where that cannot be known."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev
