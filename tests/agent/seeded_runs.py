"""Long conversations under faults and kills, drawn from a seed; what must hold is checked at the end of each run.

    PYTHONPATH=tests python tests/agent/seeded_runs.py --runs 1000

A run is a few inputs of a person, and a model that calls tools (files, commands, questions, memory; unknown and broken
calls), answers, is overloaded, breaks off, refuses or is interrupted, also while a tool works, all drawn from the seed.
The process dies in the middle of a write, is started again, and so on; the last start is left in peace. Then: every input
is recorded once and in its order, every request was valid, each request of the session began with the one before it, byte
for byte, also over kills, a new process composes the same elements, they are those that a plain reading of the rows gives,
and what the tools said to have done is done.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
from contextlib import chdir, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

import vibeos
from store.crashing import FINISHED, run_and_crash
from vibeos.memory.checkpoint.context import WorkingContext, compose
from vibeos.ports.models import Finish, Reply, Usage, dump_request, dump_response, response_text, tool_calls
from vibeos.ports.models.check import check_request
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.values.envelopes import Envelope
from vibeos.values.errors import ModelRequestError, TurnLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vibeos.ports.models import ModelMessage
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.route import Route
    from vibeos.ports.models.tools import ToolCall
    from vibeos.record import ContextRow

PERSON = Envelope.person("seeded", author_name="Sam")
MOST_KILLS = 8
MOST_WRITES = 200
ENOUGH_ATTEMPTS = 60
_DEAF = Deaf()


class Improviser:
    """A model whose answer follows from the seed, the length of the conversation and how often it was asked that."""

    def __init__(self, seed: int, log: Path) -> None:
        self._seed = seed
        self._log = log
        self._asked: dict[int, int] = {}
        self.route: Route = parse_route("openai:improviser", base_url="http://127.0.0.1:1/v1")

    async def ask(self, request: Request, listener: Listener = _DEAF) -> Reply:
        check_request(request.messages, request.tools)
        with self._log.open("a") as log:
            log.write(json.dumps([request.system, *dumps(request.messages)]) + "\n")
        length = len(request.messages)
        attempt = self._asked[length] = self._asked.get(length, 0) + 1
        draw = random.Random(f"{self._seed}/{length}/{attempt}")
        await asyncio.sleep(0)
        match draw.choice(["calls", "calls", "text", "text", "overloaded", "breaks", "interrupted", "empty"]):
            case "calls" if length < 40:
                return self._reply(draw, calls=draw.randint(1, 3))
            case "overloaded":
                raise ModelRequestError("takes no more requests for now")
            case "breaks":
                listener.wrote("half an ans")
                raise ModelRequestError("the stream broke off")
            case "interrupted":
                listener.wrote("half an answer")
                raise asyncio.CancelledError
            case "empty":
                return self._reply(draw, text="")
        listener.wrote("an answer")
        return self._reply(draw, text=f"an answer ({draw.randint(1, 99)})")

    async def close(self) -> None:
        """Nothing is open."""

    def _reply(self, draw: random.Random, *, text: str = "", calls: int = 0) -> Reply:
        parts = [TextPart(text)] if text or not calls else []
        made = [ToolCallPart(*_call(draw), tool_call_id=f"c{draw.randint(0, 10**9)}") for _ in range(calls)]
        response = ModelResponse([*parts, *made], timestamp=datetime(2026, 1, 15, tzinfo=UTC))
        finish = Finish.TOOL_CALLS if calls else Finish.FINISHED if text else Finish.EMPTY
        return Reply(response, response_text(response), tuple(tool_calls(response)), Usage(), finish)


def _call(draw: random.Random) -> tuple[str, str]:
    return draw.choice(
        [
            ("memory", json.dumps({"action": "add", "target": "memory", "content": f"n{draw.random()}"})),
            ("session_search", '{"query": "anything at all"}'),
            ("session_search", '{"query": "cut'),
            ("write", json.dumps({"path": "a.txt", "content": "x" * draw.randint(0, 99)})),
            ("read", '{"path": "a.txt"}'),
            ("edit", json.dumps({"path": "a.txt", "edits": [{"old_text": "xx", "new_text": "yy"}]})),
            ("bash", json.dumps({"command": f"printf %s {draw.randint(0, 99)} > b.txt && cat b.txt"})),
            ("ask", json.dumps({"question": f"Which one, {draw.randint(0, 99)}?"})),
            ("halt", "{}"),
            ("nothing", "{}"),
            ("memory", "[]"),
        ]
    )


class Halt:
    """A tool in whose middle the person interrupts."""

    side_by_side = True

    def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec("halt", "Is interrupted.", {"type": "object", "properties": {}}),)

    async def call(self, call: ToolCall) -> ToolOutcome:
        await asyncio.sleep(0)
        raise asyncio.CancelledError


def plainly(rows: Sequence[ContextRow]) -> list[str]:
    """What the rows say in the order of a request, read without any code of the product's: texts, calls, results."""
    results = {row.context_seq: json.loads(row.payload) for row in rows if row.kind == "results"}
    told: list[str] = []
    for row in rows:
        if row.kind == "input" and row.message is not None:
            told.append(row.message.text)
        elif row.kind == "response":
            parts = json.loads(row.payload)["parts"]
            calls = [part["tool_call_id"] for part in parts if part["part_kind"] == "tool-call"]
            texts = [
                part["content"] for part in parts if part["part_kind"] == "text" and part["content"].strip()
            ]
            told += [
                *(texts if not calls or row.context_seq in results else []),
                *(calls if row.context_seq in results else []),
            ]
            told += [one["content"] for one in results.get(row.context_seq, [])]
    return told


def as_told(messages: Sequence[ModelMessage]) -> list[str]:
    """The same of the elements that are sent."""
    told: list[str] = []
    for message in messages:
        said = [str(getattr(part, "content", "")) for part in message.parts]
        told += [text for text in said if text.strip()]
        told += [one.call_id for one in tool_calls(message)] if message.kind == "response" else []
    return told


def dumps(messages: Sequence[ModelMessage]) -> list[str]:
    """The elements as text, byte for byte."""
    return [dump_response(one) if one.kind == "response" else dump_request(one) for one in messages]


@dataclass(frozen=True)
class Run:
    """One run's folder and what its person says."""

    folder: Path
    seed: int

    @property
    def inputs(self) -> list[str]:
        draw = random.Random(self.seed)
        return [f"input {number} of {self.seed}" for number in range(draw.randint(1, 4))]

    @property
    def log(self) -> Path:
        return self.folder / "requests.jsonl"

    def begin(self) -> str:
        with self.home() as home:
            conversation = home.chat.begin(
                source="seeded", model=Improviser(self.seed, self.log), tools=[Halt()]
            )
            return conversation.session.id

    def home(self) -> vibeos.VibeOS:
        return vibeos.open_home(self.folder / "home")

    def go_on(self, session_id: str) -> None:
        """Say what has not been said, and let the model answer; the same whether or not it was killed before."""
        with chdir(self.folder), self.home() as home:
            model = Improviser(self.seed, self.log)
            conversation = home.chat.resume(session_id, source="seeded", model=model, tools=[Halt()])
            for number, text in enumerate(self.inputs):
                home.record.inbox.deliver(session_id, PERSON, text, key=f"input-{number}")
                for _ in range(ENOUGH_ATTEMPTS):
                    with suppress(ModelRequestError, TurnLimitError, asyncio.CancelledError):
                        conversation.turn()
                        break

    def check(self, session_id: str) -> None:
        with self.home() as home:
            said = home.record.messages.of_session(session_id)
            assert [one.text for one in said if one.type == "user"] == self.inputs
            assert [one.context_seq for one in said] == list(range(1, len(said) + 1))
            requests = [json.loads(line) for line in self.log.read_text().splitlines()]
            for earlier, later in pairwise(requests):
                assert later[: len(earlier)] == earlier
            rows = home.record.context.rows(session_id)
            running = WorkingContext(home.record, session_id)
            running.refresh()
            assert dumps(compose(rows)) == dumps(running.messages)
            assert len({row.id for row in rows}) == len(rows)
            assert as_told(running.messages) == plainly(rows)
            self._check_outcomes(rows, home)

    def _check_outcomes(self, rows: Sequence[ContextRow], home: vibeos.VibeOS) -> None:
        """What a tool said to have saved is there once, and a question that it left open is open."""
        written = self.folder / "home" / "memories" / "MEMORY.md"
        entries = written.read_text().strip().split("\n§\n") if written.exists() else []
        open_questions = {one.id for one in home.questions.list()}
        for call, outcome in _answered(rows):
            if call["tool_name"] == "memory" and '"success": true' in outcome:
                assert entries.count(json.loads(call["args"])["content"]) == 1
            if call["tool_name"] == "ask" and (found := re.search(r"\bq\d+\b", outcome)):
                assert found[0] in open_questions


def _answered(rows: Sequence[ContextRow]) -> Iterator[tuple[dict[str, str], str]]:
    """Each call with what it was answered."""
    outcomes = {
        one["call_id"]: one["content"]
        for row in rows
        if row.kind == "results"
        for one in json.loads(row.payload)
    }
    for row in rows:
        for part in json.loads(row.payload)["parts"] if row.kind == "response" else []:
            if part["part_kind"] == "tool-call" and part["tool_call_id"] in outcomes:
                yield part, outcomes[part["tool_call_id"]]


def run(folder: Path, seed: int) -> int:
    """One run from begin to check; how often it was killed."""
    draw = random.Random(seed + 1_000_000)
    one = Run(folder, seed)
    session_id = one.begin()
    kills = 0
    while kills < MOST_KILLS:
        if run_and_crash(lambda: one.go_on(session_id), draw.randint(1, MOST_WRITES)) == FINISHED:
            break
        kills += 1
    else:
        assert run_and_crash(lambda: one.go_on(session_id), 10**9) == FINISHED
    one.check(session_id)
    return kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    kills = 0
    for seed in range(options.first, options.first + options.runs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                kills += run(Path(folder), seed)
            except AssertionError as error:
                raise SystemExit(f"seed {seed}: {error}") from error
    print(json.dumps({"runs": options.runs, "kills": kills, "failed": 0}))  # noqa: T201 - its result


if __name__ == "__main__":
    main()
