"""Local counters of the curated stores: `memories/.stats.json`. They never leave the machine.

The file also holds the fingerprint of each curated file as VibeOS last wrote it, so that a change by any
other program can be noticed. Counting is no reason to fail: a damaged file is set aside and begun anew.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.memory.curated.store import path_of
from vibeos.ports.guard.files import atomic_write, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vibeos.memory.curated.operations import Target
    from vibeos.values.home import Scope

_MOST_BYTES = 1_000_000
COUNTERS = ("add", "replace", "remove", "overflow", "batch")


class Counters(NamedTuple):
    """Counts by target and kind, and the fingerprints of the files as last written."""

    counts: dict[str, dict[str, int]] = {}  # noqa: RUF012 - never changed
    written: dict[str, str] = {}  # noqa: RUF012 - never changed
    is_damaged: bool = False

    def of(self, target: Target) -> dict[str, int]:
        """Every counter of this target."""
        known = self.counts.get(target.value, {})
        return {name: known.get(name, 0) for name in COUNTERS}


def load_counters(scope: Scope) -> Counters:
    """The counters of a profile; all zero when there are none yet."""
    data = read_bytes(scope.stats_file, most=_MOST_BYTES)
    if data is None:
        return Counters()
    try:
        return _decoded(json.loads(data))
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        return Counters(is_damaged=True)


def _decoded(raw: Any) -> Counters:
    counts = {
        str(target): {str(name): int(value) for name, value in kinds.items()}
        for target, kinds in raw["counts"].items()
    }
    return Counters(counts, {str(name): str(value) for name, value in raw["written"].items()})


def count(scope: Scope, target: Target, kinds: Iterable[str], *, written: str | None = None) -> None:
    """Add one to each of `kinds`, under the store's lock. `written` is the file's new fingerprint, if any."""
    known = load_counters(scope)
    if known.is_damaged:
        atomic_write(f"{scope.stats_file}.bad", read_bytes(scope.stats_file) or b"")
    counts = known.of(target)
    for kind in kinds:
        counts[kind] += 1
    fingerprints = known.written if written is None else known.written | {file_key(scope, target): written}
    fresh = {"counts": known.counts | {target.value: counts}, "written": fingerprints}
    atomic_write(scope.stats_file, json.dumps(fresh, indent=1).encode(), durable=False)


def file_key(scope: Scope, target: Target) -> str:
    """The name under which a file's fingerprint is kept."""
    return os.path.relpath(path_of(scope, target), scope.memories)
