"""The working context: the messages of a request as a pure function of the session's stored rows.

The same rows always give the same elements, byte for byte, so a restarted program asks what the old one
would have asked, and each request begins with the one before it. A checkpoint's row stands first, then the rows that it
kept, then what came after. The function is a fold, so a running session decodes each row once and reads only what is
new; `compose` is the same fold over all rows at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.ports.models import (
    element_tokens,
    load_outcomes,
    load_response,
    outcomes_request,
    response_text,
    response_usage,
    tool_calls,
    user_request,
)
from vibeos.ports.models.tools import ToolOutcome, dump_outcomes
from vibeos.record.context import ContextKind, placed
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vibeos.ports.models import ModelMessage, ModelResponse
    from vibeos.record import ContextRow, Record

INTERRUPTED = (
    "The program was interrupted before this call's result was stored. It may or may not have taken effect: "
    "check before you repeat it."
)
_LEAST_TRUST = (
    0.4  # of the estimate; a server that counts less counts something else, such as what it had not cached
)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a request and the row it comes from. `size` is estimated, in tokens."""

    message: ModelMessage
    row: ContextRow
    size: int

    @property
    def is_answer(self) -> bool:
        """Whether it is a response without calls, with which a turn ends."""
        return self.row.kind is ContextKind.RESPONSE and not tool_calls(self.message)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Anchor:
    """What the provider counted: `tokens` for the first `elements` of the context and all that stands before them."""

    elements: int
    tokens: int
    model: str


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
        self._clear()
        self.last_id = 0

    def _clear(self) -> None:
        self.messages: list[ModelMessage] = []
        self.elements: list[Element] = []
        self._open: dict[
            int, tuple[ModelResponse, ContextRow, int]
        ] = {}  # number → its response, row and place
        self._answer: int | None = None
        self._anchor: _Anchor | None = None

    @property
    def unanswered(self) -> dict[int, ModelResponse]:
        """The responses whose calls have no stored results, by number."""
        return {number: response for number, (response, _, _) in self._open.items()}

    @property
    def last_answer(self) -> int | None:
        """The number of the answer at the end of the context, when there is nothing to ask; None when something waits.

        A response with calls waits for their results, and an empty one is no answer.
        """
        return self._answer

    def absorb(self, rows: Iterable[ContextRow]) -> None:
        """Take in the rows that came after those taken in before; of a session with checkpoints, all that are left."""
        for row in _in_force(list(rows)):
            self._answer = None
            match row.kind:
                case ContextKind.CHECKPOINT:
                    self._clear()
                    self._add(user_request(placed(row.payload).text), row)
                case ContextKind.INPUT:
                    self._input(row)
                case ContextKind.RESPONSE:
                    self._response(row)
                case ContextKind.RESULTS:
                    self._results(row)
            self.last_id = max(self.last_id, row.id)

    def tokens(self, before: int, model: str) -> int:
        """How long a request is now; `before` is the estimate of system prompt and tools, `model` the route's name.

        Anchored on what the provider counted last, where the same route counted this very beginning.
        """
        guess = before + sum(element.size for element in self.elements)
        anchor = self._anchor
        if anchor is None or anchor.model != model:
            return guess
        later = sum(element.size for element in self.elements[anchor.elements :])
        counted = anchor.tokens + later
        return counted if counted > guess * _LEAST_TRUST else guess

    def _add(self, message: ModelMessage, row: ContextRow, at: int | None = None) -> None:
        place = len(self.messages) if at is None else at
        self.messages.insert(place, message)
        self.elements.insert(place, Element(message, row, element_tokens(message)))

    def _input(self, row: ContextRow) -> None:
        if row.message is None:
            raise StoreError(
                f"context row {row.id} is an input without its message", remedy="`vibeos doctor` checks."
            )
        if row.message.presented.strip():
            self._add(user_request(row.message.presented), row)

    def _response(self, row: ContextRow) -> None:
        response = load_response(row.payload)
        if tool_calls(response):
            self._open[row.context_seq] = response, row, len(self.messages)
            return
        if response_text(response).strip():
            self._answer = row.context_seq
            if self.messages:
                self._add(response, row)
        self._weigh(response, row, len(self.messages))

    def _results(self, row: ContextRow) -> None:
        """Behind their response, wherever the context has gone meanwhile (after a crash, inputs may have come)."""
        response, response_row, place = self._open.pop(row.context_seq, (None, None, 0))
        if response is None or response_row is None or not place:  # nothing was called, or before any input
            return
        self._add(response, response_row, place)
        self._add(outcomes_request(load_outcomes(row.payload)), row, place + 1)
        self._open = {
            number: (other, its_row, at + 2 if number > row.context_seq else at)
            for number, (other, its_row, at) in self._open.items()
        }
        if place + 2 == len(self.messages):
            self._weigh(response, response_row, place + 1)

    def _weigh(self, response: ModelResponse, row: ContextRow, elements: int) -> None:
        """Take the provider's count as the size of the first `elements`, if the whole of them was counted.

        What was counted before a checkpoint counted what is not there any more.
        """
        first = self.elements[0].row if self.elements else row
        usage = response_usage(response)
        if usage.input_tokens and not (first.kind is ContextKind.CHECKPOINT and row.id < first.id):
            self._anchor = _Anchor(elements, usage.input_tokens + usage.output_tokens, row.model)


def _in_force(rows: list[ContextRow]) -> list[ContextRow]:
    """The rows that make the context: the newest checkpoint's first, then those that it kept and those after it."""
    newest = next((row for row in reversed(rows) if row.kind is ContextKind.CHECKPOINT), None)
    if newest is None:
        return rows
    _, keeps_from, kept = placed(newest.payload)
    others = (row for row in rows if row.kind is not ContextKind.CHECKPOINT)
    return [newest, *(row for row in others if row.id >= keeps_from or row.id in kept)]


class WorkingContext:
    """The context of one running session. It follows the record, also what another program adds to the session."""

    def __init__(self, record: Record, session_id: str) -> None:
        self.record = record
        self.session_id = session_id
        self.fold = ContextFold()
        self.refused: dict[str, int] = {}  # route → the size of a request that it refused as too long

    def refresh(self) -> None:
        """Take in what was stored since."""
        rows = self.record.context.rows(self.session_id, after_id=self.fold.last_id)
        if any(row.kind is ContextKind.CHECKPOINT for row in rows):
            self.reload()
        else:
            self.fold.absorb(rows)

    def reload(self) -> None:
        """Read the rows anew, after one of them was replaced."""
        self.fold = ContextFold()
        self.fold.absorb(self.record.context.rows(self.session_id))

    def settle(self) -> None:
        """Give every call that a crash left unanswered a stored answer, so that the context stays valid."""
        self.refresh()
        for number, response in self.fold.unanswered.items():
            outcomes = [ToolOutcome(call.call_id, call.name, INTERRUPTED) for call in tool_calls(response)]
            self.record.messages.record_results(self.session_id, number, dump_outcomes(outcomes))
        self.refresh()

    @property
    def messages(self) -> Sequence[ModelMessage]:
        """What is sent now."""
        return self.fold.messages

    @property
    def elements(self) -> Sequence[Element]:
        """What is sent now, each with its row and its size."""
        return self.fold.elements

    @property
    def last_answer(self) -> int | None:
        """See `ContextFold.last_answer`."""
        return self.fold.last_answer
