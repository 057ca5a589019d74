"""How an action of a script looks on the wire: whole or in events, in order or going wrong on purpose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vibeos.testing.steps import NO_FINISH, Answer, BadStream, Drop, Fault
from vibeos.testing.wire import WireResponse, WireStream

if TYPE_CHECKING:
    from vibeos.testing.steps import Action
    from vibeos.testing.wire import KeptRequest, WireFormat

_BREAKS_OFF = Answer("this answer breaks off")
_BROKEN = Fault(500, "The script ends this stream with an error.")


def perform(action: Action, request: KeptRequest, wire: WireFormat) -> WireResponse | WireStream | None:
    """What goes back. None: the connection closes without an answer."""
    match action:
        case Answer():
            if request.streams:
                return WireStream(wire.events(action, request), action.pause)
            return wire.render(action, request)
        case Fault():
            return wire.render_fault(action, request.number)
        case BadStream():
            return _bad_stream(action, request, wire)
        case Drop(midway=True):
            return _cut(_BREAKS_OFF, request, wire, None)
    return None


def _bad_stream(action: BadStream, request: KeptRequest, wire: WireFormat) -> WireResponse | WireStream:
    """The same fault where no stream was asked for: half a body, an answer without a reason, an error."""
    answer, error = action.answer, action.error or _BROKEN
    if action.ending == "cut":
        return _cut(answer, request, wire, action.pieces)
    if not request.streams and action.ending == "error":
        return wire.render_fault(error, request.number)
    if not request.streams:
        return wire.render(replace(answer, finish=NO_FINISH), request)
    events = wire.events(answer, request, ending=False)[: action.pieces]
    if action.ending == "error":
        events.append(wire.error_event(error, request.number))
    return WireStream(events, answer.pause)


def _cut(
    answer: Answer, request: KeptRequest, wire: WireFormat, count: int | None
) -> WireResponse | WireStream:
    if request.streams:
        events = wire.events(answer, request)
        return WireStream(
            events[: len(events) // 2 if count is None else count], answer.pause, breaks_off=True
        )
    whole = wire.render(answer, request)
    return replace(whole, body=whole.body[: len(whole.body) // 2], promised=len(whole.body))
