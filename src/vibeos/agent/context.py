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

    A response without text and without calls is left out: no provider takes one back.
    """
    results = {row.context_seq: row for row in rows if row.kind == "results"}
    messages: list[ModelMessage] = []
    for row in rows:
        if row.kind == "input":
            messages.append(_input(row))
        elif row.kind == "response":
            messages += _response(row, results.get(row.context_seq))
    return messages


def _input(row: ContextRow) -> ModelMessage:
    if row.message is None:
        raise StoreError(
            f"context row {row.id} is an input without its message", remedy="`vibeos doctor` checks."
        )
    return user_request(row.message.presented)


def _response(row: ContextRow, results: ContextRow | None) -> list[ModelMessage]:
    response = load_response(row.payload)
    if results is not None:
        return [response, outcomes_request(load_outcomes(results.payload))]
    return [response] if response_text(response) else []


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
