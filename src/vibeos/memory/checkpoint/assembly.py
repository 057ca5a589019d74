"""Putting a checkpoint together: the text that a model reads in the place of the older conversation.

It speaks as the agent's own recollection. The person's words and their agreements stay in force in it; nothing that the
program adds can be read as the person speaking. Everything that is put in was escaped by whoever made it, so exactly one
block of each name can be read. What the program adds beyond the document shares one small budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.known import MOST_MODIFIED, MOST_READ
from vibeos.memory.checkpoint.request import MARKER
from vibeos.memory.checkpoint.tags import block
from vibeos.values.sizes import estimate_tokens
from vibeos.values.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.memory.checkpoint.known import Known
    from vibeos.memory.checkpoint.limits import Limits
    from vibeos.record.registry import LivingJob

FRAMING_VERSION = 1
FRAMING = """\
These are my own notes on this conversation so far. The program I run in put them together when the older part left my \
context. They are what I remember: no message from the person, no new instruction, and no answer to anything I asked. The \
memo holds the person's own words, copied from the record. Those, and the agreements in the mind unless they are marked as \
unconfirmed, stay in force. Nothing else in these notes speaks for the person."""
CURRENT_PERSON = (
    "What follows these notes belongs to the turn that is under way: the messages of the person in it are the current "
    "request, and where they and these notes differ, the messages win."
)
CURRENT_HARNESS = (
    "What follows these notes belongs to the turn that is under way, which a program began and not the person; where it "
    "and these notes differ, it is the newer, and the person's words above stay in force."
)
CURRENT_NONE = "I go on from here with what follows these notes."
RECORD = """\
All messages up to #{covers} are in the record, under their numbers; the outputs of tools are not, so I run a tool again \
when I need its output.
{lookup}"""
NOT_CARRIED = (
    "Messages of the person that are listed here and not carried are not in force; the record shows them:"
)
DROPPED = (
    "The part after this was moved out without being gone through, so what is written above may be older than the last "
    "messages. Before I go on I check where the work stands."
)
MOST_JOBS = 20
_LOG_TOKENS = 300
_JOB_NAME = 80
_FOR_INDEX = 0.2  # of the extras, at least
_LEAST_INDEX = 12  # tokens: one range of numbers


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a checkpoint is made of. Texts are as a model may read them. `index` names what is not carried, in lines of at
    most so many tokens. `flying`: whose inputs are under way, "person", "harness" or nobody's."""

    covers: int
    mind: str
    memo: str
    now: str
    skills: tuple[tuple[str, str], ...]
    known: Known
    jobs: Sequence[LivingJob]
    as_of: str
    lookup: str
    index: Callable[[int], str]
    is_drop: bool = False
    flying: str = ""


def composed(pieces: Pieces, limits: Limits) -> tuple[str, dict[str, int]]:
    """The text, and the size of each of its blocks in tokens."""
    blocks = {
        "mind": block("mind", pieces.mind) if pieces.mind else "",
        "memo": block("memo", pieces.memo) if pieces.memo else "",
        "now": block("now", _now(pieces)) if pieces.now or pieces.is_drop else "",
        "skills": _skills(pieces.skills),
        "files": _files(pieces.known),
        **_extras(pieces, limits.extras),
        "record": block("record", RECORD.format(covers=pieces.covers, lookup=pieces.lookup)),
        "current": block("current", _current(pieces.flying)),
    }
    inside = "\n\n".join(text for text in (FRAMING, *blocks.values()) if text)
    text = f"{MARKER}\n{block('checkpoint', inside)}"
    sizes = {name: estimate_tokens(text) for name, text in blocks.items() if text}
    return text, {**sizes, "whole": estimate_tokens(text)}


def _current(flying: str) -> str:
    return {"person": CURRENT_PERSON, "harness": CURRENT_HARNESS}.get(flying, CURRENT_NONE)


def _now(pieces: Pieces) -> str:
    return "\n\n".join(text for text in (pieces.now, DROPPED if pieces.is_drop else "") if text)


def _skills(skills: Sequence[tuple[str, str]]) -> str:
    if not skills:
        return ""
    return block("skills", "\n".join(block("skill", text, name=name) for name, text in skills))


def _files(known: Known) -> str:
    if not known.modified and not known.read:
        return ""
    lines = []
    for title, paths, more, most in (
        ("Changed last, the newest first", known.modified, known.more_modified, MOST_MODIFIED),
        ("Read last", known.read, known.more_read, MOST_READ),
    ):
        if paths:
            left = f"  (only the last {most}; earlier ones are not listed)" if more else ""
            lines += [f"{title}:{left}", *(f"- {path}" for path in paths)]
    return block("files", "\n".join(lines))


def _extras(pieces: Pieces, budget: int) -> dict[str, str]:
    """What the program adds beyond the document: the lists of what runs and what is not carried first, the log last."""
    index_room = int(budget * _FOR_INDEX)
    running = _running(pieces.jobs, pieces.as_of, budget - index_room)
    left = budget - estimate_tokens(running)
    not_carried = _not_carried(pieces.index, left)
    left -= estimate_tokens(not_carried)
    saved = _listed(
        "saved",
        "Saved to memory in this session; the memory blocks of the system prompt do not show it yet:",
        tuple(reversed(pieces.known.saved)),
        left,
    )
    left -= estimate_tokens(saved)
    log = _listed(
        "log",
        "What was done in the part that was moved out without being gone through:",
        [f"{tool} {what} ({count})".replace("  ", " ") for tool, what, count in reversed(pieces.known.log)],
        min(left, _LOG_TOKENS),
    )
    return {"running": running, "saved": saved, "log": log, "not_carried": not_carried}


def _running(jobs: Sequence[LivingJob], as_of: str, room: int) -> str:
    lines = [
        f"- {job.kind.value} {one_line(job.id)}: {one_line(job.name, _JOB_NAME)}" for job in jobs[:MOST_JOBS]
    ]
    short = [f"- {job.kind.value} {one_line(job.id)}" for job in jobs[:MOST_JOBS]]
    title = f"Running or waiting as of {as_of}, by the program's own list:"
    for shown in (lines, short):
        text = _framed("running", title, shown, len(jobs) - len(shown))
        if estimate_tokens(text) <= room:
            return text
    return _listed("running", title, short, room, others=len(jobs) - len(short))


def _not_carried(index: Callable[[int], str], room: int) -> str:
    """Always there where there is anything to name: a number that is named can be looked up."""
    frame = block("not_carried", f"{NOT_CARRIED}\n")
    lines = index(max(_LEAST_INDEX, room - estimate_tokens(frame)))
    return block("not_carried", f"{NOT_CARRIED}\n{lines}") if lines else ""


def _listed(name: str, title: str, lines: Sequence[str], room: int, *, others: int = 0) -> str:
    """As many of the lines as fit, and how many more there are."""
    count = len(lines)
    while count:
        text = _framed(name, title, lines[:count], len(lines) - count + others)
        if estimate_tokens(text) <= room:
            return text
        count -= max(1, count // 8)
    return ""


def _framed(name: str, title: str, lines: Sequence[str], others: int) -> str:
    if not lines:
        return ""
    more = [f"and {others:,} more"] if others > 0 else []
    return block(name, "\n".join([title, *lines, *more]))
