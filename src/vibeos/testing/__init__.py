"""The testing kit: what stands in for the world when VibeOS, or an agent built on it, is tested.

`StrictServer` is a model's HTTP endpoint on this machine, in OpenAI's format and in Anthropic's: it plays a script,
keeps every request, and refuses what the real one refuses. `ScriptedModel` plays the same script in process. `FakeClock`
is time that passes when it is told to. `vibeos.testing.conformance` holds what every adapter of a Protocol must do.
Nothing of VibeOS imports this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vibeos.testing.bad_streams import broken, half_call, stalled, stream_error, unfinished
    from vibeos.testing.clock import FakeClock
    from vibeos.testing.overflows import OverflowForm, overflow
    from vibeos.testing.script import Script
    from vibeos.testing.script_file import load_script
    from vibeos.testing.scripted_model import ScriptedModel, ScriptedRequest
    from vibeos.testing.steps import Answer, BadStream, Call, Drop, Fault, Step, call, drop, fault, reply
    from vibeos.testing.strict_server import StrictServer
    from vibeos.testing.wire import KeptRequest, Refusal

__all__ = [
    "Answer",
    "BadStream",
    "Call",
    "Drop",
    "FakeClock",
    "Fault",
    "KeptRequest",
    "OverflowForm",
    "Refusal",
    "Script",
    "ScriptedModel",
    "ScriptedRequest",
    "Step",
    "StrictServer",
    "broken",
    "call",
    "drop",
    "fault",
    "half_call",
    "load_script",
    "overflow",
    "reply",
    "stalled",
    "stream_error",
    "unfinished",
]

_HOMES = {
    "bad_streams": ("broken", "half_call", "stalled", "stream_error", "unfinished"),
    "clock": ("FakeClock",),
    "overflows": ("OverflowForm", "overflow"),
    "script": ("Script",),
    "script_file": ("load_script",),
    "scripted_model": ("ScriptedModel", "ScriptedRequest"),
    "strict_server": ("StrictServer",),
    "wire": ("KeptRequest", "Refusal"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - so that `python -m vibeos.testing.…` loads a module once

    return getattr(import_module(f"{__name__}.{_HOME_OF.get(name, 'steps')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
