"""The testing kit: what stands in for the world when VibeOS, or an agent built on it, is tested.

`StrictServer` is a model's HTTP endpoint on this machine: it plays a script, keeps every request, and refuses
what the real one refuses. Nothing of VibeOS imports this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vibeos.testing.script import (
        Answer,
        Call,
        Drop,
        Fault,
        Script,
        Step,
        call,
        drop,
        fault,
        load_script,
        reply,
    )
    from vibeos.testing.strict_server import StrictServer
    from vibeos.testing.wire import KeptRequest, Refusal

__all__ = [
    "Answer",
    "Call",
    "Drop",
    "Fault",
    "KeptRequest",
    "Refusal",
    "Script",
    "Step",
    "StrictServer",
    "call",
    "drop",
    "fault",
    "load_script",
    "reply",
]

_ELSEWHERE = {"StrictServer": "strict_server", "KeptRequest": "wire", "Refusal": "wire"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - so that `python -m vibeos.testing.…` loads a module once

    return getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'script')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
