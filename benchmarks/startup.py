"""Start-up of whole processes, as a ratio to `python -c "import sqlite3, json, argparse"` in the same run.

    python benchmarks/startup.py [--runs 40] [--json]

The commands are interleaved with the yardstick, so that a busy moment of the machine touches all alike; each
figure is the ratio of medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

YARDSTICK = [sys.executable, "-c", "import sqlite3, json, argparse"]
VIBEOS = str(Path(sys.executable).with_name("vibeos"))
LIMITS = {"--help": 2.2, "memory status": 2.5, "memory add": 2.5}


def timed(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def measure(runs: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "VIBEOS_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its bytecode
        subprocess.run(
            [VIBEOS, "memory", "add", "a first entry"], env=environment, stdout=subprocess.DEVNULL, check=True
        )
        times: dict[str, list[float]] = {name: [] for name in ("yardstick", *LIMITS)}
        for run in range(runs + 2):
            round_of = {
                "yardstick": YARDSTICK,
                "--help": [VIBEOS, "--help"],
                "memory status": [VIBEOS, "memory", "status"],
                "memory add": [VIBEOS, "memory", "add", f"entry number {run}"],
            }
            for name, command in round_of.items():
                seconds = timed(command, environment)
                if run >= 2:  # the first rounds warm the disk's cache
                    times[name].append(seconds)
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = {name: round(medians[name] / medians["yardstick"], 2) for name in LIMITS}
    return {
        "benchmark": "startup",
        "runs": runs,
        "yardstick_ms": round(medians["yardstick"] * 1_000, 1),
        "ratios": ratios,
        "limits": LIMITS,
        "met": all(ratios[name] <= limit for name, limit in LIMITS.items()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options.runs)
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
