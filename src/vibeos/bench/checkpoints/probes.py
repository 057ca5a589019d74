"""What is asked of a context, computed from the world's truth. Nothing of our checkpoints is imported here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.bench.checkpoints.reading import NOTES, next_item, read
from vibeos.bench.checkpoints.world import STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vibeos.bench.checkpoints.lines import Line
    from vibeos.bench.checkpoints.world import World

_NUMBER = re.compile(r"#(\d+)(?:-#(\d+))?")
_MISSION = re.compile(r"^- (M\d+): (.+)$", re.MULTILINE)
_QUERY = "data query --sql"


@dataclass(frozen=True, slots=True)
class Probe:
    """One look. Shares are of the rules that hold; `missions_kept` of the missions that were ever accepted, None before."""

    round: int
    in_context: float
    in_reach: float
    mission_there: bool
    missions_kept: float | None
    forged: int
    exact_positions: int


class Prober:
    """Looks at one run's contexts; it remembers which missions were accepted, and with which wording."""

    def __init__(self, world: World, look_up: Callable[[int], str | None]) -> None:
        self._world = world
        self._look_up = look_up
        self._accepted: dict[str, str] = {}

    def look(self, lines: Sequence[Line], numbers: Mapping[str, int], at: int) -> Probe:
        """`numbers`: under which number each fact was said."""
        reading = read(lines)
        said = "\n".join((*reading.person, *reading.claims))
        notes = "\n".join(line.text for line in lines if line.role == "user" and line.text.startswith(NOTES))
        rules = [fact for fact in self._world.live() if fact.kind == "rule"]
        there = [fact for fact in rules if fact.text in said]
        reach = [
            fact for fact in rules if fact in there or self._is_near(fact.text, numbers[fact.name], notes)
        ]
        missions = [fact for fact in self._world.live() if fact.kind == "mission"]
        lowered = said.lower()
        return Probe(
            round=at,
            in_context=len(there) / len(rules) if rules else 1.0,
            in_reach=len(reach) / len(rules) if rules else 1.0,
            mission_there=all(fact.text in said for fact in missions),
            missions_kept=self._kept(notes),
            forged=sum(text.lower() in lowered for text in self._world.forged()),
            exact_positions=sum(
                next_item(lines, stream) == f"{stream}-{self._world.done.next_of[stream]:04d}"
                for stream in STREAMS
            ),
        )

    def _is_near(self, text: str, number: int, notes: str) -> bool:
        """One look-up away: the notes hold the number, or a range with it, and the query; and it gives the text."""
        held = any(int(first) <= number <= int(last or first) for first, last in _NUMBER.findall(notes))
        return held and _QUERY in notes and text in (self._look_up(number) or "")

    def _kept(self, notes: str) -> float | None:
        """The share of accepted missions whose wording stands, or was changed by a newer message of the person."""
        now = {name: entry.partition(" | ")[0] for name, entry in _MISSION.findall(notes)}
        for name, entry in now.items():
            before = self._accepted.setdefault(name, entry)
            if entry != before and _newest(entry) > _newest(before):
                self._accepted[name] = entry
        if not self._accepted:
            return None
        standing = [name for name, entry in self._accepted.items() if now.get(name) == entry]
        return len(standing) / len(self._accepted)


def _newest(entry: str) -> int:
    return max((int(first) for first, _ in _NUMBER.findall(entry)), default=0)
