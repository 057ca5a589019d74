"""VibeOS: an agent runtime and library whose memory survives.

What this module exports, `vibeos.testing`, and the Protocols that it exports carry a promise; everything
else may change. Names are imported when they are first used, so that importing `vibeos` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vibeos._version import __version__

if TYPE_CHECKING:
    from vibeos.app.sessions import SessionHandle
    from vibeos.app.vibeos import VibeOS, open_home
    from vibeos.memory.curated.operations import Action, Applied, Operation, Refused, Target
    from vibeos.memory.curated.service import CuratedMemory, CuratedSettings
    from vibeos.memory.curated.store import CuratedStore
    from vibeos.ports.guard.approval import Gate, Origin
    from vibeos.record import Message, Record, SearchHit, Session
    from vibeos.values.envelopes import Envelope, InputRoute
    from vibeos.values.errors import ConfigError, ModelError, NotFoundError, VibeOSError
    from vibeos.values.home import Scope

__all__ = [
    "Action",
    "Applied",
    "ConfigError",
    "CuratedMemory",
    "CuratedSettings",
    "CuratedStore",
    "Envelope",
    "Gate",
    "InputRoute",
    "Message",
    "ModelError",
    "NotFoundError",
    "Operation",
    "Origin",
    "Record",
    "Refused",
    "Scope",
    "SearchHit",
    "Session",
    "SessionHandle",
    "Target",
    "VibeOS",
    "VibeOSError",
    "__version__",
    "open_home",
]

_HOMES = {
    "vibeos.app.sessions": ("SessionHandle",),
    "vibeos.app.vibeos": ("VibeOS", "open_home"),
    "vibeos.memory.curated.operations": ("Action", "Applied", "Operation", "Refused", "Target"),
    "vibeos.memory.curated.service": ("CuratedMemory", "CuratedSettings"),
    "vibeos.memory.curated.store": ("CuratedStore",),
    "vibeos.ports.guard.approval": ("Gate", "Origin"),
    "vibeos.record": ("Message", "Record", "SearchHit", "Session"),
    "vibeos.values.envelopes": ("Envelope", "InputRoute"),
    "vibeos.values.errors": ("ConfigError", "ModelError", "NotFoundError", "VibeOSError"),
    "vibeos.values.home": ("Scope",),
}
_EXPORTS = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'vibeos' has no attribute {name!r}")
    value = getattr(import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
