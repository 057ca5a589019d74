"""Steps in which an answer goes wrong on its way. Each takes what would have been said: a text, or `reply(...)`.

Pieces are counted in events of the stream, from its first. Where no stream was asked for, the same step is the
nearest thing that there is: half a body, an answer without a reason to finish, the error itself.
"""

from __future__ import annotations

from dataclasses import replace

from vibeos.testing.steps import Answer, BadStream, Call, Fault, Step, as_step

_HALF = 0.5


def broken(said: Step | str = "this answer breaks off", *, after: int | None = None) -> Step:
    """The connection closes after so many pieces; in the middle, when no number is given."""
    step, answer = _answer(said)
    return replace(step, action=BadStream(answer, "cut", after))


def unfinished(said: Step | str = "this answer has no end", *, after: int | None = None) -> Step:
    """The stream ends in good order, but nothing says why: no reason to finish, no usage, no mark of the end."""
    step, answer = _answer(said)
    return replace(step, action=BadStream(answer, "unfinished", after))


def stream_error(
    said: Step | str = "this answer meets an error",
    *,
    after: int | None = None,
    status: int = 529,
    message: str = "Overloaded",
    code: str | None = None,
    kind: str = "",
) -> Step:
    """An error comes as an event of a stream that has begun with 200; `status` says which kind of error it is."""
    step, answer = _answer(said)
    return replace(step, action=BadStream(answer, "error", after, Fault(status, message, code, kind)))


def stalled(said: Step | str, *, pause: float) -> Step:
    """The answer comes whole, but with so many seconds between two pieces."""
    step, answer = _answer(said)
    return replace(step, action=replace(answer, pause=pause))


def half_call(name: str, arguments: str, call_id: str = "", *, text: str = "") -> Step:
    """The answer reaches its longest length in the middle of a call: the second half of the arguments is missing.

    Outside a stream, Anthropic's format has no place for half an object; there the arguments are empty.
    """
    half = arguments[: max(1, int(len(arguments) * _HALF))]
    return Step(Answer(text, (Call(name, half, call_id),), finish="length"))


def _answer(said: Step | str) -> tuple[Step, Answer]:
    step = as_step(said)
    assert isinstance(step.action, Answer), (
        "only an answer can go wrong on its way: give a text or reply(...)"
    )
    return step, step.action
