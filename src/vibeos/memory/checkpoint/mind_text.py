"""The mind as a file: fixed headings in a fixed order, and what stands under each.

A line whose first characters are one to three `#` and a blank is a heading, also in code and in quotations; the eight
below are the only ones. What stands under one is its body. A place where nothing is noted holds one line, its
placeholder, so that a first edit need not touch a heading. `text_of(bodies_of(text))` changes nothing but line ends,
blank lines around bodies, and empty places, and doing it again changes nothing more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from vibeos.values.sizes import estimate_tokens
from vibeos.values.text import preview, well_formed, without_invisible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vibeos.memory.checkpoint.limits import MindLimits

HERE, GOALS, DECISIONS, LESSONS = "I am here", "Goals", "Key decisions", "Lessons"
SECTIONS = (HERE, GOALS, DECISIONS, LESSONS)
_SHOWN_FAULTS = 8
_HEADING = re.compile(r"\s*#{1,3}(?:\s|$)")


class Place(NamedTuple):
    """A heading, the section that its body counts in, and the placeholder of its body (none: it is no leaf)."""

    heading: str
    section: str
    placeholder: str = ""


PLACES = (
    Place("", HERE),  # what stands before the first heading
    Place("# Mind", HERE),
    Place("## I am here", HERE, "(nothing noted yet: for whom and why this work is done, what I answer for)"),
    Place(
        "### Agreements",
        HERE,
        "(nothing noted yet: how to report, when to ask, what is allowed and forbidden)",
    ),
    Place("## Goals", GOALS),
    Place("### Mission", GOALS, "(nothing noted yet: what this conversation is for in the end)"),
    Place(
        "### Workstreams",
        GOALS,
        "(nothing noted yet: the lines of work that serve a mission, and how far they are)",
    ),
    Place("## Key decisions", DECISIONS, "(nothing noted yet: what was decided, each with its reason)"),
    Place("## Lessons", LESSONS, "(nothing noted yet: principles that will help again)"),
)
PREAMBLE, TITLE, I_AM_HERE, AGREEMENTS, GOALS_PROSE, MISSION, WORKSTREAMS, KEY_DECISIONS, LESSON_NOTES = (
    range(9)
)
PLACEHOLDERS = frozenset(place.placeholder for place in PLACES if place.placeholder)
_EXPECTED = tuple(place.heading for place in PLACES[1:])

Bodies: TypeAlias = "Sequence[str]"
"""What stands under each of PLACES, in their order."""


def bodies_of(text: str) -> tuple[Bodies, str]:
    """The bodies of a mind and "", or no bodies and what is wrong with its headings."""
    found: list[tuple[int, str]] = []
    bodies: list[list[str]] = [[]]
    for number, line in enumerate(_cleaned(text).split("\n"), 1):
        if _HEADING.match(without_invisible(line)):
            found.append((number, line.rstrip()))
            bodies.append([])
        else:
            bodies[-1].append(line)
    if tuple(heading for _, heading in found) != _EXPECTED:
        return (), _faults(found)
    return tuple(_body(lines, is_mission=at == MISSION) for at, lines in enumerate(bodies)), ""


def text_of(bodies: Bodies) -> str:
    """The mind with these bodies; an empty place gets its placeholder."""
    blocks = []
    for place, body in zip(PLACES, bodies, strict=True):
        below = body if body.strip() else place.placeholder
        blocks.append("\n".join(part for part in (place.heading, below) if part))
    return "\n\n".join(block for block in blocks if block) + "\n"


def noted(body: str) -> str:
    """A body without placeholders."""
    return "\n".join(line for line in body.split("\n") if line.strip() not in PLACEHOLDERS).strip("\n")


def section_sizes(bodies: Bodies) -> dict[str, int]:
    """The tokens of each section with its headings; placeholders do not count."""
    texts: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for place, body in zip(PLACES, bodies, strict=True):
        if text := noted(body).strip():
            texts[place.section] += [place.heading, text]
    return {section: estimate_tokens("\n".join(parts)) for section, parts in texts.items()}


def section_limits(limits: MindLimits) -> dict[str, int]:
    """The limit of each section."""
    return dict(zip(SECTIONS, (limits.here, limits.goals, limits.decisions, limits.lessons), strict=True))


def without_comments(text: str) -> str:
    """The text without `<!-- -->`; a comment that has no end reaches to the end of the text."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("-->", start + 4)
        at = end + 3 if end >= 0 else len(text)
    return " ".join((*parts, text[at:]))


def _body(lines: Iterable[str], *, is_mission: bool) -> str:
    body = "\n".join(lines).strip("\n")
    if not body.strip():
        return ""
    return body if is_mission else _closed(body)  # entries in a comment are not there; see missions


def _closed(body: str) -> str:
    """The body with the start of a comment made harmless that would reach over the next heading."""
    at = 0
    while (start := body.find("<!--", at)) >= 0:
        end = body.find("-->", start + 4)
        if end < 0:
            return body[:start] + body[start:].replace("<!--", "&lt;!--")
        at = end + 3
    return body


def _cleaned(text: str) -> str:
    return well_formed(text.replace("\r\n", "\n").replace("\r", "\n")).lstrip("\ufeff\n")


def _faults(found: Sequence[tuple[int, str]]) -> str:
    counts = dict.fromkeys(_EXPECTED, 0)
    strange = []
    for number, line in found:
        if line not in counts and (plain := without_invisible(line).strip()) in counts:
            strange.append(
                f"line {number} only looks like {plain!r}: it is indented, or has invisible characters"
            )
        elif line not in counts:
            strange.append(f"line {number} ({preview(line, 60)!r}) is no heading of the mind")
        else:
            counts[line] += 1
    faults = [f"{heading!r} is missing" for heading, count in counts.items() if not count]
    faults += [f"{heading!r} stands {count} times" for heading, count in counts.items() if count > 1]
    faults += strange
    if not faults:
        faults = ["their order was changed"]
    more = f"; and {len(faults) - _SHOWN_FAULTS:,} more" if len(faults) > _SHOWN_FAULTS else ""
    return "; ".join(faults[:_SHOWN_FAULTS]) + more


TEMPLATE = text_of([""] * len(PLACES))
