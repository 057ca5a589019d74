"""The memo's check list: one line a message with box, number and preview. A model changes boxes and nothing else.

A long message has its parts beneath it, with boxes of their own; where parts are ticked they stand for the message. What was
carried before starts ticked. Any other change carries every message: the person's words, rather more than fewer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.checkpoint.memo import Pick, is_long, size_of
from vibeos.memory.checkpoint.parts import parts_in
from vibeos.memory.checkpoint.problems import Part, Problem
from vibeos.memory.checkpoint.tags import escaped
from vibeos.values.text import preview, well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vibeos.memory.checkpoint.limits import Limits
    from vibeos.memory.checkpoint.memo import Candidate

TITLE = "# Memo: the person's messages that leave, the oldest first"
NOTHING = "(none leaves this time)"
_PREVIEW = 100
_BOX = re.compile(r"( *- \[)([ xX])(\] #\d+(?:\.\d+)? .*|\] #\d+(?:\.\d+)?)")
_SHOWN_FAULTS = 5

CHANGED = "Only the boxes [ ] and [x] may change in this file. {faults} Put every line back as it was, or all messages are carried."
UNREADABLE = (
    "The file cannot be read any more, so all messages are carried. Leave it where it is and only tick."
)
UNTOUCHED = "The rounds were used up before the list was touched, so all messages would be carried. Tick those that matter now."
TOO_MUCH = (
    "What is ticked has about {size:,} tokens; {most:,} fit. Untick what is finished or stands in your mind, or tick parts of "
    "long messages; otherwise each is shortened. The longest: {longest}."
)


class _Line(NamedTuple):
    """What one box stands for; part 0: the whole message."""

    number: int
    part: int
    ticked: bool
    text: str

    def __str__(self) -> str:
        box, name = "x" if self.ticked else " ", f"#{self.number}" + (f".{self.part}" if self.part else "")
        return f"{'  ' if self.part else ''}- [{box}] {name} {_shown(self.text)}".rstrip()


@dataclass(frozen=True, slots=True)
class MemoVerdict:
    """What is wrong with the list, and what is carried if nothing more is mended."""

    problems: tuple[Problem, ...]
    picks: tuple[Pick, ...]
    carries_all: bool = False

    @property
    def settled(self) -> tuple[str, ...]:
        """What the program does about it, a line each."""
        if self.carries_all:
            return ("every message is carried",)
        return ("what is ticked is shortened to fit",) if self.problems else ()


def checklist(candidates: Sequence[Candidate], *, message_limit: int) -> str:
    """The list as a model gets it; `message_limit`: the most tokens that one message is carried with."""
    lines = [str(line) for line in _lines(candidates, message_limit)]
    return "\n".join([TITLE, "", *(lines or [NOTHING]), ""])


def judge_checklist(
    original: str,
    edited: str | None,
    candidates: Sequence[Candidate],
    *,
    limits: Limits,
    rounds_ran_out: bool = False,
) -> MemoVerdict:
    """The verdict on the list as a model left it; None: it could not be read.

    `rounds_ran_out`: an untouched list says nothing then, and carries every message.
    """
    every = tuple(one.pick or Pick(one.number) for one in candidates)
    if edited is None:
        return MemoVerdict((_problem(UNREADABLE),), every, carries_all=True)
    faults = list(_faults(original, edited))
    if faults:
        return MemoVerdict((_problem(CHANGED.format(faults=_told(faults))),), every, carries_all=True)
    picks = _picks(candidates, _ticks(edited), limits.message)
    if rounds_ran_out and picks != every and _ticks(edited) == _ticks(original):
        return MemoVerdict((_problem(UNTOUCHED),), every, carries_all=True)
    return MemoVerdict(tuple(_too_much(picks, candidates, limits)), picks)


def _lines(candidates: Sequence[Candidate], message_limit: int) -> Iterator[_Line]:
    for one in candidates:
        carried = one.pick.parts if one.pick else ()
        yield _Line(one.number, 0, one.pick is not None and not carried, one.text)
        if carried or is_long(one.text, message_limit):
            parts = parts_in(one.text)
            if len(parts) > 1:
                yield from (
                    _Line(one.number, at, at in carried, part) for at, part in enumerate(parts, start=1)
                )


def _shown(text: str) -> str:
    return escaped(preview(well_formed(text), _PREVIEW))


def _read(text: str) -> list[str]:
    """The lines, whatever their ends and the blank ones behind the last."""
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _faults(original: str, edited: str) -> Iterator[str]:
    """What differs beside the boxes, a sentence each."""
    before, after = _read(original), _read(edited)
    if len(before) != len(after):
        yield f"It had {len(before):,} lines and now has {len(after):,}."
    for place, (old, new) in enumerate(zip(before, after, strict=False), start=1):
        if _without_box(old) != _without_box(new):
            yield f"Line {place} was {old!r}."


def _told(faults: list[str]) -> str:
    more = len(faults) - _SHOWN_FAULTS
    return " ".join([*faults[:_SHOWN_FAULTS], *([f"And {more:,} more."] if more > 0 else [])])


def _without_box(line: str) -> str | tuple[str, str]:
    found = _BOX.fullmatch(line)
    return (found[1], found[3]) if found else line


def _ticks(text: str) -> list[bool]:
    return [found[2] != " " for line in _read(text) if (found := _BOX.fullmatch(line))]


def _picks(candidates: Sequence[Candidate], ticks: list[bool], message_limit: int) -> tuple[Pick, ...]:
    wholes: set[int] = set()
    parts: dict[int, list[int]] = {}
    for line, ticked in zip(_lines(candidates, message_limit), ticks, strict=True):
        if ticked and line.part:
            parts.setdefault(line.number, []).append(line.part)
        elif ticked:
            wholes.add(line.number)
    return tuple(
        Pick(one.number, tuple(parts.get(one.number, ())))
        for one in candidates
        if one.number in wholes or one.number in parts
    )


def _too_much(picks: Sequence[Pick], candidates: Sequence[Candidate], limits: Limits) -> Iterator[Problem]:
    texts = {one.number: one.text for one in candidates}
    size = size_of(picks, texts, limits)
    if size > limits.memo:
        by_size = sorted(((size_of([pick], texts, limits), pick.number) for pick in picks), reverse=True)
        longest = ", ".join(f"#{number} {tokens:,}" for tokens, number in by_size[:_SHOWN_FAULTS])
        yield _problem(TOO_MUCH.format(size=size, most=limits.memo, longest=longest))


def _problem(text: str) -> Problem:
    return Problem(Part.MEMO, text)
