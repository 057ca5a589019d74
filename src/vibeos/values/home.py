"""Where files live. A `Scope` (home, profile, user, board) is passed explicitly; nothing holds one globally."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.errors import InvalidIdError

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_PROFILE = "default"
_PROFILE = r"[a-z0-9][a-z0-9_-]{0,63}"


class Scope(NamedTuple):
    """One isolated set of files. `user` and `board` are empty for the local person and for no board."""

    home: Path
    profile: str = DEFAULT_PROFILE
    user: str = ""
    board: str = ""

    def for_user(self, user: str) -> Scope:
        """The same home and profile for another user."""
        return self._replace(user=user)

    @property
    def root(self) -> Path:
        """The folder that holds this profile's files; raises `InvalidIdError` for a name that could be a path."""
        if self.profile == DEFAULT_PROFILE:
            return self.home
        if not re.fullmatch(_PROFILE, self.profile):
            raise InvalidIdError(
                f"{self.profile[:80]!r} cannot be the name of a profile",
                remedy="A profile's name has small letters, digits, '-' and '_', at most 64.",
            )
        return self.home / "profiles" / self.profile

    @property
    def config_file(self) -> Path:
        return self.root / "config.yaml"

    @property
    def state_db(self) -> Path:
        return self.root / "state.db"

    @property
    def memories(self) -> Path:
        return self.root / "memories"

    @property
    def stats_file(self) -> Path:
        return self.memories / ".stats.json"

    @property
    def core_file(self) -> Path:
        return self.memories / "MEMORY.md"

    @property
    def user_file(self) -> Path:
        return self.user_folder / "USER.md"

    @property
    def user_folder(self) -> Path:
        """The folder of USER.md: `memories` itself, or one opaque folder per gateway user, never the raw id."""
        return self.memories / "users" / _opaque(self.user) if self.user else self.memories

    @property
    def soul_file(self) -> Path:
        return self.root / "SOUL.md"

    @property
    def logs(self) -> Path:
        return self.root / "logs"


def _opaque(user: str) -> str:
    import hashlib  # noqa: PLC0415 - only for users of a gateway; start-up is a feature

    return hashlib.sha256(b"vibeos user\0" + user.encode("utf-8", "surrogatepass")).hexdigest()[:32]
