"""How well the record's search finds what was said: LoCoMo, five conversations pooled in one profile, without a model.

    python benchmarks/locomo.py [DATA] [--noise N] [--each]

A turn is a message with its author, its text and its session's date, as the data gives them; the raw question is the query;
adversarial questions are left out; hit@k: some evidence turn is among the first k results. `--noise N` mixes in N messages
of other talk, most of them thousands of characters long. `--each` reports the gain of each ranking signal alone.
The data (CC BY-NC 4.0) is read where it lies and is no part of this repository.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.record import open_record
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.record import Record

DATA = Path(__file__).parents[2] / "shared" / "data" / "locomo-0-4.json"
ADVERSARIAL = 5
LIMITS = {"hit@5": 0.77, "hit@10": 0.84, "session hit@5": 0.91}
_DATE = re.compile(r"(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)")


class Question(NamedTuple):
    """What is asked, and in which messages the answer stands: by id, and by session."""

    text: str
    messages: frozenset[int]
    sessions: frozenset[str]


class Moment:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = datetime(2023, 1, 1)  # noqa: DTZ001 - made aware below

    def __call__(self) -> datetime:
        return self.now.astimezone()


def load(record: Record, clock: Moment, data: list[dict[str, Any]]) -> list[Question]:
    """Record every conversation; the questions with the messages that answer them."""
    questions: list[Question] = []
    for conversation in data:
        ids: dict[str, tuple[int, str]] = {}
        told = conversation["conversation"]
        for name in sorted(
            (key for key in told if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])
        ):
            clock.now = _moment(told[f"{name}_date_time"])
            session = record.sessions.start(source="locomo").id
            for turn in told[name]:
                person = Envelope.person("locomo", author_name=turn["speaker"])
                message = record.messages.record_input(session, person, turn["text"])
                ids[turn["dia_id"]] = message.id, session
        questions += _questions(conversation["qa"], ids)
    return questions


def _questions(asked: list[dict[str, Any]], ids: dict[str, tuple[int, str]]) -> Iterator[Question]:
    for one in asked:
        named = re.findall(r"D\d+:\d+", " ".join(one["evidence"]))
        found = [ids[name] for name in named if name in ids]
        if one["category"] != ADVERSARIAL and found:
            yield Question(
                one["question"],
                frozenset(id_ for id_, _ in found),
                frozenset(session for _, session in found),
            )


def _moment(text: str) -> datetime:
    hour, minute, half, day, month, year = _DATE.fullmatch(text).groups()  # type: ignore[union-attr]
    return datetime.strptime(f"{hour}:{minute} {half} {day} {month} {year}", "%I:%M %p %d %B %Y")  # noqa: DTZ007


def noise(record: Record, count: int) -> None:
    """Other talk: long replies in which common and rare words of many subjects stand, and short ones between them."""
    draw = random.Random(7)
    words = sorted({word for path in Path(random.__file__).parent.glob("*.py") for word in _words_of(path)})
    session = record.sessions.start(source="noise").id
    for number in range(count):
        if number % 50 == 0:
            session = record.sessions.start(source="noise").id
        length = draw.choice([20, 300, 500, 700])
        text = " ".join(draw.choices(words, k=length))
        if number % 2:
            record.messages.record_response(session, text=text, payload="{}")
        else:
            record.messages.record_input(session, Envelope.person("noise", author_name="Alex"), text[:2_000])


def _words_of(path: Path) -> list[str]:
    return re.findall(r"[a-zA-Z]{3,}", path.read_text(errors="ignore"))


def measure(record: Record, questions: list[Question]) -> dict[str, float]:
    """The share of questions of which something was found, and how long a search takes (ms, p50 and p95)."""
    hits = dict.fromkeys(LIMITS, 0)
    times = []
    for question in questions:
        started = time.perf_counter()
        found = record.search(question.text, limit=10)
        times.append((time.perf_counter() - started) * 1_000)
        ids = [hit.message.id for hit in found]
        hits["hit@5"] += not question.messages.isdisjoint(ids[:5])
        hits["hit@10"] += not question.messages.isdisjoint(ids)
        hits["session hit@5"] += any(hit.message.session_id in question.sessions for hit in found[:5])
    times.sort()
    shares = {name: count / len(questions) for name, count in hits.items()}
    return {**shares, "p50 ms": times[len(times) // 2], "p95 ms": times[int(0.95 * len(times))]}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--noise", type=int, default=0)
    options = parser.parse_args()
    if not options.data.exists():
        print(f"Skipped: {options.data} is not here.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        clock = Moment()
        with open_record(Path(folder) / "state.db", clock=clock) as record:
            questions = load(record, clock, json.loads(options.data.read_text()))
            noise(record, options.noise)
            record.search("warm up")
            found = measure(record, questions)
    print(
        json.dumps(
            {
                "questions": len(questions),
                "noise": options.noise,
                **{k: round(v, 3) for k, v in found.items()},
            }
        )
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
