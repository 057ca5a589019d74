"""What a person said in one session, as a checkpoint needs it: by the type that the record gave it, never by its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.record.message import MessageType
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from vibeos.record import Message, Record


class Spoken:
    """The messages of one session that a person typed, up to a number. What was deleted is not there."""

    def __init__(self, record: Record, session_id: str, *, up_to: int) -> None:
        self._record = record
        self._session_id = session_id
        self.numbers = record.messages.typed_numbers(session_id, up_to)
        self._known = frozenset(self.numbers)
        self._read: dict[int, Message | None] = {}

    @property
    def newest(self) -> int:
        """The newest number; 0 where no person spoke."""
        return self.numbers[-1] if self.numbers else 0

    @property
    def first_input(self) -> int:
        """The number of the input that the session began with, whoever sent it; 0 without one."""
        return self._record.messages.first_input(self._session_id)

    def typed(self, number: int) -> str | None:
        """What the person typed under this number; None where they did not."""
        message = self.message(number)
        return message.text if message else None

    def message(self, number: int) -> Message | None:
        """The person's message with this number, or None."""
        if number not in self._known:
            return None
        if number not in self._read:
            self._read[number] = self._get(number)
        return self._read[number]

    def _get(self, number: int) -> Message | None:
        try:
            found = self._record.messages.at(self._session_id, number)
        except NotFoundError:
            return None
        return found if found.type is MessageType.USER else None
