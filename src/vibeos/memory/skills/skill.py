"""A skill as a value: what it is called, what it is for, where it lies."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum

FILE_NAME = "SKILL.md"


class PlaceKind(StrEnum):
    """Whose skills lie in a place."""

    PROJECT = "project"
    HOME = "home"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of skills. It must lie in `inside`, and what lies in it must not lead out of it."""

    kind: PlaceKind
    folder: str
    inside: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that can be loaded. `path`: its `SKILL.md`. `description` may be empty."""

    name: str
    description: str
    path: str
    place: Place

    @property
    def folder(self) -> str:
        """The folder that is the skill."""
        return os.path.dirname(self.path)


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A `SKILL.md` as it was read: the skill, its instructions, and what is wrong with its form without being in the way."""

    skill: Skill
    body: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Withheld:
    """A skill that no model is shown, and why; with an empty name, a whole place."""

    name: str
    path: str
    reason: str

    @property
    def notice(self) -> str:
        """A line for the person."""
        what = f"the skill {self.name!r} ({self.path})" if self.name else f"every skill in {self.path}"
        return f"{what} is withheld from the model: {self.reason}"
