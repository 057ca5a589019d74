"""The mind as a checkpoint shows it: marks added, tags made harmless, what is too long cut with a note.

What is shown is never stored. Placeholders and empty places are left out. A section within its limit is shown whole. Of a
longer one the part that binds stays longest: missions always stand whole, agreements before the prose of their section.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.agreements import agreements_in
from vibeos.memory.checkpoint.mind_text import (
    AGREEMENTS,
    DECISIONS,
    GOALS,
    GOALS_PROSE,
    HERE,
    I_AM_HERE,
    KEY_DECISIONS,
    LESSON_NOTES,
    LESSONS,
    MISSION,
    PREAMBLE,
    TITLE,
    WORKSTREAMS,
    bodies_of,
    noted,
    section_limits,
    section_sizes,
)
from vibeos.memory.checkpoint.missions import Entry, entries_in
from vibeos.memory.checkpoint.sources import newest_cited
from vibeos.memory.checkpoint.tags import escaped
from vibeos.values.sizes import BYTES_PER_TOKEN, estimate_tokens
from vibeos.values.text import fold, preview

if TYPE_CHECKING:
    from vibeos.memory.checkpoint.limits import MindLimits
    from vibeos.memory.checkpoint.mind import Mind
    from vibeos.memory.checkpoint.mind_text import Bodies
    from vibeos.memory.checkpoint.sources import Sources

UNCITED = "(no message of the person is cited)"
NOTE = "(cut here; the whole mind can be read in {copy_path})"
_FINISHED_STATUS = 80
_LEAST_PART = 40  # bytes of a line that are worth showing
_FINISHED = re.compile(
    r"\W*(?:status\W+|статус\W+|状态\W*)?(?:"
    r"(?:all |now )?(?:done|finished|complete|completed|achieved|closed|withdrawn|replaced|superseded|cancell?ed|dropped|revoked)\b"
    r"|(?:готов[оаы]?|выполнен[оаы]?|завершен[оаы]?|отменен[оаы]?|заменен[оаы]?|отозван[оаы]?|закрыт[оаы]?|сделано)\b"
    r"|(?:已经?|全部|已全部)?(?:完成|完结|结束|撤回|撤销|取代|替代|取消|作废|被取代|被替代|被替换|废弃))"
    r"(?!\W*\d+ ?(?:/|of|из|个))"
)


def shown_mind(mind: Mind, limits: MindLimits, source: Sources, copy_path: str) -> str:
    """The mind for a model; "" where nothing is noted. `copy_path`: where the read-only copy of the whole one lies."""
    bodies, _ = bodies_of(mind.text)
    if not bodies:
        return ""
    note = NOTE.format(copy_path=escaped(copy_path))
    sizes, most = section_sizes(bodies), section_limits(limits)
    room = {section: most[section] if sizes[section] > most[section] else None for section in most}
    here = _prose(bodies, PREAMBLE, TITLE, I_AM_HERE)
    goals = _prose(bodies, GOALS_PROSE, WORKSTREAMS)
    sections = (
        _here(here, _agreements(bodies, source), room[HERE], note),
        _goals(_missions(mind, bodies, source), goals, room[GOALS], note),
        _under("## Key decisions", _prose(bodies, KEY_DECISIONS), room[DECISIONS], note),
        _under("## Lessons", _prose(bodies, LESSON_NOTES), room[LESSONS], note),
    )
    return "\n\n".join(section for section in sections if section)


def _prose(bodies: Bodies, *places: int) -> str:
    return escaped("\n\n".join(text for place in places if (text := noted(bodies[place])).strip()))


def _agreements(bodies: Bodies, source: Sources) -> str:
    return escaped(
        "\n".join(agreement.shown for agreement in agreements_in(bodies[AGREEMENTS], source)).strip("\n")
    )


def _missions(mind: Mind, bodies: Bodies, source: Sources) -> str:
    known = {mission.id: mission for mission in mind.missions}
    lines = []
    for entry in entries_in(bodies[MISSION], known):
        mission = known.get(entry.id)
        is_cited = newest_cited(str(entry), source) > 0
        is_owed = mission is not None and source.typed(mission.rests_on) is not None
        lines.append(_mission_line(entry) + (f" {UNCITED}" if is_owed and not is_cited else ""))
    return escaped("\n".join(lines))


def _mission_line(entry: Entry) -> str:
    if _FINISHED.match(fold(entry.status).replace("ё", "е")):
        return str(entry._replace(status=preview(entry.status, _FINISHED_STATUS)))
    return str(entry)


def _here(prose: str, agreements: str, room: int | None, note: str) -> str:
    """Prose, then the agreements, which bind and have the first claim on the room."""
    binding = _under("### Agreements", agreements, room and room - estimate_tokens("## I am here\n\n"), note)
    left = None if room is None else room - estimate_tokens(binding) - 1
    above = _under("## I am here", prose, left, note) or "## I am here"
    return "\n\n".join(part for part in (above, binding) if part) if prose.strip() or binding else ""


def _goals(missions: str, workstreams: str, room: int | None, note: str) -> str:
    """Missions whole, then the workstreams with the room that is left."""
    above = f"## Goals\n\n### Mission\n{missions}" if missions else "## Goals"
    left = None if room is None else room - estimate_tokens(above) - 1
    below = _under("### Workstreams", workstreams, left, note)
    return "\n\n".join(part for part in (above, below) if part) if missions or below else ""


def _under(heading: str, body: str, room: int | None, note: str) -> str:
    if not body.strip():
        return ""
    return f"{heading}\n{body if room is None else cut(body, room - estimate_tokens(heading) - 1, note)}"


def cut(text: str, tokens: int, note: str) -> str:
    """The text if it has at most so many tokens, else its first lines and the note; of a first line too long, a part.

    The note stands always, so that with less room than it needs the result is longer.
    """
    if estimate_tokens(text) <= tokens:
        return text
    room = tokens * BYTES_PER_TOKEN - len(note.encode()) - 1
    kept: list[str] = []
    for line in text.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    if not "".join(kept).strip():
        head = text.lstrip("\n").split("\n", 1)[0].encode()
        kept = [part for part in (_head(head, tokens * BYTES_PER_TOKEN - len(note.encode()) - 5),) if part]
    return "\n".join((*kept, note))


def _head(line: bytes, most: int) -> str:
    return line[:most].decode("utf-8", "ignore") + "…" if most > _LEAST_PART else ""
