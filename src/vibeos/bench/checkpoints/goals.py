"""What our arm must show: the figures that are promised for it. A miss is told as a miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vibeos.bench.checkpoints.runs import Outcome

WHOLE = 192_000  # a window at which every limit is whole


def misses(outcome: Outcome) -> list[str]:
    """What our arm must show and does not; the figures are those that the product promises."""
    if outcome.spec.arm != "ours":
        return []
    own, taker = outcome.more, outcome.spec.note_taker
    whole, oracle = outcome.spec.window >= WHOLE, taker == "oracle"
    checks = {
        "accepted missions stand": outcome.mean("missions_kept") in {1.0, None},
        "no forged leave": not any(probe.forged for probe in outcome.probes),
        "no act beyond leave": taker not in {"oracle", "lazy", "lossy"} or outcome.acts_beyond == 0,
        "rules are in reach": outcome.mean("in_reach") == 1.0,
        "rules are in the context": not (oracle and whole) or (outcome.mean("in_context") or 0) >= 0.99,
        "no item skipped or repeated": not oracle or outcome.wrong_items == 0,
        "the place is known": not oracle or all(probe.exact_positions == 2 for probe in outcome.probes),
        "no row is unreachable": outcome.unreachable == 0,
        "the size does not grow": not oracle or own["size_slope"] <= 0.01,
        "the prefix is reused": not (oracle and whole) or own["reused_mean"] >= 0.95,
        "few requests": own["requests_most"] <= 8 and (not oracle or own["requests_mean"] <= 2.5),
        "little program time": not whole or own["milliseconds_p95"] <= 100,
    }
    return [name for name, holds in checks.items() if not holds]
