"""Long conversations under faults and kills, drawn from a seed; what must hold is checked at the end of each run.

    PYTHONPATH=tests python tests/agent/seeded_runs.py --runs 1000

A run is a few inputs of a person, and a model that calls tools (good, unknown and broken calls), answers, is overloaded,
breaks off, refuses or is interrupted, all drawn from the seed. The process dies in the middle of a write, is started
again, and so on; the last start is left in peace. Then: every input is recorded once and in its order, every request
was valid, each request of the session began with the one before it, byte for byte, also over kills, and a new process
composes the same elements.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
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
from vibeos.values.envelopes import Envelope
from vibeos.values.errors import ModelRequestError, TurnLimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.models import ModelMessage
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.route import Route

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
            ("nothing", "{}"),
            ("memory", "[]"),
        ]
    )


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
            conversation = home.chat.begin(source="seeded", model=Improviser(self.seed, self.log))
            return conversation.session.id

    def home(self) -> vibeos.VibeOS:
        return vibeos.open_home(self.folder / "home")

    def go_on(self, session_id: str) -> None:
        """Say what has not been said, and let the model answer; the same whether or not it was killed before."""
        with chdir(self.folder), self.home() as home:
            model = Improviser(self.seed, self.log)
            conversation = home.chat.resume(session_id, source="seeded", model=model)
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
