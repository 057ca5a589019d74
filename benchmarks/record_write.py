"""How fast a message is recorded, one transaction each, flushed to the disk, in a record of --rows messages.

    python benchmarks/record_write.py --rows 1000000

Goal at 1,000,000 rows: p95 at most 3 ms, p99 at most 30 ms, at least 2,000 a second sustained. Prints JSON.
The words are drawn by Zipf's law from 30,000 made-up ones, so that the index has common and rare terms. With --keep
the record stays in the folder, and a second run with the same folder measures without filling it again.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from vibeos.record import ContextKind, MessageType, Record, open_record
from vibeos.record.message import Draft
from vibeos.record.writing import append
from vibeos.values.clock import stamp, system_clock
from vibeos.values.envelopes import Envelope

LIMITS = {"p95_ms": 3, "p99_ms": 30, "per_second": 2_000}
SESSION = 50
CHUNK = 5_000
PERSON = Envelope.person("benchmark")


class Speaker:
    """Sentences of about 130 characters, always the same ones for a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        letters = random.Random(1)
        self._words = [
            "".join(letters.choices("abcdefghijklmnoprstuvwy", k=letters.randint(3, 9)))
            for _ in range(30_000)
        ]
        weights = [1 / (rank + 3) for rank in range(len(self._words))]
        self._sums = _running(weights)

    def sentence(self) -> str:
        count = self._random.randint(8, 32)
        return " ".join(self._random.choices(self._words, cum_weights=self._sums, k=count))


def _running(weights: list[float]) -> list[float]:
    total, sums = 0.0, []
    for weight in weights:
        total += weight
        sums.append(total)
    return sums


def fill(record: Record, rows: int, speaker: Speaker) -> None:
    """Fill the record by large transactions, through the same path as every message."""
    database = record._database  # noqa: SLF001 - the only way to many messages in one transaction
    counted = record.query("SELECT count(*) FROM messages").rows[0][0]
    done = int(str(counted))
    now = stamp(system_clock())
    while done < rows:
        sessions = [record.sessions.start(source="benchmark").id for _ in range(CHUNK // SESSION)]
        with database.write() as transaction:
            for place in range(min(CHUNK, rows - done)):
                draft = draft_of(place, speaker.sentence())
                kind = ContextKind.INPUT if draft.envelope else ContextKind.RESPONSE
                append(transaction, sessions[place // SESSION], draft, kind=kind, now=now)
        done += min(CHUNK, rows - done)


def draft_of(place: int, text: str) -> Draft:
    return Draft.of_input(PERSON, text) if place % 2 == 0 else Draft(MessageType.ASSISTANT, text)


def measure(record: Record, count: int, speaker: Speaker) -> list[float]:
    """Seconds that each message took, in four sessions by turns."""
    sessions = [record.sessions.start(source="benchmark").id for _ in range(4)]
    texts = [speaker.sentence() for _ in range(count)]
    seconds = []
    for place, text in enumerate(texts):
        session = sessions[place % 4]
        begin = time.perf_counter()
        if place % 8 < 4:
            record.messages.record_input(session, PERSON, text)
        else:
            record.messages.record_response(session, text=text, payload='{"text":"…"}')
        seconds.append(time.perf_counter() - begin)
    return seconds


def report(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1_000, 3)

    return {
        "messages": len(seconds),
        "per_second": round(len(seconds) / sum(seconds)),
        "p50_ms": at(0.5),
        "p95_ms": at(0.95),
        "p99_ms": at(0.99),
        "p999_ms": at(0.999),
        "max_ms": at(1.0),
    }


def search_report(record: Record, speaker: Speaker) -> dict[str, float]:
    seconds = []
    for _ in range(50):
        query = " ".join(speaker.sentence().split()[:6])
        begin = time.perf_counter()
        record.search(query)
        seconds.append(time.perf_counter() - begin)
    return report(seconds)


def run(folder: Path, rows: int, count: int) -> dict[str, object]:
    with open_record(folder / "state.db") as record:
        begin = time.perf_counter()
        fill(record, rows, Speaker(2))
        filled = time.perf_counter() - begin
        written = report(measure(record, count, Speaker(3)))
        searched = search_report(record, Speaker(4))
    size = sum(file.stat().st_size for file in folder.glob("state.db*"))
    return {
        "rows": rows,
        "filled_in_s": round(filled, 1),
        "size_mb": round(size / 1e6),
        "record": written,
        "search": searched,
        "limits": LIMITS,
        "met": {
            "p95_ms": written["p95_ms"] <= LIMITS["p95_ms"],
            "p99_ms": written["p99_ms"] <= LIMITS["p99_ms"],
            "per_second": written["per_second"] >= LIMITS["per_second"],
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--measure", type=int, default=20_000)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if options.keep:
        print(json.dumps(run(options.keep, options.rows, options.measure), indent=2))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(run(Path(folder), options.rows, options.measure), indent=2))


if __name__ == "__main__":
    main()
