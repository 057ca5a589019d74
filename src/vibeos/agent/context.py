"""The working context: the messages of a request as a pure function of the session's stored rows.

The same rows always give the same elements, byte for byte, so a restarted program asks what the old one
would have asked, and each request begins with the one before it. The function is a fold, so a running session decodes
each row once and reads only what is new; `compose` is the same fold over all rows at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.models import (
    load_outcomes,
    load_response,
    outcomes_request,
    response_text,
    tool_calls,
    user_request,
)
from vibeos.ports.models.tools import ToolOutcome, dump_outcomes
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vibeos.ports.models import ModelMessage, ModelResponse
    from vibeos.record import ContextRow, Record

INTERRUPTED = (
    "The program was interrupted before this call's result was stored. It may or may not have taken effect: "
    "check before you repeat it."
)


def compose(rows: Iterable[ContextRow]) -> list[ModelMessage]:
    """The messages of a request: inputs and responses in order, results always right behind their response.

    What no provider takes is left out: an input or a response without text and calls, a response before any input,
    calls that have no results yet (`settle` gives them some before anything is asked).
    """
    fold = ContextFold()
    fold.absorb(rows)
    return fold.messages


class ContextFold:
    """The fold: rows go in, in their order and each once; `messages` is what is sent."""

    def __init__(self) -> None:
        self.messages: list[ModelMessage] = []
        self.last_id = 0
        self._open: dict[int, tuple[ModelResponse, int]] = {}  # number → a response with calls, and its place
        self._answer: int | None = None

    @property
    def unanswered(self) -> dict[int, ModelResponse]:
        """The responses whose calls have no stored results, by number."""
        return {number: response for number, (response, _) in self._open.items()}

    @property
    def last_answer(self) -> int | None:
        """The number of the answer at the end of the context, when there is nothing to ask; None when something waits.

        A response with calls waits for their results, and an empty one is no answer.
        """
        return self._answer

    def absorb(self, rows: Iterable[ContextRow]) -> None:
        """Take in the rows that came after those taken in before."""
        for row in rows:
            self._answer = None
            if row.kind == "input":
                self._input(row)
            elif row.kind == "response":
                self._response(row)
            elif row.kind == "results":
                self._results(row)
            self.last_id = row.id

    def _input(self, row: ContextRow) -> None:
        if row.message is None:
            raise StoreError(
                f"context row {row.id} is an input without its message", remedy="`vibeos doctor` checks."
            )
        if row.message.presented.strip():
            self.messages.append(user_request(row.message.presented))

    def _response(self, row: ContextRow) -> None:
        response = load_response(row.payload)
        if tool_calls(response):
            self._open[row.context_seq] = response, len(self.messages)
        elif response_text(response).strip():
            self._answer = row.context_seq
            if self.messages:
                self.messages.append(response)

    def _results(self, row: ContextRow) -> None:
        """Behind their response, wherever the context has gone meanwhile (after a crash, inputs may have come)."""
        response, place = self._open.pop(row.context_seq, (None, 0))
        if response is None or not place:  # nothing was called, or before any input
            return
        pair: list[ModelMessage] = [response, outcomes_request(load_outcomes(row.payload))]
        self.messages[place:place] = pair
        self._open = {
            number: (other, at + 2 if number > row.context_seq else at)
            for number, (other, at) in self._open.items()
        }


class WorkingContext:
    """The context of one running session. It follows the record, also what another program adds to the session."""

    def __init__(self, record: Record, session_id: str) -> None:
        self._record = record
        self._session_id = session_id
        self._fold = ContextFold()

    def refresh(self) -> None:
        """Take in what was stored since."""
        self._fold.absorb(self._record.context.rows(self._session_id, after_id=self._fold.last_id))

    def settle(self) -> None:
        """Give every call that a crash left unanswered a stored answer, so that the context stays valid."""
        self.refresh()
        for number, response in self._fold.unanswered.items():
            outcomes = [ToolOutcome(call.call_id, call.name, INTERRUPTED) for call in tool_calls(response)]
            self._record.messages.record_results(self._session_id, number, dump_outcomes(outcomes))
        self.refresh()

    @property
    def messages(self) -> Sequence[ModelMessage]:
        """What is sent now."""
        return self._fold.messages

    @property
    def last_answer(self) -> int | None:
        """See `ContextFold.last_answer`."""
        return self._fold.last_answer
