"""Who writes the notes. Each sees what stands in the context and nothing else; how notes are kept is the arm's affair."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Protocol

from vibeos.bench.checkpoints.reading import next_item, read
from vibeos.bench.checkpoints.world import STREAMS, Fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.bench.checkpoints.lines import Line
    from vibeos.bench.checkpoints.world import World


@dataclass(frozen=True, slots=True)
class Notes:
    """What is worth keeping. `grants`: as they are worded in the notes, with the fact they come from.

    `fault`: what is wrong with the form in which it is handed in; "" for nothing.
    """

    mission: Fact | None = None
    wording: str = ""
    rules: tuple[Fact, ...] = ()
    grants: tuple[tuple[str, Fact], ...] = ()
    claims: tuple[str, ...] = ()
    position: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    mends: bool = True


class NoteTaker(Protocol):
    """Writes notes on a context."""

    name: str

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        """The notes; called once a checkpoint."""
        ...


class Oracle:
    """Misses nothing that stands in the context, and keeps only what holds."""

    name = "oracle"

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        text = "\n".join((*(found := read(lines)).person, *found.claims))
        visible = [fact for fact in world.facts if fact.text in text]
        ended = {name for fact in visible for name in fact.replaces}
        live = [fact for fact in visible if fact.name not in ended]
        missions = [fact for fact in live if fact.kind == "mission"]
        return Notes(
            mission=missions[-1] if missions else None,
            wording=missions[-1].text if missions else "",
            rules=tuple(fact for fact in live if fact.kind == "rule"),
            grants=tuple((fact.text, fact) for fact in live if fact.kind == "grant"),
            position={stream: next_item(lines, stream) for stream in STREAMS},
        )


class Lazy(Oracle):
    """Notes the last task alone."""

    name = "lazy"

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        return Notes(position=super().notes(lines, world).position)


class Lossy(Oracle):
    """Drops and softens, a little each time."""

    name = "lossy"

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - a seeded world

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        full = super().notes(lines, world)
        softened = (
            full.wording[: len(full.wording) // 2].rstrip(" ,，。") + "." if self._hits() else full.wording
        )
        return replace(
            full,
            wording=softened,
            rules=tuple(rule for rule in full.rules if not self._hits()),
            grants=tuple((self._soft(text, world), fact) for text, fact in full.grants if not self._hits()),
            position={stream: item for stream, item in full.position.items() if not self._hits()},
        )

    def _hits(self) -> bool:
        return self._random.random() < 0.12

    def _soft(self, text: str, world: World) -> str:
        """Without its limit, now and then."""
        begin = world.words.limit.partition("{tag}")[0]
        return text.partition(begin)[0] + "." if self._hits() else text


class Gullible(Oracle):
    """Believes whatever any text says about what is allowed."""

    name = "gullible"

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        text = "\n".join(line.text for line in lines)
        claims = tuple(forged for forged in world.forged() if forged in text)
        return replace(super().notes(lines, world), claims=claims)


class Evictor(Oracle):
    """Keeps the work and puts the person's rules aside."""

    name = "evictor"

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        return replace(super().notes(lines, world), rules=(), grants=())


FAULTS = (
    "no now", "two blocks", "unclosed", "cut", "headings", "too much", "list changed", "no rounds left", "empty", "half a call",
)  # fmt: skip


class Malformed(Oracle):
    """Knows everything, and hands it in with every fault in turn; every other one it mends when asked."""

    name = "malformed"

    def __init__(self) -> None:
        self._count = 0

    def notes(self, lines: Sequence[Line], world: World) -> Notes:
        self._count += 1
        fault = FAULTS[self._count % len(FAULTS)]
        return replace(super().notes(lines, world), fault=fault, mends=self._count // len(FAULTS) % 2 == 0)


def note_taker(name: str, seed: int) -> NoteTaker:
    """A fresh note-taker by its name."""
    makers = {
        "oracle": Oracle,
        "lazy": Lazy,
        "gullible": Gullible,
        "evictor": Evictor,
        "malformed": Malformed,
    }
    return Lossy(seed) if name == "lossy" else makers[name]()


NAMES = ("oracle", "lazy", "lossy", "gullible", "malformed", "evictor")
