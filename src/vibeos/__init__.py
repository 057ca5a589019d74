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
    from vibeos.memory.checkpoint.agent_history import checkpoints_for_agent
    from vibeos.memory.checkpoint.long_conversation import LongConversation
    from vibeos.memory.curated.operations import (
        Action,
        Applied,
        Change,
        Operation,
        Problem,
        Refused,
        Target,
        Usage,
    )
    from vibeos.memory.curated.service import CuratedMemory, CuratedSettings
    from vibeos.memory.curated.store import CuratedStore, Stored
    from vibeos.ports.guard.approval import Gate, Origin, Verdict
    from vibeos.record import Message, SearchHit, Session
    from vibeos.values.envelopes import Envelope, InputRoute
    from vibeos.values.errors import (
        ConfigError,
        ContextFullError,
        FileAccessError,
        ModelError,
        NotFoundError,
        VibeOSError,
    )
    from vibeos.values.home import Scope

__all__ = [
    "Action",
    "Applied",
    "Change",
    "ConfigError",
    "ContextFullError",
    "CuratedMemory",
    "CuratedSettings",
    "CuratedStore",
    "Envelope",
    "FileAccessError",
    "Gate",
    "InputRoute",
    "LongConversation",
    "Message",
    "ModelError",
    "NotFoundError",
    "Operation",
    "Origin",
    "Problem",
    "Refused",
    "Scope",
    "SearchHit",
    "Session",
    "SessionHandle",
    "Stored",
    "Target",
    "Usage",
    "Verdict",
    "VibeOS",
    "VibeOSError",
    "__version__",
    "checkpoints_for_agent",
    "open_home",
]

_HOMES = {
    "vibeos.app.sessions": ("SessionHandle",),
    "vibeos.app.vibeos": ("VibeOS", "open_home"),
    "vibeos.memory.checkpoint.agent_history": ("checkpoints_for_agent",),
    "vibeos.memory.checkpoint.long_conversation": ("LongConversation",),
    "vibeos.memory.curated.operations": (
        "Action",
        "Applied",
        "Change",
        "Operation",
        "Problem",
        "Refused",
        "Target",
        "Usage",
    ),
    "vibeos.memory.curated.service": ("CuratedMemory", "CuratedSettings"),
    "vibeos.memory.curated.store": ("CuratedStore", "Stored"),
    "vibeos.ports.guard.approval": ("Gate", "Origin", "Verdict"),
    "vibeos.record": ("Message", "SearchHit", "Session"),
    "vibeos.values.envelopes": ("Envelope", "InputRoute"),
    "vibeos.values.errors": (
        "ConfigError",
        "ContextFullError",
        "FileAccessError",
        "ModelError",
        "NotFoundError",
        "VibeOSError",
    ),
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
