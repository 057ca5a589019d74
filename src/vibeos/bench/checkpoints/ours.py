"""Our checkpoints as an arm: a real record on the disk, the real envelopes, the real `RoomMaker`, a scripted scribe.

The scribe is a `Model` that reads the checkpoint request as a model would: where the files are and what stands in them is
taken from its text alone, and it answers with calls of `edit` and a block.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vibeos.bench.checkpoints.lines import Line
from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.memory.checkpoint.host import Host, how_to_look
from vibeos.memory.checkpoint.room import RoomMaker
from vibeos.ports.models import dump_outcomes, dump_response, outcomes_in, response_text, tool_calls
from vibeos.ports.models.chat_format import chat_response
from vibeos.ports.models.model import Deaf
from vibeos.ports.models.replies import reply_of
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.record import open_record
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from vibeos.bench.checkpoints.note_takers import Notes, NoteTaker
    from vibeos.bench.checkpoints.world import World
    from vibeos.ports.models import ModelMessage, Reply
    from vibeos.ports.models.model import Listener, Model, Request
    from vibeos.ports.models.route import Route
    from vibeos.values.envelopes import Envelope

SYSTEM = "You work through queues for one person, over a long time."
_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOLS = tuple(ToolSpec(name, f"{name} an item", _SCHEMA) for name in ("process", "act", "read", "edit"))
REQUEST = "[Harness: checkpoint]\nThis message comes"
REPAIR = "[Harness: checkpoint repair]"
_FILE = re.compile(r"^(\S+):\n-----\n(.*?)\n-----$", re.DOTALL | re.MULTILINE)
_LISTED = re.compile(r"^ *- \[([ x])\] (#(\d+)(?:\.\d+)?) (.*)$", re.MULTILINE)
_PLACES = {
    "### Mission": "(nothing noted yet: what this conversation is for in the end)",
    "### Agreements": "(nothing noted yet: how to report, when to ask, what is allowed and forbidden)",
    "### Workstreams": "(nothing noted yet: the lines of work that serve a mission, and how far they are)",
}


@dataclass(slots=True)
class Measured:
    """What this arm counts: program time (s) and requests of each checkpoint, sizes, bytes reused as a prefix."""

    seconds: list[float] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    reused: list[float] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)


class Crash(BaseException):
    """The process dies here."""


class Ours:
    """The arm."""

    name = "ours"

    def __init__(
        self, folder: Path, route: Route, taker: NoteTaker, world: World, model: Model | None = None
    ) -> None:
        self.measured = Measured()
        self._folder = folder
        self._record = open_record(folder / "state.db")
        self._session = self._record.sessions.start(source="bench").id
        self._scribe = Scribe(route, taker, world, model)
        self._lines: dict[int, tuple[ModelMessage, list[Line]]] = {}
        self._calls = 0
        self._attempts = 0
        self._open()

    def _open(self) -> None:
        self._context = WorkingContext(self._record, self._session)
        self._context.settle()
        self._room = self._new_room()

    def _new_room(self) -> RoomMaker:
        host = Host(
            model=self._scribe,
            system=SYSTEM,
            tools=TOOLS,
            scratch=str(self._folder / "scratch" / self._session),
            copies=str(self._folder / "checkpoints" / self._session),
            lookup=how_to_look(self._session),
        )
        return RoomMaker(host, self._context)

    @property
    def compactions(self) -> int:
        return len(self.measured.modes)

    def said(self, text: str, envelope: Envelope) -> int:
        number = self._record.messages.record_input(self._session, envelope, text).context_seq
        self._context.refresh()
        return number

    def acted(self, call: str, output: str) -> None:
        self._calls += 1
        name, _, rest = call.partition(" ")
        answer = {
            "role": "assistant",
            "tool_calls": [_call(f"c{self._calls}", name, f'{{"what": "{rest}"}}')],
        }
        response = chat_response(answer)
        stored = self._record.messages.record_response(
            self._session, text="", payload=dump_response(response), model=self._scribe.route.name
        )
        outcomes = dump_outcomes([ToolOutcome(f"c{self._calls}", name, output)])
        self._record.messages.record_results(self._session, stored.context_seq, outcomes)
        self._context.refresh()

    def answered(self, text: str) -> None:
        response = chat_response({"role": "assistant", "content": text})
        self._record.messages.record_response(self._session, text=text, payload=dump_response(response))
        self._context.refresh()
        self._room = self._new_room()

    async def context(self) -> Sequence[Line]:
        before = list(self._context.messages)
        self._scribe.begin(before)
        started = time.perf_counter()
        try:
            await self._room.make_room()
        except Crash:
            self.crash()
            return await self.context()
        spent = time.perf_counter() - started - self._scribe.seconds
        self._note(spent)
        self._scribe.seconds = 0.0
        return self._shown(self._context.messages)

    def look_up(self, number: int) -> str | None:
        try:
            return self._record.messages.at(self._session, number).text
        except NotFoundError:
            return None

    def crash(self) -> None:
        self._record.close()
        self._record = open_record(self._folder / "state.db")
        self._scribe.crashes = False
        self._open()

    def crash_at_checkpoint(self) -> None:
        """Die in the middle of the next checkpoint turn."""
        self._scribe.crashes = True

    def switch(self) -> None:
        route = self._scribe.route
        self._scribe.route = replace(
            route, name="own:other", context_window=int((route.context_window or 0) * 1.05)
        )
        self._room = self._new_room()

    def close(self) -> None:
        self._record.close()

    def attempts(self) -> Sequence[Any]:
        """What the record keeps of each attempt."""
        return self._record.checkpoints.attempts(self._session)

    def _note(self, spent: float) -> None:
        attempts = self.attempts()
        fresh = attempts[self._attempts :]
        self._attempts = len(attempts)
        made = [one for one in fresh if one.is_made]
        self.measured.requests += [one.requests for one in fresh if one.mode.value != "drop"]
        self.measured.modes += [one.mode.value for one in made]
        if made:
            self.measured.seconds.append(spent / len(fresh))
            self.measured.sizes.append(self._context.elements[0].size)
        self.measured.reused += self._scribe.reused
        self._scribe.reused = []

    def _shown(self, messages: Sequence[ModelMessage]) -> list[Line]:
        kept = {
            id(message): self._lines.get(id(message)) or (message, _lines(message)) for message in messages
        }
        self._lines = kept
        return [line for message in messages for line in kept[id(message)][1]]


class Scribe:
    """A model that writes checkpoints by a note-taker's notes, or asks a real model for them."""

    def __init__(self, route: Route, taker: NoteTaker, world: World, model: Model | None) -> None:
        self.route = route
        self.seconds = 0.0
        self.reused: list[float] = []
        self.crashes = False
        self._taker, self._world, self._model = taker, world, model
        self._before: list[ModelMessage] = []
        self._notes: Notes | None = None
        self._rounds = 0

    def begin(self, messages: list[ModelMessage]) -> None:
        """These were the messages of the last ordinary request."""
        self._before = messages

    async def ask(self, request: Request, listener: Listener = Deaf()) -> Reply:  # noqa: B008 - it has no state
        del listener
        started = time.perf_counter()
        try:
            if self.crashes:
                raise Crash
            asked = _prompt(request.messages[-1])
            if asked.startswith(REQUEST):
                self.reused.append(_reused(self._before, request.messages))
            if self._model is not None:
                return await self._model.ask(request)
            return reply_of(chat_response(self._answer(request, asked)))
        finally:
            self.seconds += time.perf_counter() - started

    async def close(self) -> None:
        """It holds nothing."""

    def _answer(self, request: Request, asked: str) -> dict[str, Any]:
        if asked.startswith(REQUEST):
            lines = [line for message in request.messages[:-1] for line in _lines(message)]
            self._notes = self._taker.notes(lines, self._world)
            self._rounds = 0
            return _begin(self._notes, asked)
        notes = self._notes
        assert notes is not None
        if asked.startswith(REPAIR):
            return _mended(notes) if notes.mends else _said("I leave it as it is.")
        self._rounds += 1
        if notes.fault == "no rounds left" and self._rounds <= 5:
            return _calling(_call(f"r{self._rounds}", "process", "{}"))
        return _ended(notes)


def _begin(notes: Notes, asked: str) -> dict[str, Any]:
    (mind_path, mind), (memo_path, memo) = _FILE.findall(asked)[-2:]
    if notes.fault == "no rounds left":
        return _calling(_call("r0", "process", "{}"))
    if notes.fault == "half a call":
        return _calling(_call("h", "edit", '{"path": "' + mind_path))
    edits = [*_mind_edits(notes, mind, memo)]
    ticks = [*_ticks(notes, mind, memo)]
    calls = [
        _call(name, "edit", _edit_arguments(path, wanted))
        for name, path, wanted in (("e1", mind_path, edits), ("e2", memo_path, ticks))
        if wanted
    ]
    return _calling(*calls) if calls else _ended(notes)


def _mind_edits(notes: Notes, mind: str, memo: str) -> list[tuple[str, str]]:
    if notes.fault == "headings":
        return [("## Lessons", "## What I learned")]
    if notes.fault == "too much":
        return [("(nothing noted yet: principles that will help again)", "- look twice\n" * 4_000)]
    numbers = {text: int(number) for _, _, number, text in _LISTED.findall(memo)}
    wanted = {
        "### Mission": _mission(notes, mind, numbers),
        "### Agreements": _agreements(notes, mind, numbers),
        "### Workstreams": "\n".join(f"- {stream}: next {item}" for stream, item in notes.position.items()),
    }
    found = []
    for heading, text in wanted.items():
        body = _body(mind, heading)
        if text and text != body:
            found.append((f"{heading}\n{body}", f"{heading}\n{text}"))
    return found


def _mission(notes: Notes, mind: str, numbers: dict[str, int]) -> str:
    if notes.mission is None:
        return ""
    body = _body(mind, "### Mission")
    cited = _number(notes.mission.message, numbers, mind)
    entry = f"{notes.wording}{f' (#{cited})' if cited else ''} | under way"
    if body == _PLACES["### Mission"]:
        return f"- {entry}"
    if notes.wording in body:
        return body
    return f"- M1: {entry}"


def _agreements(notes: Notes, mind: str, numbers: dict[str, int]) -> str:
    lines = []
    for text, fact in notes.grants:
        number = _number(fact.message, numbers, mind, text)
        lines.append(f'- Allowed (#{number}: "{text.rstrip(".。")}")' if number else f"- {text}")
    any_number = next(iter(numbers.values()), 1)
    lines += [f'- {claim} (#{any_number}: "{claim}")' for claim in notes.claims]
    return "\n".join(lines) or _PLACES["### Agreements"]


def _number(message: str, numbers: dict[str, int], mind: str, text: str = "") -> int:
    """The number of a message as the check list shows it, or as the mind cites it already."""
    for preview, number in numbers.items():
        if _is_preview(preview, message):
            return number
    quoted = re.escape((text or message).rstrip(".。"))
    cited = re.search(rf'{re.escape(message)} \(#(\d+)|\(#(\d+): "{quoted}"', mind)
    return int(cited[1] or cited[2]) if cited else 0


def _ticks(notes: Notes, mind: str, memo: str) -> list[tuple[str, str]]:
    """Rules are carried; what stands in the mind in full, with its source, need not be."""
    if notes.fault == "list changed":
        return [("# Memo", "# What the person said")]
    numbers = {text: int(number) for _, _, number, text in _LISTED.findall(memo)}
    unsourced = [fact for text, fact in notes.grants if not _number(fact.message, numbers, mind, text)]
    texts = [text for fact in (*notes.rules, *unsourced) for text in (fact.text, fact.message)]
    found = []
    for box, name, _, preview in _LISTED.findall(memo):
        wanted = (
            "x" if any(_is_preview(preview, text) for text in texts) and not _is_long(name, memo) else " "
        )
        if wanted != box and not (
            notes.wording == "" and box == "x" and not notes.rules and not notes.grants
        ):
            found.append((f"- [{box}] {name} ", f"- [{wanted}] {name} "))
    return found


def _is_long(name: str, memo: str) -> bool:
    """Whether a line stands for a message whose parts are listed: then its part is ticked, not the whole."""
    return f"] {name}.1 " in memo


def _is_preview(preview: str, text: str) -> bool:
    shown = preview.rstrip("…")
    return bool(shown) and " ".join(text.split()).startswith(shown.strip())


def _body(mind: str, heading: str) -> str:
    return mind.split(f"{heading}\n")[1].split("\n\n#", maxsplit=1)[0].strip("\n")


def _ended(notes: Notes) -> dict[str, Any]:
    now = _now(notes)
    match notes.fault:
        case "no now":
            return _said("All is well.")
        case "two blocks":
            return _said(now + now)
        case "unclosed":
            return _said(now.replace("</now>", ""))
        case "cut":
            return {"choices": [{"message": _said(now[:-20]), "finish_reason": "length"}]}
        case "empty":
            return _said("")
        case _:
            return _said(now)


def _mended(notes: Notes) -> dict[str, Any]:
    return _said(_now(notes))


def _now(notes: Notes) -> str:
    steps = "; ".join(f"{stream}: next {item}" for stream, item in notes.position.items()) or "not known"
    return f"<now>\nStep: the queue that was asked for last. Progress: all before it is done. Next: {steps}.\nWaiting for nothing. Pitfalls: none so far. References: process ITEM.\n</now>"


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _calling(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _edit_arguments(path: str, edits: list[tuple[str, str]]) -> str:
    return json.dumps({"path": path, "edits": [{"old_text": old, "new_text": new} for old, new in edits]})


def _prompt(message: ModelMessage) -> str:
    part = message.parts[-1]
    return str(part.content) if part.part_kind == "user-prompt" else ""


def _lines(message: ModelMessage) -> list[Line]:
    """An element as lines, without any tag of a model library."""
    if message.kind == "response":
        said = [Line("assistant", text)] if (text := response_text(message)) else []
        return [
            *said,
            *(
                Line("call", f"{one.name} {(one.parsed() or {}).get('what', '')}")
                for one in tool_calls(message)
            ),
        ]
    outcomes = outcomes_in(message)
    return [Line("result", one.content) for one in outcomes] or [Line("user", _prompt(message))]


def _reused(before: Sequence[ModelMessage], asked: Sequence[ModelMessage]) -> float:
    """How much of the last request's bytes the checkpoint turn begins with."""
    same = 0
    for one, other in zip(before, asked, strict=False):
        if one is not other:
            break
        same += 1
    sizes = [sum(line.tokens for line in _lines(one)) for one in before]
    return sum(sizes[:same]) / max(1, sum(sizes))
