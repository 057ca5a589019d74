"""FiftyCheckpoints, whole: three languages at a window of 192,000, and a window of 32,000. Exit status 1 for a miss.

python benchmarks/checkpoints.py [--rounds N]
"""

from __future__ import annotations

import asyncio
import sys

from vibeos.bench.checkpoints.arms import NAMES as ARMS
from vibeos.bench.checkpoints.goals import WHOLE, misses
from vibeos.bench.checkpoints.note_takers import NAMES as TAKERS
from vibeos.bench.checkpoints.report import table
from vibeos.bench.checkpoints.runs import Spec, plan, run

SMALL = 32_000


def main() -> int:
    """Print every table, and what was missed."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 50
    missed = []
    for language, window in (("en", WHOLE), ("ru", WHOLE), ("zh", WHOLE), ("en", SMALL)):
        outcomes = [
            asyncio.run(run(Spec(arm, taker, rounds, 1, language, window)))
            for arm, taker in plan(ARMS, TAKERS)
        ]
        print(f"\n{language}, a window of {window:,}\n{table(outcomes)}")
        missed += [
            f"{language}, {window:,}, {one.spec.note_taker}: {name}"
            for one in outcomes
            for name in misses(one)
        ]
    print("\n".join(["", *(f"MISSED {one}" for one in missed)]) if missed else "\nNothing missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
