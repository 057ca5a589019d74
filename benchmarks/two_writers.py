"""Two processes that write to one home at once: nothing may be lost, and nobody may see "database is locked".

    python benchmarks/two_writers.py --seconds 60

Each process opens the record afresh from time to time, records inputs and responses in a session of its own and in
one that both share, and delivers and takes. Afterwards everything they say they stored is looked for. Prints JSON;
the exit code is 1 if anything is missing, doubled or out of order, or if a process failed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from vibeos.record import Record, open_record
from vibeos.values.envelopes import Envelope, InputRoute

PERSON = Envelope.person("benchmark")
WATCH = Envelope(InputRoute.WATCH, "benchmark", origin_id="w", origin_name="watch")
PER_OPENING = 200


def write(path: Path, name: str, shared: str, seconds: float) -> None:
    """Record until the time is over; print how many messages went into which session, and the longest wait."""
    end = time.monotonic() + seconds
    stored, longest, own = 0, 0.0, ""
    while time.monotonic() < end:
        with open_record(path) as record:
            own = own or record.sessions.start(source="benchmark").id
            for _ in range(PER_OPENING):
                begin = time.monotonic()
                write_one(record, name, stored, (own, shared)[stored % 2])
                longest = max(longest, time.monotonic() - begin)
                stored += 1
    print(json.dumps({"own": own, "stored": stored, "longest_s": round(longest, 3)}))


def write_one(record: Record, name: str, number: int, session: str) -> None:
    text = f"{name} {number} " + "and some more words that make a message as long as most are " * 2
    match number % 6:
        case 0 | 1 | 2:
            record.messages.record_input(session, PERSON, text)
        case 3:
            record.messages.record_response(session, text=text, payload=json.dumps({"text": text}))
        case _:
            record.inbox.deliver(session, WATCH, text, key=f"{name}/{number}")
            record.inbox.take(session)


def check(path: Path, names: list[str], reports: list[dict[str, object]], shared: str) -> list[str]:
    """What is wrong with what is stored; an empty list is good."""
    faults: list[str] = []
    with open_record(path) as record:
        both = record.messages.of_session(shared)
        for name, report in zip(names, reports, strict=True):
            mine = [
                m.text
                for m in (*both, *record.messages.of_session(str(report["own"])))
                if m.text.startswith(name)
            ]
            numbers = [int(text.split()[1]) for text in mine]
            if sorted(numbers) != list(range(int(str(report["stored"])))):
                faults.append(f"{name}: {len(numbers)} messages of {report['stored']}")
            in_shared = [int(m.text.split()[1]) for m in both if m.text.startswith(name)]
            if in_shared != sorted(in_shared):
                faults.append(f"{name}: out of order")
        if [m.context_seq for m in both] != list(range(1, len(both) + 1)):
            faults.append("the numbers of the shared session have gaps")
        if len(record.context.rows(shared)) != len(both):
            faults.append("messages and context rows differ")
        if len(record.search("message", limit=5)) != 5:
            faults.append("the index finds nothing")
    return faults


def run(seconds: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        path, names = Path(folder) / "state.db", ["first", "second"]
        with open_record(path) as record:
            shared = record.sessions.start(source="benchmark").id
        command = [
            sys.executable,
            __file__,
            "--path",
            str(path),
            "--shared",
            shared,
            "--seconds",
            str(seconds),
            "--name",
        ]
        children = [
            subprocess.Popen([*command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for name in names
        ]
        ended = [child.communicate() for child in children]
        failed = [errors for child, (_, errors) in zip(children, ended, strict=True) if child.returncode]
        if failed:
            return {"faults": failed}
        reports: list[dict[str, object]] = [json.loads(output) for output, _ in ended]
        stored = sum(int(str(report["stored"])) for report in reports)
        return {
            "seconds": seconds,
            "stored": stored,
            "per_second": round(stored / seconds),
            "longest_wait_s": max(float(str(report["longest_s"])) for report in reports),
            "faults": check(path, names, reports, shared),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--shared", help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.path:
        write(options.path, options.name, options.shared, options.seconds)
        return
    result = run(options.seconds)
    print(json.dumps(result, indent=2))
    sys.exit(1 if result["faults"] else 0)


if __name__ == "__main__":
    main()
