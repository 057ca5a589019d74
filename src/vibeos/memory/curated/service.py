"""The one choke point of Core and User memory.

    operations → enabled? → scan → approval gate → lock → re-read → match → budget → atomic replace → counters

Nothing writes a curated file in another way. Every refusal, also of a file that cannot be read or a disk
that is full, is a `Refused` value and leaves the files as they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.curated.counters import count, file_key, load_counters
from vibeos.memory.curated.entries import clean, length
from vibeos.memory.curated.operations import (
    Action,
    Applied,
    Operation,
    Outcome,
    Problem,
    Refused,
    Result,
    Target,
    Usage,
)
from vibeos.memory.curated.store import CuratedStore, CuratedTextError, FileStore, Stored
from vibeos.ports.guard.approval import Gate, OpenGate, Origin
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.memory.curated.plan import Fault, Plan
    from vibeos.values.home import Scope

MEMORY_LIMIT = 2_200
USER_LIMIT = 1_375


class CuratedSettings(NamedTuple):
    """Which stores are on, and their limits in characters (the second document's numbers)."""

    memory_enabled: bool = True
    user_enabled: bool = True
    memory_limit: int = MEMORY_LIMIT
    user_limit: int = USER_LIMIT

    def limit(self, target: Target) -> int:
        return self.memory_limit if target is Target.MEMORY else self.user_limit

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that are on. `memory_enabled: false` turns both off."""
        if not self.memory_enabled:
            return ()
        return (Target.MEMORY, Target.USER) if self.user_enabled else (Target.MEMORY,)


class CuratedMemory:
    """Core and User memory of one scope."""

    def __init__(
        self,
        scope: Scope,
        *,
        settings: CuratedSettings | None = None,
        store: CuratedStore | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.scope = scope
        self.settings = settings or CuratedSettings()
        self._store = store or FileStore()
        self._gate = gate or OpenGate()

    def read(self, target: Target) -> Stored:
        """What the store holds now; raises `FileAccessError` where it cannot be read."""
        return self._store.load(self.scope, target)

    def usage(self, target: Target, entries: tuple[str, ...]) -> Usage:
        """How much of the target's limit these entries use."""
        return Usage(length(entries), self.settings.limit(target))

    def changed_elsewhere(self, target: Target, stored: Stored) -> bool:
        """Whether another program changed the file since VibeOS last wrote it."""
        written = load_counters(self.scope).written.get(file_key(self.scope, target))
        return written is not None and written != stored.fingerprint

    def _is_ours(self, target: Target, stored: Stored) -> bool:
        """Whether the file is as VibeOS wrote it, or not there yet; else it is copied before it is overwritten."""
        if not stored.fingerprint:
            return True
        try:
            return load_counters(self.scope).written.get(file_key(self.scope, target)) == stored.fingerprint
        except FileAccessError:
            return False

    def backup(self, target: Target) -> str:
        """Copy the store's present bytes aside and give the place; raises `FileAccessError`."""
        return self._store.backup(self.scope, target)

    def apply(self, target: Target, operations: Sequence[Operation], origin: Origin) -> Result:
        """Do all of the operations or none; never raises for what can be told as a refusal."""
        refusal = self._forbidden(target, operations, origin)
        if refusal:
            return self._with_state(refusal)
        try:
            with self._store.exclusive(self.scope):
                return self._apply_locked(target, operations)
        except FileAccessError as error:
            return Refused(target, self._unreadable(target, error), 0, len(operations))

    def _forbidden(self, target: Target, operations: Sequence[Operation], origin: Origin) -> Refused | None:
        """What can be refused without looking at the store: switches, scan, gate."""
        if target not in self.settings.targets:
            key = "memory.user_disabled" if self.settings.memory_enabled else "memory.disabled"
            return Refused(target, Problem(key), 0, len(operations))
        if not operations:
            return Refused(target, Problem("memory.no_operations"), 0, 0)
        from vibeos.ports.guard.scan import explain, scan  # noqa: PLC0415 - only writes need the rules

        for number, operation in enumerate(operations, start=1):
            findings = (
                () if operation.action is Action.REMOVE else scan(clean(operation.content), scope="memory")
            )
            if findings:
                problem = Problem("memory.blocked", {"reason": explain(findings)})
                return Refused(target, problem, number, len(operations))
        reason = self._gate_says(origin)
        return Refused(target, reason, 0, len(operations)) if reason else None

    def _gate_says(self, origin: Origin) -> Problem | None:
        try:
            verdict = self._gate.admit(origin)
        except Exception as error:  # noqa: BLE001 - a gate may be anybody's, and whatever happens in it means "no"
            return Problem("memory.gate_failed", {"reason": f"{type(error).__name__}: {error}"})
        return None if verdict.admitted else Problem(verdict.reason)

    def _apply_locked(self, target: Target, operations: Sequence[Operation]) -> Result:
        from vibeos.memory.curated.plan import Fault, make_plan  # noqa: PLC0415 - only writes plan

        stored = self._store.load(self.scope, target)
        plan = make_plan(stored.entries, operations, self.settings.limit(target))
        if isinstance(plan, Fault):
            return self._refused(target, plan, stored, len(operations))
        if fault := _hidden_in_the_whole(stored.entries, plan.entries):
            return self._refused(target, Fault(0, fault), stored, len(operations))
        written = stored
        if plan.entries != stored.entries:
            if not self._is_ours(target, stored):
                self._store.backup(self.scope, target)
            written = self._store.save(self.scope, target, plan.entries)
        self._count(target, _kinds(plan), written.fingerprint if written is not stored else None)
        return Applied(target, plan.changes, plan.entries, self.usage(target, plan.entries))

    def _refused(self, target: Target, fault: Fault, stored: Stored, total: int) -> Refused:
        problem = fault.problem
        if problem.key == "memory.document":
            problem = Problem(
                problem.key, problem.values | {"backup": self._store.backup(self.scope, target)}
            )
        if problem.key in ("memory.overflow", "memory.overflow_add"):
            self._count(target, ("overflow",), None)
        entries = stored.entries
        return Refused(target, problem, fault.number, total, entries, self.usage(target, entries))

    def _count(self, target: Target, kinds: Sequence[str], written: str | None) -> None:
        if not kinds:
            return
        try:
            count(self.scope, target, kinds, written=written)
        except FileAccessError:
            # The entry is already safe on disk: a counter that cannot be kept must not turn that into a failure.
            return

    def _unreadable(self, target: Target, error: FileAccessError) -> Problem:
        if isinstance(error, CuratedTextError):
            return Problem("memory.not_text", {"file": target.file_name, "backup": self._backup(target)})
        return Problem("memory.unreadable", {"reason": f"{error.message}. {error.remedy}".strip()})

    def _backup(self, target: Target) -> str:
        try:
            return self.backup(target)
        except FileAccessError as error:
            return f"({error.message})"

    def _with_state(self, refusal: Refused) -> Refused:
        """The refusal with the present entries, where they can be read: a model decides better with them."""
        if refusal.target not in self.settings.targets:
            return refusal
        try:
            entries = self._store.load(self.scope, refusal.target).entries
        except FileAccessError:
            return refusal
        usage = self.usage(refusal.target, entries)
        return Refused(refusal.target, refusal.problem, refusal.number, refusal.total, entries, usage)


def _hidden_in_the_whole(before: tuple[str, ...], after: tuple[str, ...]) -> Problem | None:
    """What the scan finds in the entries together and in none alone: an attack parted over several writes."""
    from vibeos.memory.curated.shown import findings_together  # noqa: PLC0415 - only writes need the rules
    from vibeos.ports.guard.scan import explain  # noqa: PLC0415 - as above

    found = findings_together(after)
    known = {finding.rule_id for finding in findings_together(before)} if found else set()
    new = tuple(finding for finding in found if finding.rule_id not in known)
    return Problem("memory.blocked", {"reason": explain(new)}) if new else None


def _kinds(plan: Plan) -> list[str]:
    """The counters that a plan moves: one per operation that changed something, and one for a batch."""
    names = {
        Outcome.ADDED: "add",
        Outcome.REPLACED: "replace",
        Outcome.MERGED: "replace",
        Outcome.REMOVED: "remove",
    }
    kinds = [names[change.outcome] for change in plan.changes if change.outcome in names]
    return [*kinds, "batch"] if len(plan.changes) > 1 else kinds
