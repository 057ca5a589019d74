"""The working context: the messages of a request as a pure function of the session's stored rows.

The same rows always give the same elements, byte for byte, so a restarted program asks what the old one
would have asked, and each request begins with the one before it.
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
    from collections.abc import Sequence

    from vibeos.ports.models import ModelMessage
    from vibeos.record import ContextRow, Record

INTERRUPTED = (
    "The program was interrupted before this call's result was stored. It may or may not have taken effect: "
    "check before you repeat it."
)


def compose(rows: Sequence[ContextRow]) -> list[ModelMessage]:
    """The messages of a request: inputs and responses in order, results always right behind their response.

    What no provider takes is left out: an input or a response without text and calls, a response before any input.
    """
    results = {row.context_seq: row for row in rows if row.kind == "results"}
    messages: list[ModelMessage] = []
    for row in rows:
        if row.kind == "input":
            messages += _input(row)
        elif row.kind == "response" and messages:
            messages += _response(row, results.get(row.context_seq))
    return messages


def _input(row: ContextRow) -> list[ModelMessage]:
    if row.message is None:
        raise StoreError(
            f"context row {row.id} is an input without its message", remedy="`vibeos doctor` checks."
        )
    return [user_request(row.message.presented)] if row.message.presented.strip() else []


def _response(row: ContextRow, results: ContextRow | None) -> list[ModelMessage]:
    response = load_response(row.payload)
    if results is not None:
        return [response, outcomes_request(load_outcomes(results.payload))]
    return [response] if response_text(response).strip() else []


def last_answer(rows: Sequence[ContextRow]) -> int | None:
    """The number of the answer at the end of the context, when there is nothing to ask; None when something waits.

    A response with calls waits for their results, and an empty one is no answer.
    """
    if not rows or rows[-1].kind != "response":
        return None
    response = load_response(rows[-1].payload)
    is_answer = not tool_calls(response) and response_text(response).strip()
    return rows[-1].context_seq if is_answer else None


def settle(record: Record, session_id: str) -> None:
    """Give every call that a crash left unanswered a stored answer, so that the context stays valid."""
    rows = record.context.rows(session_id)
    answered = {row.context_seq for row in rows if row.kind == "results"}
    for row in rows:
        if row.kind != "response" or row.context_seq in answered:
            continue
        calls = tool_calls(load_response(row.payload))
        if calls:
            outcomes = [ToolOutcome(call.call_id, call.name, INTERRUPTED) for call in calls]
            record.messages.record_results(session_id, row.context_seq, dump_outcomes(outcomes))
