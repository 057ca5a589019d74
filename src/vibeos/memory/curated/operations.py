"""What may be asked of a curated store, and what is answered. Values only; JSON is made at the edge."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Target(StrEnum):
    """The two stores. `memory` is Core (MEMORY.md), `user` is User (USER.md)."""

    MEMORY = "memory"
    USER = "user"

    @property
    def file_name(self) -> str:
        return "MEMORY.md" if self is Target.MEMORY else "USER.md"


class Action(StrEnum):
    """There is no `read`: memory stands in the prompt."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


class Operation(NamedTuple):
    """One change. `replace` and `remove` find their entry by `old_text`, a part of it that no other has."""

    action: Action
    content: str = ""
    old_text: str = ""


class Outcome(StrEnum):
    """What one operation did."""

    ADDED = "added"
    DUPLICATE = "duplicate"
    REPLACED = "replaced"
    MERGED = "merged"
    REMOVED = "removed"


class Change(NamedTuple):
    """One operation's effect; `before` and `after` are whole entries, empty where there is none."""

    outcome: Outcome
    before: str = ""
    after: str = ""


class Usage(NamedTuple):
    """Characters (code points of the joined text) used of a limit."""

    used: int
    limit: int

    @property
    def percent(self) -> int:
        """Rounded down."""
        return self.used * 100 // self.limit


class Applied(NamedTuple):
    """The operations hold; `entries` is what the store holds now."""

    target: Target
    changes: tuple[Change, ...]
    entries: tuple[str, ...]
    usage: Usage


class Problem(NamedTuple):
    """Why an operation cannot be done: a catalogue key and its values."""

    key: str
    values: dict[str, object] = {}  # noqa: RUF012 - never changed
    matches: tuple[str, ...] = ()


class Refused(NamedTuple):
    """Nothing was changed. `entries` and `usage` are None where the store could not be read.

    `number` is the failed operation, counted from 1, of `total`; a refusal of the whole has number 0.
    """

    target: Target
    problem: Problem
    number: int = 0
    total: int = 1
    entries: tuple[str, ...] | None = None
    usage: Usage | None = None


Result = Applied | Refused
