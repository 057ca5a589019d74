"""A model that takes notes by a script, and what a checkpoint needs around it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.host import Host, how_to_look
from vibeos.memory.checkpoint.request import MARKER, REPAIR_MARKER
from vibeos.memory.checkpoint.room import RoomMaker
from vibeos.ports.models.route import parse_route
from vibeos.ports.models.tools import ToolSpec
from vibeos.testing import ScriptedModel, call, reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from typing import Any, TypeAlias

    from checkpoint.conversations import Talk
    from vibeos.memory.checkpoint.context import WorkingContext
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.route import Route
    from vibeos.testing import Step
    from vibeos.testing.scripted_model import ScriptedRequest

    Edits: TypeAlias = Sequence[tuple[str, str]]

NOW = """<now>
Step: item 7 of the queue, workstream "reviews". Done: 1 to 6. Next step: "from oldest to newest", so item 8 follows.
Waiting for nothing. Pitfalls: none. References: queue.txt
</now>"""
SYSTEM = "You are a careful agent."
TOOLS = tuple(
    ToolSpec(name, f"{name} something", {"type": "object", "properties": {"path": {"type": "string"}}})
    for name in ("read", "edit", "bash", "write", "memory")
)
MISSION_PLACE = "(nothing noted yet: what this conversation is for in the end)"
AGREEMENTS_PLACE = "(nothing noted yet: how to report, when to ask, what is allowed and forbidden)"


def route_of(window: int = 192_000, **more: Any) -> Route:
    return replace(
        parse_route("openai:scripted"), context_window=window, **{"max_output_tokens": 8_000, **more}
    )


def model_of(steps: Iterable[Any] = (), window: int = 192_000, **more: Any) -> ScriptedModel:
    return ScriptedModel(steps, route=route_of(window, **more))


def host_of(model: Model, folder: Path, session: str = "s1", **more: Any) -> Host:
    given: dict[str, Any] = {
        "model": model,
        "system": SYSTEM,
        "tools": TOOLS,
        "scratch": str(folder / "scratch" / session),
        "copies": str(folder / "copies" / session),
        "lookup": how_to_look(session),
    }
    return Host(**{**given, **more})


def files_in(request: ScriptedRequest | str) -> tuple[str, str]:
    """Where the two files are, as the request says."""
    text = request if isinstance(request, str) else _texts(request)
    mind, memo = re.findall(r"^[12]\. (\S+) (?:holds|lists)", text, re.MULTILINE)[-2:]
    return mind, memo


def _texts(request: ScriptedRequest) -> str:
    found = [
        part.content
        for message in request.messages
        if message.kind == "request"
        for part in message.parts
        if part.part_kind == "user-prompt" and isinstance(part.content, str)
    ]
    return next(text for text in reversed(found) if text.startswith(f"{MARKER}\n"))


def is_checkpoint(request: ScriptedRequest) -> bool:
    return request.last_text.startswith((f"{MARKER}\nThis message comes", REPAIR_MARKER))


def edits(mind: Edits = (), memo: Edits = ()) -> Callable[[ScriptedRequest], Step]:
    """A step that edits the two files."""

    def step(request: ScriptedRequest) -> Step:
        paths = files_in(request)
        calls = [
            call(
                "edit",
                {"path": path, "edits": [{"old_text": old, "new_text": new} for old, new in wanted]},
                f"e{request.number}-{place}",
            )
            for place, (path, wanted) in enumerate(zip(paths, (mind, memo), strict=True))
            if wanted
        ]
        return reply("", calls=calls)

    return step


def ticks(*names: str) -> list[tuple[str, str]]:
    """Edits that tick these boxes, such as `#3` or `#3.2`."""
    return [(f"- [ ] {name} ", f"- [x] {name} ") for name in names]


def unticks(*names: str) -> list[tuple[str, str]]:
    return [(new, old) for old, new in ticks(*names)]


def notes(mind: Edits = (), memo: Edits = (), now: str = NOW) -> list[Any]:
    """The steps of a checkpoint without a fault."""
    return [*([edits(mind, memo)] if mind or memo else []), reply(now)]


def room_of(talk: Talk, model: Model, folder: Path, **more: Any) -> tuple[RoomMaker, WorkingContext]:
    context = talk.context()
    return RoomMaker(host_of(model, folder, talk.session, **more), context), context


def fill(talk: Talk, tokens: int = 175_000, *, each: int = 12_000) -> None:
    """Let tools put out so much that the context has about `tokens`; the default is just too long for 192,000."""
    left = tokens - talk.context().fold.tokens(0, "")
    while left > 0:
        size = min(each, left)
        talk.calls(("bash", f'{{"command": "job {left}"}}', f"at {left} " + "x" * (size * 4 - 100)))
        left -= size
