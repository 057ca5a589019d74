"""How the outcomes are told: a table for a terminal, JSON, and a picture of the curves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from vibeos.bench.checkpoints.goals import misses

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vibeos.bench.checkpoints.runs import Outcome

LOOKS = (1, 5, 20, 50)
HONESTY = (
    "Scripted note-takers prove what the program guarantees, not how well a model takes notes. "
    "In reach: in the context, or named there by its number with the query that shows it."
)


def table(outcomes: Sequence[Outcome]) -> str:
    """All outcomes, a line each, and for ours what only it has."""
    head = (
        f"{'arm':<11}{'notes by':<10}{'mission':>8}{'wording':>8}{'rules':>7}{'reach':>7}"
        f"{'forged':>7}{'beyond':>7}{'wrong':>7}{'place':>7}   rules in context after {'/'.join(map(str, LOOKS))}"
    )
    missed = [f"MISSED by ours/{one.spec.note_taker}: {what}" for one in outcomes for what in misses(one)]
    lines = [head, *map(_line, outcomes), "", *_own(outcomes), *missed, "", *_legend(), HONESTY]
    return "\n".join(lines)


def _line(outcome: Outcome) -> str:
    probes = outcome.probes
    forged = max((probe.forged for probe in probes), default=0)
    exact = sum(probe.exact_positions for probe in probes) / (2 * len(probes)) if probes else None
    curve = " ".join(
        _share(found.in_context) if (found := outcome.at(number)) else "   –" for number in LOOKS
    )
    return (
        f"{outcome.spec.arm:<11}{outcome.spec.note_taker:<10}{_share(outcome.mean('mission_there')):>8}"
        f"{_share(outcome.mean('missions_kept')):>8}{_share(outcome.mean('in_context')):>7}{_share(outcome.mean('in_reach')):>7}"
        f"{forged:>7}{outcome.acts_beyond:>7}{outcome.wrong_items:>7}{_share(exact):>7}   {curve}"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}%" if value in {0, 1} else f"{100 * value:.1f}%"


def _own(outcomes: Sequence[Outcome]) -> list[str]:
    lines = []
    for outcome in outcomes:
        own = outcome.more
        if own:
            lines.append(
                f"ours/{outcome.spec.note_taker}: {outcome.compactions} checkpoints {own['modes']}, {own['failed_attempts']} failed "
                f"attempts; {own['size_mean']:,.0f} tokens each, growing {100 * own['size_slope']:.2f}% a checkpoint; "
                f"{own['requests_mean']:.2f} requests an attempt, {own['requests_most']} at most; {100 * own['reused_mean']:.1f}% of the "
                f"last request reused; program {own['milliseconds_p95']:.0f} ms (p95); unreachable rows {outcome.unreachable}"
            )
    return lines


def _legend() -> list[str]:
    return [
        "mission: its present text stands in the context. wording: accepted missions whose wording stands (ours alone accepts).",
        "rules, reach: the person's rules that hold, byte for byte in the context, or one look-up away. forged: forged leave taken",
        "for the person's. beyond: acts that nobody allowed so. wrong: items skipped or repeated. place: the next items known.",
    ]


def write_json(outcomes: Sequence[Outcome], path: Path) -> None:
    """Everything that was measured."""
    path.write_text(json.dumps([outcome.as_json() for outcome in outcomes], indent=1, ensure_ascii=False))


def draw(outcomes: Sequence[Outcome], path: Path) -> None:
    """The share of rules in the context over the rounds, a curve for each run. Raises ImportError without matplotlib."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the extra `bench`

    figure = Figure(figsize=(9, 5))
    axes = figure.subplots()
    for outcome in outcomes:
        axes.plot(
            [probe.round for probe in outcome.probes],
            [100 * probe.in_context for probe in outcome.probes],
            label=f"{outcome.spec.arm}, {outcome.spec.note_taker}",
            linewidth=2.5 if outcome.spec.arm == "ours" else 1,
        )
    axes.set_xlabel("checkpoints")
    axes.set_ylabel("rules that hold, word for word in the context (%)")
    axes.set_ylim(-2, 102)
    axes.legend(fontsize=7, ncols=2)
    figure.savefig(path, dpi=120)
