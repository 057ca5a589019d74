"""Verbs over Core and User memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.memory.curated.counters import load_counters
from vibeos.memory.curated.operations import Action, Operation, Refused, Result, Target, Usage
from vibeos.memory.curated.service import CuratedMemory, CuratedSettings
from vibeos.memory.curated.store import path_of
from vibeos.ports.guard.approval import ClosedGate, Gate, OpenGate, Origin
from vibeos.values.errors import FileAccessError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vibeos.app.vibeos import VibeOS
    from vibeos.memory.curated.snapshot import Snapshot
    from vibeos.values.config import Config


class StoreStatus(NamedTuple):
    """One store as `memory status` shows it. `fault` says why it cannot be read; then the rest is empty."""

    target: Target
    path: str
    enabled: bool
    entries: tuple[str, ...] = ()
    usage: Usage | None = None
    counters: Mapping[str, int] | None = None
    changed_elsewhere: bool = False
    fault: str = ""


class MemoryVerbs:
    """What a person or a program may do with Core and User memory."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app
        self._made: tuple[Config, CuratedMemory] | None = None

    @property
    def curated(self) -> CuratedMemory:
        """The curated memory of this scope, as the configuration sets it now."""
        config = self._app.config
        if self._made is None or self._made[0] is not config:
            self._made = (config, self._make(config))
        return self._made[1]

    def _make(self, config: Config) -> CuratedMemory:
        settings = CuratedSettings(
            memory_enabled=config.flag("memory.memory_enabled"),
            user_enabled=config.flag("memory.user_profile_enabled"),
            memory_limit=config.number("memory.memory_char_limit"),
            user_limit=config.number("memory.user_char_limit"),
        )
        gate: Gate = ClosedGate() if config.flag("memory.write_approval") else OpenGate()
        return CuratedMemory(self._app.scope, settings=settings, gate=gate)

    def add(self, target: Target | str, content: str) -> Result:
        """Add an entry for the person."""
        return self.apply(target, [Operation(Action.ADD, content)])

    def replace(self, target: Target | str, old_text: str, content: str) -> Result:
        """Replace the one entry that contains `old_text`."""
        return self.apply(target, [Operation(Action.REPLACE, content, old_text)])

    def remove(self, target: Target | str, old_text: str) -> Result:
        """Remove the one entry that contains `old_text`."""
        return self.apply(target, [Operation(Action.REMOVE, old_text=old_text)])

    def apply(
        self, target: Target | str, operations: Sequence[Operation], *, origin: Origin = Origin.PERSON
    ) -> Result:
        """Do all of the operations or none. In an agent's shell a person's command is the agent's."""
        if self._app.environment.agent_session:
            origin = Origin.AGENT
        return self.curated.apply(_target(target), operations, origin)

    def tool(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The `memory` tool: a model's call in, the answer for the model out, both as JSON values."""
        from vibeos.memory.curated.tool import answer_call

        return answer_call(self.curated, arguments, Origin.AGENT, self._app.catalogue)

    def as_dict(self, result: Result) -> dict[str, Any]:
        """A write's result as JSON values, as the tool would answer it."""
        from vibeos.memory.curated.tool import as_dict

        return as_dict(result, self._app.catalogue)

    def explain(self, result: Result) -> str:
        """What a write did, or why it was refused and what to do, in the person's language."""
        from vibeos.memory.curated.tool import message_of

        message = message_of(result, self._app.catalogue, for_person=True)
        if isinstance(result, Refused):
            return message
        file, usage = result.target.file_name, result.usage
        after = self._app.catalogue.text("status.after", file=file, used=usage.used, limit=usage.limit)
        return f"{message} {after}"

    def snapshot(self) -> Snapshot:
        """Core and User as a new session's system prompt would show them now."""
        from vibeos.memory.curated.snapshot import take_snapshot

        return take_snapshot(self.curated, self._app.catalogue)

    def status(self) -> tuple[StoreStatus, ...]:
        """Both stores: entries, usage, local counters, and what is wrong with them."""
        return tuple(self._status(target) for target in Target)

    def _status(self, target: Target) -> StoreStatus:
        path, enabled = str(path_of(self._app.scope, target)), target in self.curated.settings.targets
        try:
            stored = self.curated.read(target)
        except FileAccessError as error:
            return StoreStatus(target, path, enabled, fault=str(error))
        usage = self.curated.usage(target, stored.entries)
        try:
            counters = load_counters(self._app.scope).of(target)
            changed = self.curated.changed_elsewhere(target, stored)
        except FileAccessError as error:
            return StoreStatus(target, path, enabled, stored.entries, usage, fault=str(error))
        return StoreStatus(target, path, enabled, stored.entries, usage, counters, changed)

    def split(self, target: Target | str, *, dry_run: bool) -> tuple[tuple[str, ...], Result | None]:
        """Make separate entries of hand-written documents; the entries there will be, and the write's result."""
        from vibeos.memory.curated.documents import is_document

        target = _target(target)
        before = self.curated.read(target).entries
        documents = [entry for entry in before if is_document(entry)]
        operations = [operation for entry in documents for operation in _split_operations(entry)]
        pieces = tuple(operation.content for operation in operations if operation.action is Action.ADD)
        if dry_run or not operations:
            return pieces, None
        self.curated.backup(target)
        return pieces, self.apply(target, operations)


def _split_operations(entry: str) -> list[Operation]:
    from vibeos.memory.curated.documents import split_document

    pieces = split_document(entry)
    return [Operation(Action.REMOVE, old_text=entry), *(Operation(Action.ADD, piece) for piece in pieces)]


def _target(name: Target | str) -> Target:
    if name not in list(Target):
        raise NotFoundError(f"there is no store {name!r}", remedy="The stores are 'memory' and 'user'.")
    return Target(name)


def is_refused(result: Result) -> bool:
    """Whether nothing was changed."""
    return isinstance(result, Refused)
