"""A script: what a model answers, step by step, and what it expects to be asked. It knows no wire format.

Each request that the endpoint takes uses up one step. A step that expects something else than what came is not
used up: the mismatch is kept, and `problems` names it, as it names steps that nobody asked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias

from vibeos.values.errors import ConfigError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from vibeos.testing.wire import KeptRequest


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is text, so that a script can also break it."""

    name: str
    arguments: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says. An empty `finish` is chosen by the calls; `usage` overrides the estimate."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    finish: str = ""
    usage: Mapping[str, int] | None = None


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


Action: TypeAlias = "Answer | Fault | Drop"
Playable: TypeAlias = "Step | str | Callable[[KeptRequest], Step | str]"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `expect` is a part of the last message's text, or a question to the request; `delay` is seconds."""

    action: Action | Callable[[KeptRequest], Step | str]
    expect: str | Callable[[KeptRequest], bool] | None = None
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
    expect: str | Callable[[KeptRequest], bool] | None = None,
    delay: float = 0,
) -> Step:
    """A step in which the model answers."""
    return Step(Answer(text, tuple(calls), reasoning, finish, usage), expect, delay)


def fault(
    status: int,
    message: str = "",
    *,
    code: str | None = None,
    kind: str = "",
    headers: Mapping[str, str] | None = None,
    body: bytes | str | None = None,
    expect: str | Callable[[KeptRequest], bool] | None = None,
    delay: float = 0,
) -> Step:
    """A step in which the endpoint fails; with `body`, exactly these bytes are the response."""
    raw = body.encode() if isinstance(body, str) else body
    return Step(Fault(status, message, code, kind, None, dict(headers or {}), raw), expect, delay)


def drop(*, midway: bool = False, expect: str | Callable[[KeptRequest], bool] | None = None) -> Step:
    """A step in which the connection breaks."""
    return Step(Drop(midway), expect)


class Script:
    """The steps in their order; safe to play from several threads."""

    def __init__(self, steps: Iterable[Playable] = ()) -> None:
        self._steps = [_as_step(step) for step in steps]
        self._next = 0
        self._problems: list[str] = []
        self._lock = RLock()

    def extend(self, steps: Iterable[Playable]) -> None:
        """Put steps at the end."""
        with self._lock:
            self._steps += [_as_step(step) for step in steps]

    def play(self, request: KeptRequest) -> tuple[Action, float]:
        """What is answered to a request, and after how many seconds."""
        step = self._take(request)
        if not callable(step.action):
            return step.action, step.delay
        try:
            made = _as_step(step.action(request))
        except AssertionError as error:
            failed = str(error) or "an assertion of the script failed"
            return self._problem(f"request {request.number}: {failed}"), 0
        if callable(made.action):
            return self._problem(f"request {request.number}: a step made another function"), 0
        return made.action, step.delay + made.delay

    def note(self, problem: str) -> None:
        """Keep something that went wrong outside the steps."""
        with self._lock:
            self._problems.append(problem)

    @property
    def problems(self) -> list[str]:
        """What went otherwise than the script says: surprises first, then the steps that were not used."""
        with self._lock:
            left = self._steps[self._next :]
            numbered = enumerate(left, self._next + 1)
            return [*self._problems, *(f"step {n} was not used: {_label(step)}" for n, step in numbered)]

    def _take(self, request: KeptRequest) -> Step:
        with self._lock:
            if self._next == len(self._steps):
                problem = f"request {request.number} came after the script's last step ({self._next})"
                return Step(self._problem(f"{problem}: {preview(request.last_text)!r}"))
            step = self._steps[self._next]
            if not _meets(step.expect, request):
                wanted = repr(step.expect) if isinstance(step.expect, str) else "its condition"
                problem = f"step {self._next + 1} expected {wanted}, but request {request.number} ended with"
                return Step(self._problem(f"{problem} {preview(request.last_text)!r}"))
            self._next += 1
            return step

    def _problem(self, text: str) -> Fault:
        self.note(text)
        # The vendor SDKs send a failed request again unless they are told not to.
        return Fault(
            500,
            f"strict server: {text}",
            "script_mismatch",
            "server_error",
            None,
            {"x-should-retry": "false"},
        )


def load_script(text: str) -> list[Step]:
    """The steps of a script written in JSON: a list, or an object with `steps`; raises ConfigError.

    A step is `"text"`, or an object with one of `reply` (text, calls, reasoning, finish, usage), `fault` (status,
    message, code, kind, headers, body), `drop` (true or "midway"), and optionally `expect` and `delay`.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _bad(f"it is not JSON ({error})") from error
    steps = value.get("steps") if isinstance(value, dict) else value
    if not isinstance(steps, list):
        raise _bad("it is neither a list of steps nor an object with 'steps'")
    return [_load_step(step, number) for number, step in enumerate(steps, 1)]


def _load_step(step: object, number: int) -> Step:
    if isinstance(step, str):
        return reply(step)
    if not isinstance(step, dict):
        raise _bad(f"step {number} is neither text nor an object")
    fields = dict(step)
    common = {name: fields.pop(name) for name in ("expect", "delay") if name in fields}
    try:
        match fields:
            case {"reply": str(said), **rest} if not rest:
                return reply(said, **common)
            case {"reply": dict(parts), **rest} if not rest:
                calls = [call(**one) for one in parts.pop("calls", [])]
                return reply(**parts, calls=calls, **common)
            case {"fault": dict(parts), **rest} if not rest:
                return fault(**parts, **common)
            case {"drop": how, **rest} if not rest:
                return drop(midway=how == "midway", **common)
    except TypeError as error:
        raise _bad(f"step {number}: {error}") from error
    raise _bad(f"step {number} needs one of 'reply', 'fault' and 'drop'")


def _bad(what: str) -> ConfigError:
    return ConfigError(
        f"The script cannot be played: {what}", remedy="`load_script` describes the form of a script."
    )


def _as_step(step: Playable) -> Step:
    if isinstance(step, str):
        return reply(step)
    return step if isinstance(step, Step) else Step(step)


def _meets(expect: str | Callable[[KeptRequest], bool] | None, request: KeptRequest) -> bool:
    if expect is None:
        return True
    return expect in request.last_text if isinstance(expect, str) else expect(request)


def _label(step: Step) -> str:
    return preview(repr(step.action), 120)
