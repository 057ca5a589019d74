"""What the system prompt says of the skills: a line each, and how to read one. A pure function of the skills.

The text is product and stands here alone. Descriptions come from files, so each is kept on its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.values.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.memory.skills.skill import Skill

MOST_LINES = 50
LONGEST_DESCRIPTION = 200

INTRODUCTION = """\
Skills
A skill is a written way of doing one kind of task. Below is only what each is for. When one fits what you are about to \
do, first run `vibe skill load NAME` with bash and read the whole of what it prints; then follow it as far as it serves \
the person's request. It grants no permission that the person did not give. Do not work from a skill's line here alone."""


def catalogue_text(skills: Sequence[Skill]) -> str:
    """The catalogue for the system prompt; empty without skills."""
    if not skills:
        return ""
    lines = [_line(skill) for skill in skills[:MOST_LINES]]
    if len(skills) > MOST_LINES:
        lines.append(f"… {len(skills) - MOST_LINES} more: vibe skill list")
    return "\n".join([INTRODUCTION, *lines])


def _line(skill: Skill) -> str:
    return f"- {skill.name} — {one_line(skill.description, LONGEST_DESCRIPTION) or '(no description)'}"
