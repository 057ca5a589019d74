"""What a request costs beside the model: composing, storing, acting; and fifty sessions in one process.

    python benchmarks/agent_loop.py

Goals: composing the context of 2,000 rows and recording an input at most 10 ms (p95) in a running process and 150 ms
at resume; everything but the model at most 15 ms (p95) a request at 500 rows (the model's own client is measured by
model_request.py); fifty sessions side by side, each with a scripted model of 50 ms, at most 1.3 times the wall time of
one. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import vibeos
from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.ports.models import dump_response
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.tools import ToolOutcome, dump_outcomes
from vibeos.testing import ScriptedModel, call, reply
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models import Reply
    from vibeos.ports.models.model import Listener, Request
    from vibeos.ports.models.route import Route
    from vibeos.record import Record
    from vibeos.testing import Step

LIMITS = {"running_p95_ms": 10, "resume_ms": 150, "request_p95_ms": 15, "fifty_to_one": 1.3}
_DEAF = Deaf()
PERSON = Envelope.person("benchmark")
READ = call("read", {"path": __file__, "limit": 20})
SEARCH = call("session_search", {"query": "apples in the cellar", "limit": 3})


class Timed:
    """A model that notes how long it was asked, so that it can be taken out of the measure."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model
        self.spans: list[tuple[float, float]] = []

    @property
    def route(self) -> Route:
        return self._model.route

    async def ask(self, request: Request, listener: Listener = _DEAF) -> Reply:
        begin = time.perf_counter()
        try:
            return await self._model.ask(request, listener)
        finally:
            self.spans.append((begin, time.perf_counter()))

    async def close(self) -> None:
        await self._model.close()


def fill(record: Record, session_id: str, rows: int) -> None:
    """Rows as a working session has them: of four, an input, a response that calls, its results, an answer."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: PLC0415 - only for the filling

    for number in range(rows // 4):
        record.messages.record_input(session_id, PERSON, f"please look at part {number} " + "word " * 40)
        called = ModelResponse([ToolCallPart("read", '{"path":"a.txt"}', tool_call_id=f"c{number}")])
        seq = record.messages.record_response(session_id, text="", payload=dump_response(called)).context_seq
        result = ToolOutcome(f"c{number}", "read", f"{number}\n" + "line of a file\n" * 60)
        record.messages.record_results(session_id, seq, dump_outcomes([result]))
        answer = f"part {number} is done. " + "it says " * 30
        said = dump_response(ModelResponse([TextPart(answer)]))
        record.messages.record_response(session_id, text=answer, payload=said)


def composing(home: VibeOS) -> dict[str, float]:
    session = home.record.sessions.start(source="benchmark")
    fill(home.record, session.id, 2_000)
    resumes = []
    for _ in range(10):
        begin = time.perf_counter()
        running = WorkingContext(home.record, session.id)
        running.settle()
        resumes.append(time.perf_counter() - begin)
    spent = []
    for number in range(200):
        begin = time.perf_counter()
        home.record.messages.record_input(session.id, PERSON, f"input {number}")
        running.refresh()
        assert len(running.messages) >= 2_000
        spent.append(time.perf_counter() - begin)
    return {
        "running_p95_ms": at(spent, 0.95),
        "running_p50_ms": at(spent, 0.5),
        "resume_ms": at(resumes, 0.95),
    }


def requests(home: VibeOS) -> dict[str, float]:
    """What lies between two requests of one turn, at 500 rows: storing, searching, storing, composing."""
    asked = 100
    steps = [*(reply(calls=[SEARCH]) for _ in range(asked)), reply("done")]
    model = Timed(ScriptedModel(steps))
    conversation = home.chat.begin(source="benchmark", model=model)
    fill(home.record, conversation.session.id, 500)
    conversation.say("begin")
    conversation.turn()
    spans = model.spans
    between = [later[0] - earlier[1] for earlier, later in pairwise(spans)]
    return {"request_p95_ms": at(between, 0.95), "request_p50_ms": at(between, 0.5)}


def fifty(home: VibeOS, *, requests_each: int) -> dict[str, float]:
    def steps() -> list[Step]:
        return [*(reply(calls=[READ]) for _ in range(requests_each - 1)), reply("done")]

    def talk() -> Conversation:
        conversation = home.chat.begin(source="benchmark", model=ScriptedModel(steps(), delay=0.05))
        conversation.say("begin")
        return conversation

    async def together(talks: list[Conversation]) -> float:
        begin = time.perf_counter()
        await asyncio.gather(*(one.work() for one in talks))
        return time.perf_counter() - begin

    asyncio.run(together([talk()]))  # what is loaded once is loaded
    one = asyncio.run(together([talk()]))
    many = asyncio.run(together([talk() for _ in range(50)]))
    return {"one_s": round(one, 3), "fifty_s": round(many, 3), "fifty_to_one": round(many / one, 2)}


def at(seconds: list[float], share: float) -> float:
    """The value in ms below which this share of the measures lies."""
    ordered = sorted(seconds)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1_000, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20, help="requests of each of the fifty sessions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, vibeos.open_home(Path(folder) / "home") as home:
        found = composing(home) | requests(home) | fifty(home, requests_each=options.requests)
    met = {name: found[name] <= limit for name, limit in LIMITS.items()}
    print(json.dumps({**found, "limits": LIMITS, "met": met}, indent=2))


if __name__ == "__main__":
    main()
