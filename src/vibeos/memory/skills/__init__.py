"""Skills: procedural memory, each a folder with a `SKILL.md` that a person or the agent wrote.

| module | what |
|---|---|
| `skill` | a skill, the place where it lies, and what could not be taken |
| `front_matter` | name and description at the head of a `SKILL.md`, read tolerantly |
| `reading` | one folder: read, checked, scanned |
| `shelf` | all skills that a session can use: the project's before the home's |
| `catalogue` | what the system prompt says of them |

**A skill that is not understood or does not pass the scan is withheld, by name and with the reason, never skipped.** No
link leads out of a place: a project from elsewhere must not choose which of the person's files a model reads. The same
files give the same catalogue, byte for byte.
"""

from __future__ import annotations

from vibeos.memory.skills.catalogue import catalogue_text
from vibeos.memory.skills.shelf import Shelf, places_of, take_stock
from vibeos.memory.skills.skill import Place, PlaceKind, Skill, SkillFile, Withheld

__all__ = [
    "Place",
    "PlaceKind",
    "Shelf",
    "Skill",
    "SkillFile",
    "Withheld",
    "catalogue_text",
    "places_of",
    "take_stock",
]
