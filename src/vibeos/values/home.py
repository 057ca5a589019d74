"""Where files live. A `Scope` (home, profile, user, board) is passed explicitly; nothing holds one globally.

Paths are plain strings here and in what every memory command loads: pathlib costs an eighth of their start-up.
"""

from __future__ import annotations

import os
import re
from os.path import join
from typing import NamedTuple

from vibeos.values.errors import InvalidIdError

StrPath = str | os.PathLike[str]

DEFAULT_PROFILE = "default"
SESSION_VARIABLE = "VIBEOS_SESSION"  # an agent's shell sets it to its session for what runs in it
_PROFILE = r"[a-z0-9][a-z0-9_-]{0,63}"


class Scope(NamedTuple):
    """One isolated set of files. `user` and `board` are empty for the local person and for no board."""

    home: StrPath
    profile: str = DEFAULT_PROFILE
    user: str = ""
    board: str = ""

    @property
    def root(self) -> str:
        """The folder that holds this profile's files; raises `InvalidIdError` for a name that could be a path."""
        if self.profile == DEFAULT_PROFILE:
            return os.fspath(self.home)
        if not re.fullmatch(_PROFILE, self.profile):
            raise InvalidIdError(
                f"{self.profile[:80]!r} cannot be the name of a profile",
                remedy="A profile's name has small letters, digits, '-' and '_', at most 64.",
            )
        return join(self.home, "profiles", self.profile)

    @property
    def config_file(self) -> str:
        return join(self.root, "config.yaml")

    @property
    def state_db(self) -> str:
        return join(self.root, "state.db")

    @property
    def memories(self) -> str:
        return join(self.root, "memories")

    @property
    def stats_file(self) -> str:
        return join(self.memories, ".stats.json")

    @property
    def core_file(self) -> str:
        return join(self.memories, "MEMORY.md")

    @property
    def user_file(self) -> str:
        return join(self.user_folder, "USER.md")

    @property
    def user_folder(self) -> str:
        """The folder of USER.md: `memories` itself, or one opaque folder per gateway user, never the raw id."""
        return join(self.memories, "users", _opaque(self.user)) if self.user else self.memories

    @property
    def soul_file(self) -> str:
        return join(self.root, "SOUL.md")

    def turn_lock(self, session_id: str) -> str:
        """The lock that is held while a turn of this session runs."""
        return join(self.root, "locks", f"{session_id}.lock")

    def outputs(self, session_id: str) -> str:
        """Whole outputs of this session's tools that were shown cut."""
        return join(self.root, "outputs", session_id)

    def jobs(self, session_id: str) -> str:
        """What is known of this session's background commands, and their outputs."""
        return join(self.root, "jobs", session_id)

    def scratch(self, session_id: str) -> str:
        """The two files that a checkpoint turn edits."""
        return join(self.root, "scratch", session_id)

    def mind_copies(self, session_id: str) -> str:
        """Read-only copies of whole minds, for when a checkpoint shows one cut."""
        return join(self.root, "checkpoints", session_id)

    def folders_of(self, session_id: str) -> tuple[str, ...]:
        """Every folder that belongs to one session alone, and goes with it."""
        return (
            self.outputs(session_id),
            self.jobs(session_id),
            self.scratch(session_id),
            self.mind_copies(session_id),
        )

    @property
    def skills(self) -> str:
        return join(self.root, "skills")

    @property
    def logs(self) -> str:
        return join(self.root, "logs")


def _opaque(user: str) -> str:
    import hashlib  # noqa: PLC0415 - only for users of a gateway; start-up is a feature

    return hashlib.sha256(b"vibeos user\0" + user.encode("utf-8", "surrogatepass")).hexdigest()[:32]
