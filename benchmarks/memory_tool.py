"""10,000 calls of the `memory` tool in one process, each flushed to disk: percentiles in milliseconds.

    python benchmarks/memory_tool.py [--calls 10000] [--home FOLDER] [--json]

The calls add, replace and remove in turn on a store that is kept about half full. The home should lie on a
real disk: the flush is part of the figure.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import vibeos

LIMIT_MS = 3.0


def calls(count: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number in range(-(-count // 3)):
        fact = f"fact {number}: the staging server {number} listens on port {2_000 + number % 1_000}"
        made.append({"action": "add", "target": "memory", "content": fact})
        made.append(
            {
                "action": "replace",
                "target": "memory",
                "old_text": f"fact {number}:",
                "content": f"{fact}, moved",
            }
        )
        made.append({"action": "remove", "target": "memory", "old_text": f"fact {number}:"})
    return made[:count]


def measure(count: int, folder: str) -> dict[str, object]:
    milliseconds: list[float] = []
    with vibeos.open_home(folder) as home:
        for number in range(10):
            home.memory.add("memory", f"standing entry {number}: {'x' * 80}")
        for call in calls(count):
            start = time.perf_counter()
            answer = home.memory.tool(call)
            milliseconds.append((time.perf_counter() - start) * 1_000)
            if not answer["success"]:
                raise SystemExit(f"{call} failed: {answer}")
    milliseconds.sort()
    percentiles = {f"p{p}": round(milliseconds[int(len(milliseconds) * p / 100)], 3) for p in (50, 95, 99)}
    return {
        "benchmark": "memory_tool",
        "calls": count,
        "ms": percentiles,
        "limit_p95_ms": LIMIT_MS,
        "met": percentiles["p95"] <= LIMIT_MS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--home", help="a folder on a real disk (default: below the current folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.home or Path.cwd()) as folder:
        result = measure(options.calls, folder)
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
