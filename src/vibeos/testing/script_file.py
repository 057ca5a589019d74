"""Scripts as JSON, for programs in any language."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vibeos.testing.bad_streams import broken, half_call, stalled, stream_error, unfinished
from vibeos.testing.overflows import overflow
from vibeos.testing.steps import Step, call, drop, fault, reply
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMON = ("expect", "delay")


def load_script(text: str) -> list[Step]:
    """The steps of a script written in JSON: a list, or an object with `steps`; raises ConfigError.

    A step is `"text"`, or an object with one of these, and optionally `expect` (part of the last message) and `delay`
    (seconds). SAID is a text, or an object with text, calls, reasoning, finish, usage, pause:

    - `reply`: SAID
    - `fault`: an object with status, message, code, kind, headers, retry_after, body
    - `drop`: true, or "midway"
    - `broken`, `unfinished`: SAID; beside it `after`, the number of pieces
    - `stream_error`: SAID; beside it `after`, status, message, code, kind
    - `stalled`: SAID; beside it `pause`, in seconds
    - `half_call`: an object with name, arguments (text), call_id, text
    - `overflow`: the name of a form; beside it tokens, limit
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
    found = [name for name in _KINDS if name in step]
    if len(found) != 1:
        raise _bad(f"step {number} needs one of {', '.join(map(repr, _KINDS))}")
    rest = {name: value for name, value in step.items() if name != found[0] and name not in _COMMON}
    try:
        made = _KINDS[found[0]](step[found[0]], rest)
    except (AssertionError, AttributeError, TypeError) as error:
        raise _bad(f"step {number}: {error}") from error
    return Step(made.action, step.get("expect"), step.get("delay", 0))


def _said(value: Any) -> Step:
    if isinstance(value, str):
        return reply(value)
    calls = [call(**one) for one in value.get("calls", [])]
    return reply(**{**value, "calls": calls})


def _drop(value: Any, rest: dict[str, Any]) -> Step:
    return drop(midway=value == "midway", **rest)


_KINDS: dict[str, Callable[[Any, dict[str, Any]], Step]] = {
    "reply": lambda value, rest: _said(value) if not rest else _unknown(rest),
    "fault": lambda value, rest: fault(**value, **rest),
    "drop": _drop,
    "broken": lambda value, rest: broken(_said(value), **rest),
    "unfinished": lambda value, rest: unfinished(_said(value), **rest),
    "stream_error": lambda value, rest: stream_error(_said(value), **rest),
    "stalled": lambda value, rest: stalled(_said(value), **rest),
    "half_call": lambda value, rest: half_call(**value, **rest),
    "overflow": lambda value, rest: overflow(value, **rest),
}


def _unknown(rest: dict[str, Any]) -> Step:
    raise TypeError(f"{', '.join(map(repr, rest))} has no meaning here")


def _bad(what: str) -> ConfigError:
    return ConfigError(
        f"The script cannot be played: {what}", remedy="`load_script` describes the form of a script."
    )
