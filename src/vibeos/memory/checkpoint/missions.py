"""Missions have identity: what was accepted keeps its number, its wording and its place among the goals.

- Every accepted number stands exactly once, with the same wording (white space aside), unless the entry cites a message of
  the person newer than the one its wording rests on. The status behind " | " is free.
- What breaks this is named, and mended here: the accepted wording comes back, every other edit stays.
- Whatever stands under the heading is an entry, with a bullet or without. New ones get numbers that were never used.
- Entries that are struck through, commented out or moved elsewhere are not there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.checkpoint.mind_text import PLACEHOLDERS, without_comments
from vibeos.memory.checkpoint.sources import cited, joined, newest_cited
from vibeos.memory.checkpoint.tags import escaped
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vibeos.memory.checkpoint.sources import Sources

_MOST_NAMED = 20
_SHOWN_WORDING = 1_500
_NUMBER = (
    r"(?:\*\*)?[MmМм]([1-9]\d{0,8})(?:\*\*)?\s*[:：](?:\*\*)?"  # both scripts have a letter drawn like M
)
_NUMBERED = re.compile(rf"{_NUMBER}\s*")
_STARTS = re.compile(rf"[-*+•]\s+|\s+[-*+•]\s+(?={_NUMBER})")
_BULLET = re.compile(r"\A\s*(?:[-*+•>]\s+|\[[ xX]\]\s+)*")
_WORD = re.compile(r"\w")
_SEPARATOR = re.compile(r"(?:^| )\|(?: |$)")
_STRUCK = re.compile(r"~~|<(?:del|s|strike)\b", re.IGNORECASE)
_CITATION = re.compile(r" ?[(（] ?#\d[^()（）]*[)）]")


@dataclass(frozen=True, slots=True)
class Mission:
    """An accepted mission. `id`: "M1"; `rests_on`: the number of the message its wording rests on (0: none)."""

    id: str
    wording: str
    rests_on: int


class Entry(NamedTuple):
    """An entry as it is written; `id` is "" where it has none."""

    id: str
    wording: str
    status: str = ""

    def __str__(self) -> str:
        told = f"{self.wording} | {self.status}" if self.status else self.wording
        return f"- {self.id}: {told}"


class JudgedMissions(NamedTuple):
    """The missions that stand, their lines, what was wrong, and the numbers that had to be mended."""

    missions: tuple[Mission, ...]
    body: str
    problems: tuple[str, ...]
    mended: tuple[str, ...]


def entries_in(body: str, known: Mapping[str, Mission]) -> list[Entry]:
    """The entries under the heading, struck and commented ones left out."""
    return [
        entry
        for text in _texts(body)
        if not _STRUCK.match(text) and (entry := _entry(text, known)) is not None
    ]


def judge_missions(body: str, before: Sequence[Mission], old_body: str, source: Sources) -> JudgedMissions:
    """What the entries of an edited mind come to. `old_body`: the entries of the mind before, for their status."""
    known = {mission.id: mission for mission in before}
    judge = _Judge(known, source, {entry.id: entry.status for entry in entries_in(old_body, known)})
    judge.assign(entries_in(body, known))
    return judge.verdict()


class _Judge:
    """One judgement: entries are matched with accepted missions, the surest matches first."""

    def __init__(self, known: Mapping[str, Mission], source: Sources, statuses: Mapping[str, str]) -> None:
        self.known, self.source, self.statuses = known, source, statuses
        self.by_wording = {joined(mission.wording): id_ for id_, mission in reversed(tuple(known.items()))}
        self.found: dict[str, tuple[Mission, str]] = {}  # with the status; new missions too
        self.order: dict[int, str] = {}  # where an entry stands -> its number
        self.last = max((int(id_[1:]) for id_ in known), default=0)
        self.problems: list[str] = []
        self.mended: list[str] = []

    def assign(self, entries: Sequence[Entry]) -> None:
        left = dict(enumerate(entries))
        for match in (self._same, self._changed_by_right, self._same_wording, self._same_number):
            for at, entry in tuple(left.items()):
                if match(at, entry):
                    del left[at]
        for at, entry in left.items():
            self._rest(at, entry)

    def verdict(self) -> JudgedMissions:
        for id_, mission in self.known.items():
            if id_ not in self.found:
                self._missing(mission)
        standing = [self.found[id_] for id_ in self._in_order()]
        more = len(self.problems) - _MOST_NAMED
        problems = self.problems[:_MOST_NAMED] + [f"{more:,} more missions have such problems."] * (more > 0)
        return JudgedMissions(
            missions=tuple(mission for mission, _ in standing),
            body="\n".join(str(Entry(mission.id, mission.wording, status)) for mission, status in standing),
            problems=tuple(escaped(problem) for problem in problems),
            mended=tuple(dict.fromkeys(self.mended)),
        )

    def _put(self, at: int, mission: Mission, status: str) -> bool:
        self.found[mission.id] = (mission, status)
        self.order[at] = mission.id
        return True

    def _open(self, id_: str) -> Mission | None:
        """The accepted mission with that number, if no entry was matched with it yet."""
        return None if id_ in self.found else self.known.get(id_)

    def _same(self, at: int, entry: Entry) -> bool:
        mission = self._open(entry.id)
        if mission is None or entry.wording != joined(mission.wording):
            return False
        return self._put(at, mission, entry.status)

    def _changed_by_right(self, at: int, entry: Entry) -> bool:
        mission = self._open(entry.id)
        if mission is None or not entry.wording:
            return False
        newest = newest_cited(str(entry), self.source)
        return newest > mission.rests_on and self._put(
            at, Mission(mission.id, entry.wording, newest), entry.status
        )

    def _same_wording(self, at: int, entry: Entry) -> bool:
        mission = self._open(self.by_wording.get(entry.wording, ""))
        if mission is None:
            return False
        if entry.id:
            self._mend(
                mission.id, f"{mission.id} now stands as {entry.id}. Give it its number {mission.id} back."
            )
        return self._put(at, mission, entry.status)

    def _same_number(self, at: int, entry: Entry) -> bool:
        mission = self._open(entry.id)
        if mission is None:
            return False
        status = entry.status
        if (added := self._only_cites(entry, mission)) is not None:
            status = joined(f"{status} {added}")
        else:
            self._mend(mission.id, self._told_change(entry, mission))
        return self._put(at, mission, status)

    def _only_cites(self, entry: Entry, mission: Mission) -> str | None:
        """The citations of the person that an otherwise equal entry has more than the mission had."""
        if _CITATION.sub("", entry.wording).strip() != _CITATION.sub("", joined(mission.wording)).strip():
            return None
        old = cited(mission.wording)
        new = [number for number in cited(entry.wording) if number not in old]
        if any(self.source.typed(number) is None for number in new):
            return None
        return " ".join(f"(#{number})" for number in new)

    def _told_change(self, entry: Entry, mission: Mission) -> str:
        false = [f"#{number}" for number in cited(str(entry)) if self.source.typed(number) is None]
        told = f" {', '.join(false[:5])} is no message that the person typed." if false else ""
        return (
            f"the wording of {mission.id} was changed without a newer message of the person. It was "
            f"{preview(mission.wording, _SHOWN_WORDING)!r} and now reads {preview(entry.wording, _SHOWN_WORDING)!r}.{told} "
            'Put the old wording back and say the rest in the status behind " | "; only if the person changed it, cite '
            f"their message, (#N) with N above {mission.rests_on}."
        )

    def _missing(self, mission: Mission) -> None:
        wording = preview(mission.wording, _SHOWN_WORDING)
        self._mend(
            mission.id,
            f"{mission.id} is missing under '### Mission'. Put the line '- {mission.id}: {wording}' back there, neither "
            'struck through nor commented out; if it is done, withdrawn or replaced, say so behind " | ".',
        )
        self.found[mission.id] = (mission, self.statuses.get(mission.id, ""))

    def _rest(self, at: int, entry: Entry) -> None:
        """An entry that is no accepted mission's first: said twice, or new."""
        id_ = entry.id if entry.id in self.known else self.by_wording.get(entry.wording, "")
        if id_:
            self._mend(
                id_,
                f"{id_} stands more than once under '### Mission'. Leave one entry of it, with its wording.",
            )
        elif entry.wording and entry.wording not in self.by_wording:
            self.last += 1
            new = f"M{self.last}"
            if entry.id not in ("", new):
                self.problems.append(
                    f"{entry.id} is no number of a mission: write new ones without a number."
                )
            rests_on = newest_cited(str(entry), self.source) or self.source.newest or self.source.first_input
            self.by_wording[entry.wording] = ""
            self._put(at, Mission(new, entry.wording, rests_on), entry.status)

    def _mend(self, id_: str, problem: str) -> None:
        self.problems.append(problem)
        self.mended.append(id_)

    def _in_order(self) -> list[str]:
        """As the model ordered them; a mission that was put back stands behind the one it stood behind."""
        placed = set(self.order.values())
        order: list[str] = []
        behind: dict[str, list[str]] = {"": []}
        leader = ""
        for id_ in self.known:
            if id_ in placed:
                leader = id_
            else:
                behind.setdefault(leader, []).append(id_)
        order += behind[""]
        for at in sorted(self.order):
            order += (self.order[at], *behind.get(self.order[at], ()))
        return order


def _texts(body: str) -> list[str]:
    """The entries' texts, each on one line."""
    entries: list[list[str]] = []
    is_open = False
    for line in without_comments(body).split("\n"):
        if not _WORD.search(line) or line.strip() in PLACEHOLDERS:
            is_open = is_open and bool(line.strip())
            continue
        if _STARTS.match(line) or not (is_open or (entries and line[0].isspace())):
            entries.append([])
        entries[-1].append(line)
        is_open = True
    return [
        text
        for lines in entries
        if (text := joined(_BULLET.sub("", "\n".join(lines), 1))) not in PLACEHOLDERS
    ]


def _entry(text: str, known: Mapping[str, Mission]) -> Entry | None:
    numbered = _NUMBERED.match(text)
    id_ = f"M{numbered[1]}" if numbered else ""
    told = text[numbered.end() :] if numbered else text
    mission = known.get(id_)
    if mission is not None and (told + " ").startswith(joined(mission.wording) + " "):
        wording = joined(mission.wording)
        behind = told[len(wording) :]
        if not behind or behind == " |" or behind.startswith(" | "):
            return Entry(id_, wording, behind[3:])
    parts = _SEPARATOR.split(told, maxsplit=1)
    entry = Entry(id_, parts[0].strip(), parts[1].strip() if len(parts) > 1 else "")
    return entry if entry.id or entry.wording else None
