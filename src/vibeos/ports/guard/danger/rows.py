"""The two kinds of rows in the danger tables. `reason` completes the sentence "The command …"."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.ports.guard.danger.calls import Call


class DangerRule(NamedTuple):
    """A row for what a program is told to do. No `programs` means that every call is looked at."""

    id: str
    reason: str
    catches: tuple[str, ...]
    passes: tuple[str, ...]
    check: Callable[[Call], bool]
    programs: tuple[str, ...] = ()


class PathRule(NamedTuple):
    """A row for the files that a call writes, replaces or takes away.

    `by_name`: the last part of the path decides, so the row is left out where it is known that the path lies elsewhere.
    """

    id: str
    reason: str
    catches: tuple[str, ...]
    passes: tuple[str, ...]
    matches: Callable[[str], bool]
    by_name: bool = False
