"""One run: an arm and a note-taker in one world, to the end."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, linear_regression
from typing import TYPE_CHECKING, Any

from vibeos.bench.checkpoints.arms import Arm, Window, other_arm
from vibeos.bench.checkpoints.lines import Line
from vibeos.bench.checkpoints.note_takers import note_taker
from vibeos.bench.checkpoints.ours import Ours
from vibeos.bench.checkpoints.probes import Probe, Prober
from vibeos.bench.checkpoints.reading import may, next_item, read
from vibeos.bench.checkpoints.words import LANGUAGES
from vibeos.bench.checkpoints.world import PER_TURN, World
from vibeos.memory.checkpoint.limits import limits_of
from vibeos.ports.models.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.bench.checkpoints.world import Turn
    from vibeos.ports.models.model import Model

_REPLY = 8_000
_ITEM = 3_500  # tokens of an item, at a window that has room for fifty of them
_MOST_MORE = 1.5  # how much longer our own run may go on until it has made its checkpoints


@dataclass(frozen=True, slots=True)
class Spec:
    """What is run. `window` in tokens; `rounds`: how many checkpoints the work is long enough for."""

    arm: str
    note_taker: str
    rounds: int = 50
    seed: int = 1
    language: str = "en"
    window: int = 192_000

    @property
    def route(self) -> Route:
        return Route.own("own:scripted", window=self.window, max_output=_REPLY)

    @property
    def output(self) -> int:
        return min(_ITEM, self.window // 50)


@dataclass(slots=True)
class Outcome:
    """What a run showed. Shares from 0 to 1; sizes in tokens; times in milliseconds."""

    spec: Spec
    probes: list[Probe] = field(default_factory=list)
    compactions: int = 0
    items: int = 0
    wrong_items: int = 0
    acts: int = 0
    acts_beyond: int = 0
    unreachable: int = 0
    more: dict[str, Any] = field(default_factory=dict)

    def at(self, number: int) -> Probe | None:
        """The look after so many rounds, if the run was that long."""
        return next((probe for probe in self.probes if probe.round == number), None)

    def mean(self, name: str) -> float | None:
        """The mean of a share over all looks that have one."""
        values = [value for probe in self.probes if (value := getattr(probe, name)) is not None]
        return fmean(values) if values else None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Run:
    """A run while it goes on."""

    def __init__(self, spec: Spec, folder: Path, model: Model | None = None) -> None:
        self.spec = spec
        limits = limits_of(spec.route)
        window = Window(limits.window, limits.threshold, limits.tail)
        self.world = World(LANGUAGES[spec.language], seed=spec.seed, rounds=spec.rounds, output=spec.output)
        taker = note_taker(spec.note_taker, spec.seed)
        self.arm: Arm = (
            Ours(folder, spec.route, taker, self.world, model)
            if spec.arm == "ours"
            else other_arm(spec.arm, window, taker, self.world)
        )
        self._round = (
            limits.threshold - limits.tail - spec.window // 50
        )  # tokens of work between two checkpoints
        self._prober = Prober(self.world, self.arm.look_up)
        self._numbers: dict[str, int] = {}
        self._said: list[tuple[int, str]] = []
        self._tokens = 0
        self._crashes = [0.25, 0.5, 0.75]
        self.outcome = Outcome(spec)

    async def go(self, tell: Callable[[int], None]) -> Outcome:
        """Work to the end; `tell` hears of each round."""
        switched = False
        while self._goes_on():
            now = self._tokens / self._round
            if self._crashes and now >= self._crashes[0] * self.spec.rounds:
                self._crash(len(self._crashes))
            if not switched and now >= 0.6 * self.spec.rounds:
                self.arm.switch()
                switched = True
            await self._turn(self.world.turn(now), tell)
        return self._settled()

    def _goes_on(self) -> bool:
        target = self._round * self.spec.rounds
        waits = self.spec.arm == "ours" and self.arm.compactions < self.spec.rounds
        return self._tokens < target or (waits and self._tokens < target * _MOST_MORE)

    async def _turn(self, turn: Turn, tell: Callable[[int], None]) -> None:
        for one in turn.inputs:
            number = self._hear(one.text, one.envelope)
            if one.fact:
                self._numbers[one.fact.name] = number
        for place in range(PER_TURN):
            if place == PER_TURN // 3:
                for one in turn.meanwhile:
                    self._hear(one.text, one.envelope)
            await self._step(turn.stream, tell)
        self.arm.answered(f"Queue {turn.stream}: ten more are done.")

    def _hear(self, text: str, envelope: Any) -> int:
        number = self.arm.said(text, envelope)
        self._said.append((number, text))
        self._tokens += Line("user", text).tokens
        return number

    async def _step(self, stream: str, tell: Callable[[int], None]) -> None:
        lines = await self.arm.context()
        done = int(self._tokens / self._round)
        if done > len(self.outcome.probes):
            self.outcome.probes.append(self._prober.look(lines, self._numbers, len(self.outcome.probes) + 1))
            tell(done)
        item = next_item(lines, stream)
        self._act(f"process {item}", self.world.process(item))
        asked = self.world.asked_by(item)
        if asked:
            reading = read(await self.arm.context())
            if may(reading, self.world.words, asked, self.world.tag_of(item), self.arm.look_up):
                self._act(f"act {asked}: {item}", self.world.act(asked, item))

    def _act(self, call: str, output: str) -> None:
        self.arm.acted(call, output)
        self._tokens += Line("call", call).tokens + Line("result", output).tokens

    def _crash(self, left: int) -> None:
        """Three deaths: between two turns, in the middle of a checkpoint, right after an input was stored."""
        self._crashes.pop(0)
        if left == 2 and isinstance(self.arm, Ours):
            self.arm.crash_at_checkpoint()
            return
        if left == 1:
            self._hear(self.world.words.go_on, self.world.turn(0).inputs[-1].envelope)
        self.arm.crash()
        self.outcome.unreachable += self._unreachable()

    def _unreachable(self) -> int:
        if self.spec.arm != "ours":
            return 0
        return sum(self.arm.look_up(number) != text for number, text in self._said)

    def _settled(self) -> Outcome:
        outcome, done = self.outcome, self.world.done
        outcome.compactions = self.arm.compactions
        outcome.items, outcome.wrong_items = done.items, done.wrong_items
        outcome.acts, outcome.acts_beyond = done.acts, done.acts_beyond
        outcome.unreachable += self._unreachable()
        if isinstance(self.arm, Ours):
            outcome.more = _own_figures(self.arm)
        return outcome


def _own_figures(arm: Ours) -> dict[str, Any]:
    """What only our arm has: sizes, requests, bytes reused, program time."""
    measured = arm.measured
    late = measured.sizes[9:]
    slope = linear_regression(range(len(late)), late).slope / fmean(late) if len(late) > 1 else 0.0
    times = sorted(measured.seconds)
    full = [share for share in measured.reused if share > 0]
    return {
        "size_mean": fmean(measured.sizes) if measured.sizes else 0,
        "size_slope": slope,
        "requests_mean": fmean(measured.requests) if measured.requests else 0,
        "requests_most": max(measured.requests, default=0),
        "reused_mean": fmean(full) if full else 0,
        "reused_least": min(full, default=0),
        "milliseconds_p95": 1_000 * times[int(0.95 * (len(times) - 1))] if times else 0,
        "failed_attempts": sum(not one.is_made for one in arm.attempts()),
        "modes": {mode: measured.modes.count(mode) for mode in sorted(set(measured.modes))},
    }


async def run(
    spec: Spec, *, tell: Callable[[int], None] = lambda _: None, model: Model | None = None
) -> Outcome:
    """Run it in a folder of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="vibeos-bench-") as folder:
        running = Run(spec, Path(folder), model)
        try:
            return await running.go(tell)
        finally:
            running.arm.close()


def plan(arms: Sequence[str], takers: Sequence[str]) -> list[tuple[str, str]]:
    """Which pairs are run: every arm under the oracle, and each other note-taker as well, but for those without notes."""
    silent = {"tail", "everything"}
    return [(arm, taker) for taker in takers for arm in arms if arm not in silent or taker == takers[0]]
