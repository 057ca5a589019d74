"""A conversation as the rehearsal reads it: what was said, what was answered, what each call gave.

Everything that the rehearsal knows is in these values, made anew from each request; it keeps no state. A call's id names
the message that it serves, so that what was done for a message can be told from the conversation alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2s
from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelResponse, ToolReturnPart, UserPromptPart

from vibeos.ports.models.messages import response_text, tool_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vibeos.ports.models.messages import ModelMessage
    from vibeos.ports.models.model import Request
    from vibeos.ports.models.tools import ToolCall, ToolSpec

HARNESS = "[Harness:"
# How the agent's loop words what an interrupt or a crash left behind. A test holds these against the loop's own texts.
BY_THE_PERSON = "The person interrupted"
BY_A_CRASH = "The program was interrupted"
ANSWER_INTERRUPTED = "[The person interrupted this answer here.]"


@dataclass(frozen=True, slots=True)
class Said:
    """One message to the agent: the person's, or one that a program delivered."""

    text: str

    @property
    def is_from_a_program(self) -> bool:
        """Whether it is information only, and never a request."""
        return self.text.startswith(HARNESS)

    @property
    def key(self) -> str:
        """What the ids of the calls made for this message carry."""
        return blake2s(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Made:
    """A call and what the tool answered."""

    call: ToolCall
    outcome: str

    @property
    def key(self) -> str:
        """The key of the message that it was made for; empty for a call of another model."""
        parts = self.call.call_id.split("_")
        return parts[2] if len(parts) == 4 and parts[0] == "rehearsal" else ""

    @property
    def was_interrupted(self) -> bool:
        """Whether nobody knows what it gave."""
        return BY_A_CRASH in self.outcome[:200] or self.was_stopped_by_the_person

    @property
    def was_stopped_by_the_person(self) -> bool:
        """Whether the person stopped it in the middle."""
        return BY_THE_PERSON in self.outcome[:200]


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of the agent, with what its calls gave."""

    text: str
    made: tuple[Made, ...] = ()

    def made_for(self, key: str) -> list[Made]:
        """Its calls for the message of this key."""
        return [made for made in self.made if made.key == key]

    @property
    def was_interrupted(self) -> bool:
        """Whether the person stopped it, while it was written or while its calls ran."""
        return ANSWER_INTERRUPTED in self.text or any(made.was_stopped_by_the_person for made in self.made)


@dataclass(frozen=True, slots=True)
class Talk:
    """A request, read. `length` is the number of its messages, which the ids of new calls carry."""

    system: str
    tools: tuple[ToolSpec, ...]
    events: tuple[Said | Answered, ...]
    length: int

    @property
    def is_introduced(self) -> bool:
        """Whether an answer without calls was given before, which says what the rehearsal is."""
        return any(isinstance(event, Answered) and not event.made for event in self.events)

    @property
    def has_answered(self) -> bool:
        """Whether this is not the first answer of the conversation."""
        return any(isinstance(event, Answered) for event in self.events)


def read_talk(request: Request) -> Talk:
    """The request as events in their order; the results of calls stand with the calls."""
    return Talk(request.system, request.tools, tuple(_events(request.messages)), len(request.messages))


def call_id(talk: Talk, key: str, place: int) -> str:
    """The id of the call at this place of the next answer, made for the message of this key."""
    return f"rehearsal_{talk.length}_{key}_{place}"


def _events(messages: Sequence[ModelMessage]) -> Iterator[Said | Answered]:
    for place, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            outcomes = _outcomes(messages[place + 1]) if place + 1 < len(messages) else {}
            made = tuple(Made(call, outcomes.get(call.call_id, "")) for call in tool_calls(message))
            yield Answered(response_text(message), made)
        else:
            yield from (Said(_text(part)) for part in message.parts if isinstance(part, UserPromptPart))


def _outcomes(message: ModelMessage) -> dict[str, str]:
    return {
        part.tool_call_id: part.model_response_str()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }


def _text(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return "\n".join(piece for piece in part.content if isinstance(piece, str))
