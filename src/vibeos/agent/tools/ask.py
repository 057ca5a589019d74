"""The `ask` tool: a question to the person. Where nobody can be asked it stays open, with an id, until they answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from vibeos.agent.person import Question
from vibeos.agent.toolsets import failure
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.agent.person import Person
    from vibeos.ports.models.tools import ToolCall
    from vibeos.record import Record

DESCRIPTION = """\
Ask the person something that only they can decide or know. Give 'choices' where the answer is one of a few. If they \
are not there the question stays open under an id and the answer comes later as a message of theirs; meanwhile go on \
with what does not depend on it. Do not ask what you can find out yourself."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "description": "One question, short, with what they need to decide."},
        "choices": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 6},
    },
    "required": ["question"],
    "additionalProperties": False,
}

_LEAST_CHOICES, _MOST_CHOICES = 2, 6
LONGEST_QUESTION = 4_000
LONGEST_CHOICE = 200


class AskTool:
    """Asks for the agent. It waits for the answer where the person is there."""

    side_by_side = False

    def __init__(self, record: Record, session_id: str, person: Person) -> None:
        self._record = record
        self._session_id = session_id
        self._person = person

    def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec("ask", DESCRIPTION, PARAMETERS),)

    async def call(self, call: ToolCall) -> ToolOutcome:
        arguments = call.parsed()
        if arguments is None:
            return failure(call, "The arguments are not one JSON object.")
        try:
            answer = await self._asked(_question(arguments))
        except VibeOSError as error:
            return failure(call, str(error))
        return ToolOutcome(call.call_id, call.name, answer)

    async def _asked(self, question: Question) -> str:
        if not self._person.is_present:
            return await asyncio.to_thread(self._leave_open, question)
        answer = await self._person.ask(question)
        if answer is None or not answer.strip():
            return "The person did not answer. Go on without, or say what you need."
        return f"The person answered: {answer}"

    def _leave_open(self, question: Question) -> str:
        left = self._record.questions.ask(self._session_id, question.text, question.choices)
        numbered = ", ".join(f"{number}: {choice}" for number, choice in enumerate(question.choices, 1))
        choices = f" (the choices have numbers: {numbered})" if numbered else ""
        return (
            f"Nobody is there to answer now. The question stays open as {left.id}{choices}; the answer will come as a "
            f'message that begins "Answer to question {left.id}". Go on with what does not depend on it.'
        )


def _question(arguments: Mapping[str, Any]) -> Question:
    text, choices = arguments.get("question"), arguments.get("choices") or []
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_QUESTION:
        raise VibeOSError(f"'question' must be a question of at most {LONGEST_QUESTION:,} characters.")
    if not isinstance(choices, list) or not all(isinstance(one, str) and one.strip() for one in choices):
        raise VibeOSError("'choices' must be a list of texts.")
    if choices and not _LEAST_CHOICES <= len(choices) <= _MOST_CHOICES:
        raise VibeOSError(f"'choices' must be {_LEAST_CHOICES} to {_MOST_CHOICES} texts, or left out.")
    if len(set(choices)) < len(choices) or any(len(one) > LONGEST_CHOICE for one in choices):
        raise VibeOSError(f"'choices' must differ, and have at most {LONGEST_CHOICE} characters each.")
    return Question(text, tuple(choices))
