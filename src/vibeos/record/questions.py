"""Open questions: what a session asked the person while nobody was there to answer.

A question is answered once. To mark it answered and to deliver the person's words into its session's inbox is one
transaction, so no crash leaves it answered without an answer, or open with one. The words are kept exactly, as the
message that they are; its envelope says which question they answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vibeos.record.exact import cleaned
from vibeos.record.inbox import store_input
from vibeos.record.registry import JobKind, LivingJob
from vibeos.record.sessions import no_such_session
from vibeos.values.clock import Clock, stamp, system_clock
from vibeos.values.errors import InvalidIdError, NotFoundError, VibeOSError
from vibeos.values.text import fold, preview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.store import Database, Row, Transaction
    from vibeos.record.inbox import QueuedInput
    from vibeos.values.envelopes import Envelope

_ID = r"[qQ]?([1-9][0-9]{0,17})"


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question to the person. `choices`: what it may be answered with, empty for anything. `answered_at`: empty while
    it is open."""

    id: str
    session_id: str
    question: str
    choices: tuple[str, ...]
    asked_at: str
    answered_at: str = ""


class Questions:
    """The questions of all sessions. `user_id=None` means every user; `user_id=""` is the local person."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def ask(self, session_id: str, question: str, choices: Sequence[str] = ()) -> OpenQuestion:
        """Store a question that nobody could be asked. Raises NotFoundError."""
        with self._database.write() as transaction:
            if transaction.one("session", session_id=session_id) is None:
                raise no_such_session(session_id)
            row = transaction.one(
                "insert_question",
                session_id=session_id,
                question=cleaned(question),
                choices=json.dumps(list(choices)),
                now=stamp(self._clock()),
            )
        assert row is not None
        return _question(row)

    def open(self, session_id: str | None = None, *, user_id: str | None = None) -> tuple[OpenQuestion, ...]:
        """What waits for an answer, the oldest first: of one session, or of all."""
        with self._database.read() as transaction:
            rows = transaction.all("open_questions", session_id=session_id, user_id=user_id)
        return tuple(map(_question, rows))

    def get(self, question_id: str) -> OpenQuestion:
        """The question with this id, open or answered. Raises NotFoundError, InvalidIdError."""
        with self._database.read() as transaction:
            return _found(transaction, question_id)

    def answer(self, question_id: str, envelope: Envelope, text: str) -> QueuedInput:
        """Deliver a person's answer into the question's session, exactly once.

        Where the question has choices, the text must be one of them, in any case, or its number. Raises NotFoundError,
        InvalidIdError, and VibeOSError for an answer that is refused; then nothing has changed.
        """
        if not envelope.is_person:
            raise ValueError("a question to the person is answered by the person, not by a program")
        now = stamp(self._clock())
        with self._database.write() as transaction:
            question = _found(transaction, question_id)
            _check(question, text)
            transaction.run("mark_answered", question_id=_number(question.id), now=now)
            answering = replace(envelope, origin_id=question.id)
            return store_input(transaction, question.session_id, answering, text, now=now)

    def living(self, session_id: str) -> tuple[LivingJob, ...]:
        """The session's open questions as the registry names them, the oldest first."""
        return tuple(
            LivingJob(JobKind.QUESTION, one.id, preview(one.question), one.asked_at)
            for one in self.open(session_id)
        )


def no_such_question(question_id: str) -> NotFoundError:
    """The error to raise."""
    return NotFoundError(
        f"There is no question {preview(question_id)!r}.",
        remedy="`vibeos questions list` shows those that wait for an answer.",
    )


def _found(transaction: Transaction, question_id: str) -> OpenQuestion:
    row = transaction.one("question", question_id=_number(question_id))
    if row is None:
        raise no_such_question(question_id)
    return _question(row)


def _check(question: OpenQuestion, text: str) -> None:
    if question.answered_at:
        raise _answered(question)
    if not text.strip():
        raise VibeOSError(
            f"The answer to {question.id} is empty; nothing was recorded.", remedy="Give it as text."
        )
    given = fold(text.strip())
    numbers = map(str, range(1, len(question.choices) + 1))
    if question.choices and given not in {*(fold(choice.strip()) for choice in question.choices), *numbers}:
        raise VibeOSError(
            f"{preview(text)!r} is none of the choices of {question.id}; nothing was recorded.",
            remedy=f"Answer with one of these, or its number: {_listed(question.choices)}.",
        )


def _listed(choices: Sequence[str]) -> str:
    return ", ".join(f"{number} {preview(choice)!r}" for number, choice in enumerate(choices, start=1))


def _answered(question: OpenQuestion) -> VibeOSError:
    session, when = question.session_id, question.answered_at[:16].replace("T", " ")
    return VibeOSError(
        f"Question {question.id} was answered already, on {when} (UTC); nothing was recorded.",
        remedy=f"That answer is kept in session {session}. To say more: vibeos chat --resume {session}",
    )


def _number(question_id: str) -> int:
    match = re.fullmatch(_ID, question_id)
    if match is None:
        raise InvalidIdError(
            f"{preview(question_id)!r} is not the id of a question", remedy="Such an id looks like q7."
        )
    return int(match[1])


def _question(row: Row) -> OpenQuestion:
    return OpenQuestion(
        f"q{row['id']}",
        row["session_id"],
        row["question"],
        tuple(json.loads(row["choices"])),
        row["asked_at"],
        row["answered_at"] or "",
    )
