"""Small conversations in a real record, as checkpoints meet them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.ports.models import dump_outcomes, dump_request, dump_response
from vibeos.ports.models.plain import plain_response
from vibeos.ports.models.tools import ToolOutcome
from vibeos.record import CheckpointDraft, CheckpointMode
from vibeos.record.checkpoints import Attempt
from vibeos.values.envelopes import Envelope, InputRoute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.record import Record

PERSON = Envelope.person("test", author_name="Sam")
WATCH = Envelope(InputRoute.WATCH, "test", origin_id="w1", origin_name="build")
Call = tuple[str, str, str]  # name, arguments, output


class Talk:
    """One session, and what is said in it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.session = record.sessions.start(source="test").id
        self._calls = 0

    def says(self, text: str, envelope: Envelope = PERSON) -> int:
        return self.record.messages.record_input(self.session, envelope, text).context_seq

    def answers(self, text: str) -> int:
        return self.record.messages.record_response(
            self.session, text=text, payload=plain_response(text)
        ).context_seq

    def calls(self, *calls: Call, text: str = "") -> int:
        """A response with these calls, and their results."""
        named = []
        for call in calls:
            self._calls += 1
            named.append((f"c{self._calls}", *call))
        parts: list[TextPart | ToolCallPart] = [TextPart(text)] if text else []
        parts += [
            ToolCallPart(name, arguments, tool_call_id=call_id) for call_id, name, arguments, _ in named
        ]
        number = self.record.messages.record_response(
            self.session, text=text, payload=dump_response(ModelResponse(parts))
        ).context_seq
        outcomes = [ToolOutcome(call_id, name, output) for call_id, name, _, output in named]
        self.record.messages.record_results(self.session, number, dump_outcomes(outcomes))
        return number

    def context(self) -> WorkingContext:
        context = WorkingContext(self.record, self.session)
        context.refresh()
        return context

    def elements(self) -> list[str]:
        """The context's elements as JSON text, read anew."""
        return as_text(self.context().messages)

    def replace(
        self, *, keeps_from: int, kept: Sequence[int] = (), text: str = "[Harness: checkpoint] notes"
    ) -> None:
        """Commit a checkpoint with this text."""
        before = self.record.checkpoints.latest(self.session)
        draft = CheckpointDraft(
            mode=CheckpointMode.FULL,
            text=text,
            covers=1,
            keeps_from=keeps_from,
            kept=tuple(kept),
            mind="{}",
            memo="[]",
            now="",
            more="{}",
            sizes={},
        )
        self.record.checkpoints.commit(self.session, draft, ATTEMPT, after=before.row_id if before else None)


ATTEMPT = Attempt(CheckpointMode.FULL, True, "", (), 2, {}, 100, 10, "test", "2026-01-01T00:00:00Z")


def as_text(messages: Sequence[object]) -> list[str]:
    return [
        dump_response(one) if isinstance(one, ModelResponse) else dump_request(one)  # type: ignore[arg-type]
        for one in messages
    ]


def content(message: object) -> str:
    """The text of a message's first part."""
    return str(message.parts[0].content)  # type: ignore[attr-defined]


def results(message: object) -> dict[str, str]:
    """What each call was answered with, by its id."""
    return {part.tool_call_id: str(part.content) for part in message.parts}  # type: ignore[attr-defined]
