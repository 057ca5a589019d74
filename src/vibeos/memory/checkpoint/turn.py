"""The checkpoint turn: a fork of the conversation on the same model, with the same beginning and one request behind it.

Nothing of it enters the conversation. Reading is allowed, `edit` works on the two scratch files, every other call gets a
fixed refusal; at most five rounds of calls, and one repair.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.request import ROUNDS_OUT, Files, refusal
from vibeos.ports.models import element_tokens, outcomes_request, user_request
from vibeos.ports.models.model import Request
from vibeos.ports.models.reply import Finish, Usage
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.values.errors import VibeOSError
from vibeos.values.text_edits import apply_edits, edits_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from vibeos.memory.checkpoint.scratch import Scratch
    from vibeos.ports.models import ModelMessage, Reply
    from vibeos.ports.models.model import Model
    from vibeos.ports.models.tools import ToolCall

ROUNDS = 5
READ, EDIT = "read", "edit"
_MOST_READ = 100_000  # characters of a scratch file in the answer to one call

EDIT_TOOL = ToolSpec(
    EDIT,
    "Change parts of a text file. Each edit replaces 'old_text', which must stand in the file exactly once, by 'new_text'.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"old_text": {"type": "string"}, "new_text": {"type": "string"}},
                    "required": ["old_text", "new_text"],
                },
            },
        },
        "required": ["path", "edits"],
    },
)


def with_edit(tools: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
    """The tools with `edit` among them. A checkpoint turn's tools are the conversation's own, so that its beginning is."""
    return tools if any(tool.name == EDIT for tool in tools) else (*tools, EDIT_TOOL)


@dataclass(frozen=True, slots=True)
class Fork:
    """What a checkpoint turn begins with: the conversation's own request, or its older part, and how long it may become.

    `read`: answers calls of `read`, but for the scratch files; None: there is nothing else to read.
    """

    model: Model
    system: str
    tools: tuple[ToolSpec, ...]
    messages: Sequence[ModelMessage]
    size: int
    most: int
    read: Callable[[ToolCall], Awaitable[ToolOutcome]] | None


@dataclass(slots=True)
class CheckpointTurn:
    """One turn while it runs."""

    fork: Fork
    scratch: Scratch
    files: Files
    rounds_left: int = ROUNDS
    requests: int = 0
    usage: Usage = field(default_factory=Usage)
    answers: list[str] = field(default_factory=list)
    is_cut: bool = False
    ran_out: bool = False
    _messages: list[ModelMessage] = field(default_factory=list)
    _size: int = 0

    async def run(self, request: str) -> None:
        """Ask, and go on until the model makes no more calls or the rounds are used up. Raises ModelError."""
        if not self._messages:
            self._messages, self._size = list(self.fork.messages), self.fork.size
        self._add(user_request(request))
        while True:
            reply = await self._ask()
            if not reply.calls:
                return
            if not self.rounds_left or self._size > self.fork.most:
                self.ran_out = True
                self._answer(reply, [_outcome(call, ROUNDS_OUT) for call in reply.calls])
                return
            self.rounds_left -= 1
            self._answer(reply, [await self._call(call) for call in reply.calls])

    async def repair(self, request: str) -> None:
        """The one repair: what is left of the rounds, and at least one."""
        self.rounds_left = max(1, self.rounds_left)
        await self.run(request)

    async def _ask(self) -> Reply:
        self.requests += 1
        request = Request(self.fork.system, self.fork.tools, self._messages)
        reply = await self.fork.model.ask(request)
        self.answers.append(reply.text)
        self.is_cut = reply.finish is Finish.TRUNCATED
        self.usage = _sum(self.usage, reply.usage)
        if not reply.calls and reply.text.strip():
            self._add(reply.response)
        return reply

    def _answer(self, reply: Reply, outcomes: list[ToolOutcome]) -> None:
        self._add(reply.response)
        self._add(outcomes_request(outcomes))

    def _add(self, message: ModelMessage) -> None:
        self._messages.append(message)
        self._size += element_tokens(message)

    async def _call(self, call: ToolCall) -> ToolOutcome:
        arguments = call.parsed()
        path = arguments.get("path") if arguments else None
        name = self.scratch.name_of(path) if isinstance(path, str) else None
        if call.name == EDIT and name and arguments:
            return _outcome(call, self._edit(name, arguments))
        if call.name == READ and name:
            return _outcome(call, self._read(name))
        if call.name == READ and self.fork.read is not None:
            return await self.fork.read(call)
        return _outcome(call, refusal(self.files))

    def _read(self, name: str) -> str:
        text = self.scratch.read(name)
        if text is None:
            return f"{name} cannot be read any more."
        return (
            text
            if len(text) <= _MOST_READ
            else f"{text[:_MOST_READ]}\n[cut: it has {len(text):,} characters]"
        )

    def _edit(self, name: str, arguments: dict[str, object]) -> str:
        text = self.scratch.read(name)
        if text is None:
            return f"{name} cannot be read any more, so it was not changed."
        try:
            changed, told = apply_edits(text, edits_in(arguments))
            self.scratch.write(name, changed)
        except VibeOSError as error:
            return str(error)
        return f"Edited {name}: {'; '.join(told)}."


def _outcome(call: ToolCall, content: str) -> ToolOutcome:
    return ToolOutcome(call.call_id, call.name, content)


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.cached_tokens + other.cached_tokens,
    )
