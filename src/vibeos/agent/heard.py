"""A person in front of whom nothing is lost: what they are asked in the middle of a turn, and what they answer, is recorded.

The answer is a message of theirs like any other, with a number, so it can be found, cited and carried; its place in the
context is the result of the call that asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vibeos.agent.person import Person, Question
    from vibeos.record import Record
    from vibeos.values.envelopes import Envelope


class HeardPerson:
    """Wraps a person; `envelope` is how what they type reaches the session."""

    def __init__(self, person: Person, record: Record, session_id: str, envelope: Envelope) -> None:
        self._person = person
        self._record = record
        self._session_id = session_id
        self._envelope = envelope

    @property
    def is_present(self) -> bool:
        return self._person.is_present

    async def ask(self, question: Question) -> str | None:
        self._record.messages.record_notice(self._session_id, _asked(question))
        answer = await self._person.ask(question)
        if answer is not None and answer.strip():
            self._record.messages.record_aside(self._session_id, self._envelope, answer)
        return answer


def _asked(question: Question) -> str:
    choices = f" ({' / '.join(question.choices)})" if question.choices else ""
    return f"Asked: {question.text}{choices}"
