"""Operations on entries as a pure function: the same entries and operations always give the same plan.

A batch is all or nothing, and only its final state is held to the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.curated.entries import clean, fault_of, length
from vibeos.memory.curated.operations import Action, Change, Operation, Outcome, Problem
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN_MATCHES = 5


class Plan(NamedTuple):
    """What the store would hold, and what each operation does."""

    entries: tuple[str, ...]
    changes: tuple[Change, ...]


class Fault(NamedTuple):
    """Operation `number` (from 1) cannot be done; 0 when it is the final state that cannot be."""

    number: int
    problem: Problem


def make_plan(entries: tuple[str, ...], operations: Sequence[Operation], limit: int) -> Plan | Fault:
    """Apply the operations in order to `entries`, then hold the final state to `limit` characters."""
    state = entries
    changes: list[Change] = []
    for number, operation in enumerate(operations, start=1):
        step = _step(state, operation)
        if isinstance(step, Problem):
            return Fault(number, step)
        state, change = step
        changes.append(change)
    overflow = _overflow(entries, state, changes, limit)
    return Fault(0, overflow) if overflow else Plan(state, tuple(changes))


def _step(entries: tuple[str, ...], operation: Operation) -> tuple[tuple[str, ...], Change] | Problem:
    match operation.action:
        case Action.ADD:
            return _add(entries, clean(operation.content))
        case Action.REPLACE:
            return _replace(entries, operation.old_text, clean(operation.content))
        case Action.REMOVE:
            return _remove(entries, operation.old_text)


def _add(entries: tuple[str, ...], content: str) -> tuple[tuple[str, ...], Change] | Problem:
    if key := fault_of(content):
        return Problem(key)
    if content in entries:
        return entries, Change(Outcome.DUPLICATE, after=content)
    return (*entries, content), Change(Outcome.ADDED, after=content)


def _replace(
    entries: tuple[str, ...], old_text: str, content: str
) -> tuple[tuple[str, ...], Change] | Problem:
    if key := fault_of(content):
        return Problem(key)
    index = find(entries, old_text)
    if isinstance(index, Problem):
        return index
    before = entries[index]
    others = entries[:index] + entries[index + 1 :]
    if content in others:
        return others, Change(Outcome.MERGED, before=before, after=content)
    return (*entries[:index], content, *entries[index + 1 :]), Change(
        Outcome.REPLACED, before=before, after=content
    )


def _remove(entries: tuple[str, ...], old_text: str) -> tuple[tuple[str, ...], Change] | Problem:
    index = find(entries, old_text)
    if isinstance(index, Problem):
        return index
    return entries[:index] + entries[index + 1 :], Change(Outcome.REMOVED, before=entries[index])


def find(entries: tuple[str, ...], old_text: str) -> int | Problem:
    """The index of the one entry that equals or contains `old_text`, or the problem.

    A text that equals a whole entry means that entry, though others contain it. A part of what looks like a
    hand-written document means nothing: its other lines would be lost unseen.
    """
    wanted = clean(old_text)
    if not wanted:
        return Problem("memory.empty_old_text")
    if wanted in entries:
        return entries.index(wanted)
    matches = [index for index, entry in enumerate(entries) if wanted in entry]
    if len(matches) > 1:
        return _ambiguous(wanted, [entries[index] for index in matches])
    if not matches:
        return Problem("memory.no_match", {"old_text": quoted(wanted)})
    from vibeos.memory.curated.documents import is_document  # noqa: PLC0415 - adding needs none of it

    entry = entries[matches[0]]
    if is_document(entry):
        return Problem("memory.document", {"old_text": quoted(wanted), "lines": entry.count("\n") + 1})
    return matches[0]


def _ambiguous(wanted: str, matches: list[str]) -> Problem:
    return Problem(
        "memory.ambiguous",
        {"count": len(matches), "old_text": quoted(wanted)},
        tuple(matches[:_SHOWN_MATCHES]),
    )


def quoted(text: str) -> str:
    """A short form of a text, in quotation marks, for messages."""
    return f'"{preview(text, 60)}"'


def _overflow(
    before: tuple[str, ...], after: tuple[str, ...], changes: list[Change], limit: int
) -> Problem | None:
    used, would = length(before), length(after)
    # A change that does not make an overfull store larger is a way out of it, so it is never refused.
    if would <= limit or would <= used:
        return None
    values: dict[str, object] = {"used": used, "limit": limit, "would": would}
    if len(changes) == 1 and changes[0].outcome is Outcome.ADDED:
        return Problem("memory.overflow_add", values | {"size": len(changes[0].after)})
    return Problem("memory.overflow", values)
