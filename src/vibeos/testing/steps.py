"""What can happen at a model's endpoint, as values: an answer, a fault, a break. They know no wire format.

A step is one of these and when it is due: what it expects to be asked, how long it takes. The functions below
write the steps of a script; `load_script` reads the same ones from JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Expectation: TypeAlias = str | Callable[[Any], bool] | None

NO_FINISH = "none"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is text, so that a script can also break it."""

    name: str
    arguments: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says. An empty `finish` is chosen by the calls, "none" gives no reason; `usage` overrides the estimate.

    `finish` is in OpenAI's words or in Anthropic's, and translated into the format that was asked for.

    `pause` is the time in seconds between two pieces of a streamed answer.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    finish: str = ""
    usage: Mapping[str, int] | None = None
    pause: float = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of the endpoint, or with `body` any response at all."""

    status: int
    message: str = ""
    code: str | None = None
    kind: str = ""
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """No answer: the connection closes at once, or in the middle of one."""

    midway: bool = False


@dataclass(frozen=True, slots=True)
class BadStream:
    """A streamed answer that goes wrong after its first `pieces` events.

    `ending` says how: the connection closes in the middle (`cut`), the stream ends in good order but says no reason
    (`unfinished`), or an error comes as an event (`error`). `pieces` None is as far as the answer's own end.
    """

    answer: Answer
    ending: Literal["cut", "unfinished", "error"]
    pieces: int | None = None
    error: Fault | None = None


Action: TypeAlias = "Answer | Fault | Drop | BadStream"
Playable: TypeAlias = "Step | str | Callable[[Any], Step | str]"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `expect` is a part of the last message's text, or a question to the request; `delay` is seconds."""

    action: Action | Callable[[Any], Step | str]
    expect: Expectation = None
    delay: float = 0


def call(name: str, arguments: Mapping[str, Any] | str = "{}", call_id: str = "") -> Call:
    """A tool call; arguments that are not text are written as JSON."""
    return Call(
        name, arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False), call_id
    )


def reply(
    text: str = "",
    *,
    calls: Sequence[Call] = (),
    reasoning: str = "",
    finish: str = "",
    usage: Mapping[str, int] | None = None,
    expect: Expectation = None,
    delay: float = 0,
    pause: float = 0,
) -> Step:
    """A step in which the model answers, after `delay` seconds and with `pause` seconds between its pieces."""
    return Step(Answer(text, tuple(calls), reasoning, finish, usage, pause), expect, delay)


def fault(
    status: int,
    message: str = "",
    *,
    code: str | None = None,
    kind: str = "",
    headers: Mapping[str, str] | None = None,
    retry_after: float | None = None,
    body: bytes | str | None = None,
    expect: Expectation = None,
    delay: float = 0,
) -> Step:
    """A step in which the endpoint fails; with `body`, exactly these bytes are the response.

    `retry_after` is the number of seconds that the client is asked to wait.
    """
    raw = body.encode() if isinstance(body, str) else body
    asked = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Step(Fault(status, message, code, kind, None, {**asked, **(headers or {})}, raw), expect, delay)


def drop(*, midway: bool = False, expect: Expectation = None) -> Step:
    """A step in which the connection breaks."""
    return Step(Drop(midway), expect)


def as_step(step: Playable) -> Step:
    """The step that a text or a function stands for."""
    if isinstance(step, str):
        return reply(step)
    return step if isinstance(step, Step) else Step(step)
