"""The messages of a record: adding them, each by one transaction, and reading them back.

A message is never changed. Every input and every response takes its session's next number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.record.context import ContextKind, ContextRow, insert_row
from vibeos.record.exact import safe_json
from vibeos.record.inbox import take_waiting
from vibeos.record.message import Draft, Message, MessageType, message_of
from vibeos.record.writing import append
from vibeos.values.clock import Clock, stamp, system_clock
from vibeos.values.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from collections.abc import Collection

    from vibeos.ports.store import Database, Transaction
    from vibeos.values.envelopes import Envelope

_MANY = 1_000_000_000


class Messages:
    """Every method is one transaction; NotFoundError where there is no such session or message."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def record_input(self, session_id: str, envelope: Envelope, text: str) -> Message:
        """Record an input that enters the context now. What waits in the inbox goes before it."""
        now = stamp(self._clock())
        with self._database.write() as transaction:
            take_waiting(transaction, session_id, now)
            return append(
                transaction, session_id, Draft.of_input(envelope, text), kind=ContextKind.INPUT, now=now
            )

    def record_response(self, session_id: str, *, text: str, payload: str, model: str = "") -> Message:
        """Record what the agent answered: its plain text as a message, `payload` (JSON) for the context."""
        with self._database.write() as transaction:
            return self.add_response(transaction, session_id, text=text, payload=payload, model=model)

    def add_response(
        self, transaction: Transaction, session_id: str, *, text: str, payload: str, model: str = ""
    ) -> Message:
        """`record_response`, in the caller's transaction."""
        return append(
            transaction,
            session_id,
            Draft(MessageType.ASSISTANT, text, author_id=model),
            kind=ContextKind.RESPONSE,
            payload=payload,
            model=model,
            now=stamp(self._clock()),
        )

    def record_results(self, session_id: str, context_seq: int, payload: str) -> ContextRow:
        """Record the tool results (JSON) of the response with this number. They are no message."""
        with self._database.write() as transaction:
            return self.add_results(transaction, session_id, context_seq, payload)

    def add_results(
        self, transaction: Transaction, session_id: str, context_seq: int, payload: str
    ) -> ContextRow:
        """`record_results`, in the caller's transaction."""
        now = stamp(self._clock())
        if transaction.one("response_row", session_id=session_id, context_seq=context_seq) is None:
            raise NotFoundError(f"Session {session_id!r} has no response #{context_seq}.")
        if transaction.one("results_row", session_id=session_id, context_seq=context_seq):
            raise StoreError(
                f"The results of #{context_seq} in session {session_id!r} are stored already.",
                remedy="Another program works in this session too; let one of them end.",
            )
        place = transaction.one("next_row", session_id=session_id, now=now)
        assert place is not None
        kind, payload = ContextKind.RESULTS, safe_json(payload)
        row = ContextRow(place["row_id"], session_id, context_seq, kind, None, payload, now)
        insert_row(transaction, row)
        return row

    def record_aside(self, session_id: str, envelope: Envelope, text: str) -> Message:
        """Record an input that stands in the context already, inside the result of a call. It has a number like any."""
        now = stamp(self._clock())
        with self._database.write() as transaction:
            return append(transaction, session_id, Draft.of_input(envelope, text), kind=None, now=now)

    def record_notice(self, session_id: str, text: str) -> Message:
        """Record what the program told the person. It has a number and no place in the context."""
        now = stamp(self._clock())
        with self._database.write() as transaction:
            return append(transaction, session_id, Draft(MessageType.NOTICE, text), kind=None, now=now)

    def get(self, message_id: int) -> Message:
        """One message by its id."""
        with self._database.read() as transaction:
            row = transaction.one("message", message_id=message_id)
        if row is None:
            raise NotFoundError(f"There is no message {message_id}.", remedy="It may have been deleted.")
        return message_of(row)

    def at(self, session_id: str, context_seq: int) -> Message:
        """One message by its session and number."""
        with self._database.read() as transaction:
            row = transaction.one("message_at", session_id=session_id, context_seq=context_seq)
        if row is None:
            raise NotFoundError(
                f"Session {session_id!r} has no message #{context_seq}.", remedy="It may have been deleted."
            )
        return message_of(row)

    def of_session(
        self,
        session_id: str,
        *,
        after: int = 0,
        limit: int | None = None,
        types: Collection[MessageType] = (),
    ) -> tuple[Message, ...]:
        """A session's messages with numbers above `after`, in order; of some types only, if any are named."""
        wanted = f",{','.join(types)}," if types else ""
        most = _MANY if limit is None else limit
        with self._database.read() as transaction:
            rows = transaction.all(
                "session_messages", session_id=session_id, after=after, types=wanted, most=most
            )
        return tuple(map(message_of, rows))

    def typed_numbers(self, session_id: str, up_to: int) -> tuple[int, ...]:
        """The numbers, up to this one, of the messages that a person typed in the session."""
        rows = self._database.look("typed_numbers", session_id=session_id, up_to=up_to)
        return tuple(row["context_seq"] for row in rows)

    def number_before(self, session_id: str, below: int = _MANY) -> int:
        """The session's newest number below this one; 0 where there is none."""
        return self._number("number_before", session_id=session_id, below=below)

    def first_input(self, session_id: str) -> int:
        """The number of the session's first input, whoever sent it; 0 where there is none."""
        return self._number("first_input", session_id=session_id)

    def _number(self, statement: str, **values: str | int) -> int:
        return next((row["number"] for row in self._database.look(statement, **values)), 0)

    def typed_last(self, most: int, *, user_id: str) -> list[str]:
        """What a person typed last, in any of their sessions, the oldest first."""
        with self._database.read() as transaction:
            rows = transaction.all("typed_last", user_id=user_id, most=most)
        return [message_of(row).text for row in reversed(rows)]

    def around(self, message_id: int, *, before: int = 2, after: int = 2) -> tuple[Message, ...]:
        """A message with its neighbours in the session, in order."""
        message = self.get(message_id)
        session_id, number = message.session_id, message.context_seq
        with self._database.read() as transaction:
            earlier = transaction.all(
                "messages_before", session_id=session_id, context_seq=number, most=before
            )
            later = transaction.all(
                "messages_from", session_id=session_id, context_seq=number, most=after + 1
            )
        return tuple(map(message_of, [*reversed(earlier), *later]))
