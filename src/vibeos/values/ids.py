"""Ids that people can type and that sort by time: `20261130-224428-k3m7qx`."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

from vibeos.values.errors import InvalidIdError

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


def new_id(moment: datetime) -> str:
    """A new id: the moment in UTC to the second and six random letters."""
    letters = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in os.urandom(6))
    return f"{moment.astimezone(UTC):%Y%m%d-%H%M%S}-{letters}"


def checked_id(text: str) -> str:
    """The id itself when it can be one: letters, digits, `-`, `_`, at most 80. Never a path."""
    if not _SESSION_ID.fullmatch(text):
        raise InvalidIdError(
            f"{text[:80]!r} is not an id",
            remedy="An id has letters, digits, '-' and '_' only. `vibeos sessions list` shows those of sessions.",
        )
    return text
