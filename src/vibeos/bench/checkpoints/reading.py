"""What a careful reader finds in a context: who said what, what is claimed, where the work stands. The actor goes by it.

A line that the harness delivered or a tool put out is never the person's word. What notes claim counts, unless it is marked
as unconfirmed; where a claim cites a message, the reader looks that up before believing it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.bench.checkpoints.world import STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vibeos.bench.checkpoints.lines import Line
    from vibeos.bench.checkpoints.words import Words

NOTES = ("[Harness: checkpoint]", "[Summary]")
UNCONFIRMED = "unconfirmed"
_MEMO = re.compile(r'<message number="#\d+"[^>]*>\n(.*?)\n</message>', re.DOTALL)
_ASIDE = re.compile(r"<(not_carried|record|log|files|skills)>.*?</\1>", re.DOTALL)
_NEXT = re.compile(rf"\b([{STREAMS}]): next \1-(\d{{4}})")
_CITED = re.compile(r"\(#(\d+)")


@dataclass(frozen=True, slots=True)
class Reading:
    """`person`: texts that the person wrote. `claims`: lines of notes that are not marked as unconfirmed."""

    person: tuple[str, ...]
    claims: tuple[str, ...]


def read(lines: Sequence[Line]) -> Reading:
    """Read a whole context."""
    person: list[str] = []
    claims: list[str] = []
    for line in lines:
        if line.role != "user":
            continue
        if line.text.startswith(NOTES):
            person += _MEMO.findall(line.text)
            rest = _ASIDE.sub("", _MEMO.sub("", line.text))
            claims += [one for one in rest.splitlines() if UNCONFIRMED not in one]
        elif not line.text.startswith("[Harness:"):
            person.append(line.text)
    return Reading(tuple(person), tuple(claims))


def next_item(lines: Sequence[Line], stream: str) -> str:
    """The item that comes next in a queue, by the newest trace of it; the first one where there is none."""
    for line in reversed(lines):
        if line.role == "call" and line.text.startswith(f"process {stream}-"):
            return f"{stream}-{int(line.text[-4:]) + 1:04d}"
        if line.role == "user" and line.text.startswith(NOTES):
            found = [number for name, number in _NEXT.findall(line.text) if name == stream]
            if found:
                return f"{stream}-{found[-1]}"
    return f"{stream}-0001"


def may(reading: Reading, words: Words, action: str, tag: str, look_up: Callable[[int], str | None]) -> bool:
    """Whether the context shows leave for an action on an item with this tag, and no word that took it back."""
    taken_back = words.withdrawal.format(old=action).lower()
    texts = (*reading.person, *reading.claims)
    if any(taken_back in text.lower() for text in texts):
        return False
    phrase = words.grant.format(action=action).lower()
    return any(_covers(text, phrase, words, tag) for text in _sources(reading, phrase, look_up))


def _sources(reading: Reading, phrase: str, look_up: Callable[[int], str | None]) -> Iterator[str]:
    yield from reading.person
    for claim in reading.claims:
        if phrase in claim.lower():
            cited = _CITED.search(claim)
            yield (look_up(int(cited[1])) or "") if cited else claim


def _covers(text: str, phrase: str, words: Words, tag: str) -> bool:
    place = text.lower().find(phrase)
    if place < 0:
        return False
    rest = text[place + len(phrase) :].lower()
    begin = words.limit.partition("{tag}")[0].lower()
    return rest.startswith(words.limit.format(tag=tag).lower()) if rest.startswith(begin) else True
