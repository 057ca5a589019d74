"""Verbs over open questions: what sessions asked the person, and the person's answers. One's own sessions only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.values.envelopes import Envelope
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from vibeos.app.vibeos import VibeOS
    from vibeos.record import OpenQuestion, QueuedInput


class QuestionVerbs:
    """What a person may do with open questions."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def list(self, session: str = "") -> tuple[OpenQuestion, ...]:
        """What waits for an answer, the oldest first; of one session, if it is named."""
        session_id = self._app.sessions.find(session).id if session else None
        return self._app.record.questions.open(session_id, user_id=self._app.scope.user)

    def answer(self, question_id: str, text: str, *, source: str = "cli") -> QueuedInput:
        """Deliver an answer; it waits for its session's next turn. Raises as `Questions.answer` does.

        An agent's shell is refused: what runs there is not the person.
        """
        self._app.environment.require_person("answer for the person")
        self._check_owner(question_id)
        envelope = Envelope.person(source, author_name=self._app.environment.person_name)
        return self._app.record.questions.answer(question_id, envelope, text)

    def _check_owner(self, question_id: str) -> None:
        """Another user's question is none at all to this one."""
        from vibeos.record.questions import no_such_question

        question = self._app.record.questions.get(question_id)
        try:
            self._app.sessions.find(question.session_id)
        except NotFoundError as error:
            raise no_such_question(question_id) from error
