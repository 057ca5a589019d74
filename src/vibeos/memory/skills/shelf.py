"""All skills that a session can use: those of its project and those of the home, in one order.

Of two with the same name the project's is used, and the shelf says which one it hides. One that is withheld hides
nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.memory.skills.reading import read_skill
from vibeos.memory.skills.skill import FILE_NAME, Place, PlaceKind, Skill, SkillFile, Withheld
from vibeos.ports.guard.files import leads_out
from vibeos.values.errors import NotFoundError, VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vibeos.values.home import Scope

IN_PROJECT = (os.path.join(".vibeos", "skills"), os.path.join(".agents", "skills"))
MOST_IN_A_PLACE = 500


@dataclass(frozen=True, slots=True)
class Shelf:
    """What was found, each part ordered by name. `hidden`: skills behind one of the same name in `files`."""

    files: tuple[SkillFile, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    hidden: tuple[Skill, ...] = ()

    @property
    def skills(self) -> tuple[Skill, ...]:
        """Those that can be loaded."""
        return tuple(file.skill for file in self.files)

    def get(self, name: str) -> SkillFile:
        """One skill with its instructions. Raises NotFoundError, and VibeOSError for one that is withheld."""
        for file in self.files:
            if file.skill.name == name:
                return file
        for one in self.withheld:
            if one.name == name:
                raise VibeOSError(one.notice, remedy="Look at that file, and mend or remove it.")
        raise NotFoundError(
            f"There is no skill {preview(name)!r} here.",
            remedy="`vibe skill list` shows those that there are.",
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """What the person must be told: what is withheld, and which of their own skills a project's stands in for."""
        return (*(one.notice for one in self.withheld), *self._stand_ins())

    def _stand_ins(self) -> Iterator[str]:
        for one in self.hidden:
            if one.place.kind is PlaceKind.HOME:
                yield f"the project's skill {one.name!r} ({self.get(one.name).skill.path}) is used instead of your own"


def places_of(scope: Scope, project: str) -> tuple[Place, ...]:
    """The places of a session in this project (empty: none), those that win first."""
    home, seen = os.path.abspath(scope.skills), {os.path.realpath(scope.skills)}
    places = []
    for below in IN_PROJECT if project else ():
        folder = os.path.join(project, below)
        if os.path.realpath(folder) not in seen and not is_a_home(os.path.dirname(folder), scope):
            seen.add(os.path.realpath(folder))
            places.append(Place(PlaceKind.PROJECT, folder, inside=project))
    return (*places, Place(PlaceKind.HOME, home, inside=home))


def is_a_home(folder: str, scope: Scope) -> bool:
    """Whether the folder is the home itself: what lies in it belongs to a profile, not to a project around it."""
    return os.path.realpath(folder) == os.path.realpath(scope.home)


def take_stock(
    places: Iterable[Place],
    read: Callable[[Place, str], SkillFile | Withheld | None] = read_skill,
) -> Shelf:
    """Look through the places, those that win first."""
    files: dict[str, SkillFile] = {}
    withheld: list[Withheld] = []
    hidden: list[Skill] = []
    for place in places:
        names, fault = _folders(place)
        withheld += fault
        for name in names:
            match read(place, name):
                case Withheld() as one:
                    withheld.append(one)
                case SkillFile(skill) if skill.name in files:
                    hidden.append(skill)
                case SkillFile() as file:
                    files[file.skill.name] = file
    return Shelf(
        tuple(files[name] for name in sorted(files)),
        tuple(sorted(withheld, key=lambda one: (one.name, one.path))),
        tuple(sorted(hidden, key=lambda one: (one.name, one.path))),
    )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """A link that leads nowhere, or round and round, is none; the others are not its fault."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _folders(place: Place) -> tuple[list[str], list[Withheld]]:
    """The names of the place's folders in order, and what keeps some or all of them out."""
    try:
        with os.scandir(place.folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name[0] != "." and _is_folder(entry))
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [Withheld("", place.folder, f"it cannot be read: {error.strerror or error}")]
    if leads_out(place.folder, place.inside):
        return [], [Withheld("", place.folder, f"it is a link out of {place.inside}")]
    left = [
        Withheld(name, os.path.join(place.folder, name), f"more than {MOST_IN_A_PLACE} lie beside it")
        for name in names[MOST_IN_A_PLACE:]
    ]
    return names[:MOST_IN_A_PLACE], left


def other_files(skill: Skill) -> tuple[str, ...]:
    """What lies in a skill's folder beside its `SKILL.md`, as relative paths in order; links and hidden files do not."""
    found = []
    for folder, folders, names in os.walk(skill.folder):
        folders[:] = [name for name in folders if name[0] != "." and name != "__pycache__"]
        paths = (os.path.join(folder, name) for name in names if name[0] != ".")
        found += [os.path.relpath(path, skill.folder) for path in paths if not os.path.islink(path)]
    return tuple(sorted(path for path in found if path != FILE_NAME))
