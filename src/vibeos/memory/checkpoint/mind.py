"""The mind: an agent's slowly revised understanding, which a model edits and the program judges.

- A mind is whole or not taken: broken headings, or more than twice the limit of all sections, leave the one before.
- A section over its limit is a problem, but the mind is taken; it is only shown cut (`mind_shown`).
- Missions never go and never change without the person's word (`missions`); every other edit stays.
- Judging is a pure function: once for the problems that a repair request lists, once more for what stands after it. An
  accepted mind, judged again, is the same mind.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.agreements import agreements_in
from vibeos.memory.checkpoint.mind_shown import shown_mind
from vibeos.memory.checkpoint.mind_text import (
    AGREEMENTS,
    MISSION,
    TEMPLATE,
    bodies_of,
    section_limits,
    section_sizes,
    text_of,
)
from vibeos.memory.checkpoint.missions import Mission, judge_missions
from vibeos.memory.checkpoint.problems import Part, Problem
from vibeos.memory.checkpoint.sources import joined
from vibeos.memory.checkpoint.tags import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.memory.checkpoint.limits import MindLimits
    from vibeos.memory.checkpoint.sources import Sources

__all__ = ["EMPTY", "TEMPLATE", "Mind", "MindVerdict", "Mission", "judge_mind", "shown_mind", "valid_grants"]

_MOST_CHARACTERS = 1_000_000
_UNREADABLE = "the file could not be read: it is missing, not UTF-8, or larger than 1 MB. Only edit it; if it cannot be mended, leave it."
_STRUCTURE = (
    "its headings must stand once each, in their order, and alone on their lines: {faults}. A line that begins with one to "
    "three # and a blank is a heading, also in code: put something before the #."
)


@dataclass(frozen=True, slots=True)
class Mind:
    """An accepted mind, whole."""

    text: str
    missions: tuple[Mission, ...]

    def dump(self) -> str:
        """As it is stored: JSON, which `load` reads back."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def load(cls, stored: str) -> Mind:
        found = json.loads(stored)
        return cls(found["text"], tuple(Mission(**mission) for mission in found["missions"]))


EMPTY = Mind(TEMPLATE, ())


@dataclass(frozen=True, slots=True)
class MindVerdict:
    """What is wrong with an edited mind, and what stands if nothing more is mended.

    `is_kept_old`: the edits are not taken, `mind` is the one before. `restored`: the missions whose wording, number or
    place the program put right. `over`: the sections that are over their limits.
    """

    problems: tuple[Problem, ...]
    mind: Mind
    is_kept_old: bool = False
    restored: tuple[str, ...] = ()
    over: tuple[str, ...] = ()

    @property
    def settled(self) -> tuple[str, ...]:
        """What the program does about it, a line each."""
        if self.is_kept_old:
            return ("the mind before was kept",)
        return (
            *(f"mission {name} was put right" for name in self.restored),
            *(f"the section {name!r} is shown cut and kept whole" for name in self.over),
        )


def judge_mind(edited: str | None, before: Mind, limits: MindLimits, source: Sources) -> MindVerdict:
    """The verdict on the file as a model left it; None: it could not be read (over 1 MB is the same)."""
    if edited is None or len(edited) > _MOST_CHARACTERS:
        return _kept(before, _UNREADABLE)
    bodies, faults = bodies_of(edited)
    if faults:
        return _kept(before, _STRUCTURE.format(faults=escaped(faults)))
    old, _ = bodies_of(before.text)
    missions = judge_missions(bodies[MISSION], before.missions, old[MISSION] if old else "", source)
    bodies = [*bodies[:MISSION], missions.body, *bodies[MISSION + 1 :]]
    sizes = section_sizes(bodies)
    problems = tuple(
        Problem(Part.MIND, text) for text in (*_size_problems(sizes, limits), *missions.problems)
    )
    if sum(sizes.values()) > 2 * limits.whole:
        return MindVerdict(problems, before, is_kept_old=True)
    over = tuple(section for section, limit in section_limits(limits).items() if sizes[section] > limit)
    return MindVerdict(
        problems, Mind(text_of(bodies), missions.missions), restored=missions.mended, over=over
    )


def valid_grants(mind: Mind, source: Sources) -> tuple[str, ...]:
    """The agreements that are valid authority: they grant, and quote what the person said; each on one line."""
    bodies, _ = bodies_of(mind.text)
    found = agreements_in(bodies[AGREEMENTS], source) if bodies else []
    return tuple(joined(agreement.text) for agreement in found if agreement.is_grant)


def _kept(before: Mind, text: str) -> MindVerdict:
    return MindVerdict((Problem(Part.MIND, text),), before, is_kept_old=True)


def _size_problems(sizes: Mapping[str, int], limits: MindLimits) -> list[str]:
    whole = sum(sizes.values())
    problems = []
    if whole > 2 * limits.whole:
        problems.append(
            f"it has {whole:,} tokens, more than twice the {limits.whole:,} that all sections may have together. Shorten it, or "
            "none of your changes are taken."
        )
    for section, limit in section_limits(limits).items():
        if sizes[section] > limit:
            problems.append(
                f"the section {section!r} has {sizes[section]:,} tokens; its limit is {limit:,}. Fold what is finished, merge "
                "what says the same."
            )
    return problems
