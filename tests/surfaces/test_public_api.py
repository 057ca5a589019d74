"""The names that carry a promise."""

from __future__ import annotations

import vibeos
import vibeos.testing


def test_the_public_names_are_these() -> None:
    assert vibeos.__all__ == [
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


def test_every_public_name_is_there_and_explains_itself() -> None:
    for name in vibeos.__all__:
        value = getattr(vibeos, name)
        assert name == "__version__" or value.__doc__, name


def test_what_the_testing_kit_exports_is_there() -> None:
    assert "StrictServer" in vibeos.testing.__all__
    assert all(getattr(vibeos.testing, name) is not None for name in vibeos.testing.__all__)
