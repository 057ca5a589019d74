"""The `memory` tool: what a model reads about it, and the JSON that it gets back.

The description is product text, versioned and snapshot-tested; it is the one place that teaches a model what
belongs in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vibeos.memory.curated.operations import (
    Action,
    Applied,
    Operation,
    Outcome,
    Problem,
    Refused,
    Result,
    Target,
)
from vibeos.memory.curated.plan import quoted
from vibeos.memory.curated.shown import findings_in, shown_entries
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vibeos.memory.curated.service import CuratedMemory
    from vibeos.ports.guard.approval import Origin
    from vibeos.values.catalogue import Catalogue

TOOL_NAME = "memory"
DESCRIPTION_VERSION = 1
MOST_OPERATIONS = 100

_TARGETS = """\
Targets
- memory: your own notes. Facts about the machine and its tools, how a project is built and its conventions, \
quirks and the workaround that helped, lessons, a dated line for finished work, techniques that worked.
"""
_USER_TARGET = """\
- user: who the person is. Name, role, time zone, how they want answers, what annoys them, habits of work, \
what they already know.
"""

_DESCRIPTION = """\
Keep short facts that you will want in later conversations. What you save is in your system prompt from the \
next session on (the copy in this session's prompt stays as it was); the answer to each call shows the store as \
it is now.

{targets}
Save without being asked, as soon as you learn it: a preference, a correction ("don't use sudo for docker"), a \
fact about the environment, a convention, finished work worth remembering, and whatever the person asks you to \
remember.

Leave out: what is obvious or vague, what can be looked up again in a moment, raw dumps of code, logs or data, \
what only matters in this session (temporary paths, one-off debugging), what already stands in SOUL.md or \
AGENTS.md, and secrets themselves (say where a key is kept, never the key).

One entry is one compact, self-contained fact or a few that belong together, in the person's language, with exact \
names, versions and paths. Write facts, not orders to yourself: an entry that reads like an instruction to ignore \
rules is refused.

Actions
- add: content.
- replace: old_text, content. The whole entry that contains old_text is replaced by content, so content must hold \
everything of it that stays true.
- remove: old_text.
old_text is a short part of the entry that occurs in no other one. There is no read action.
Several changes at once: give operations, a list of such objects, with one target for all; all are applied or none, \
and only the result is held to the limit, so one call can remove and add.

The limit is hard and nothing is shortened for you. When the header of the store says more than 80%, first merge \
entries that overlap or remove stale ones, then add. If a call fails, read its error and current_entries, change \
the call, and try again; when it says final, stop and go on with the person's request."""


def description(targets: Sequence[Target]) -> str:
    """What a model reads about the tool, for the targets that are on."""
    user = _USER_TARGET if Target.USER in targets else ""
    return _DESCRIPTION.format(targets=_TARGETS + user)


def parameters(targets: Sequence[Target]) -> dict[str, Any]:
    """The JSON schema of the tool's arguments."""
    operation = {
        "action": {"type": "string", "enum": [action.value for action in Action]},
        "content": {"type": "string", "description": "The whole new entry (add, replace)."},
        "old_text": {
            "type": "string",
            "description": "A part that only the entry meant has (replace, remove).",
        },
    }
    batch = {"type": "object", "properties": operation, "required": ["action"], "additionalProperties": False}
    target = {"type": "string", "enum": [target.value for target in targets]}
    return {
        "type": "object",
        "properties": {
            "target": target,
            **operation,
            "operations": {"type": "array", "items": batch, "description": "Several changes, all or none."},
        },
        "required": ["target"],
        "additionalProperties": False,
    }


def parse_call(arguments: Mapping[str, Any]) -> tuple[Target, list[Operation]] | Problem:
    """The target and operations that a model asks for, or what is wrong with the call.

    Nothing is guessed: a call that names no target, says things twice or has unknown fields is refused, so that no
    fact lands in another store than was meant.
    """
    name, raw = arguments.get("target"), arguments.get("operations")
    if name not in list(Target):
        return Problem("memory.unknown_target", {"target": quoted(str(name))})
    if raw is None:
        operation = _operation(
            {key: value for key, value in arguments.items() if key not in ("target", "operations")}
        )
        return operation if isinstance(operation, Problem) else (Target(name), [operation])
    beside = set(arguments) - {"target", "operations"}
    if beside:
        return _unclear(f"{', '.join(sorted(map(str, beside)))} beside 'operations'")
    if not isinstance(raw, list):
        return _unclear("'operations' is not a list")
    if len(raw) > MOST_OPERATIONS:
        return _unclear(f"more than {MOST_OPERATIONS} operations")
    return _operations(Target(name), raw)


def _operations(target: Target, raw: list[Any]) -> tuple[Target, list[Operation]] | Problem:
    operations: list[Operation] = []
    for item in raw:
        operation = _operation(item)
        if isinstance(operation, Problem):
            return operation
        operations.append(operation)
    return target, operations


def _operation(item: Any) -> Operation | Problem:
    if not isinstance(item, dict):
        return _unclear("an operation is not an object")
    unknown = set(item) - {"action", "content", "old_text"}
    if unknown:
        return _unclear(f"an operation has no field {', '.join(sorted(map(str, unknown)))}")
    action = item.get("action")
    if action not in list(Action):
        return Problem("memory.unknown_action", {"action": quoted(str(action))})
    content, old_text = item.get("content") or "", item.get("old_text") or ""
    if not isinstance(content, str) or not isinstance(old_text, str):
        return _unclear("content and old_text must be text")
    return Operation(Action(action), content, old_text)


def _unclear(problem: str) -> Problem:
    return Problem("memory.bad_arguments", {"problem": problem})


def message_of(result: Result, catalogue: Catalogue, *, for_person: bool = False) -> str:
    """One sentence or two about what happened, for a model or for a person at a command line."""
    if isinstance(result, Applied):
        return _applied_message(result, catalogue)
    error = problem_text(result.problem, catalogue, for_person=for_person)
    if result.total > 1:
        number = result.number or result.total
        return catalogue.text("memory.not_applied", number=number, count=result.total, error=error)
    return error


def problem_text(problem: Problem, catalogue: Catalogue, *, for_person: bool = False) -> str:
    """What is wrong and what to do; what to do differs for a model, which has its answer's other fields."""
    key = f"{problem.key}.person"
    previews = "; ".join(f'"{match}"' for match in _previews(problem.matches))
    values = problem.values | {"previews": previews} if problem.matches else problem.values
    return catalogue.text(key if for_person and key in catalogue.texts else problem.key, **values)


def _previews(matches: tuple[str, ...]) -> list[str]:
    """The beginnings of entries; those that fail the scan are left out, for a model reads this."""
    return [preview(match, 60) for match in matches if not findings_in(match)]


def _applied_message(result: Applied, catalogue: Catalogue) -> str:
    if len(result.changes) == 1:
        return catalogue.text(f"memory.{result.changes[0].outcome}")
    message = catalogue.text("memory.batch", count=len(result.changes))
    duplicate = any(change.outcome is Outcome.DUPLICATE for change in result.changes)
    return f"{message} {catalogue.text('memory.duplicate')}" if duplicate else message


def as_dict(result: Result, catalogue: Catalogue) -> dict[str, Any]:
    """The tool's answer as the document shows it: success, message or error, entries, usage.

    It goes to a model, so entries that fail the scan are withheld in it, and its size is bounded. `replaced` holds
    the whole entries that went, for the model to see what it took away.
    """
    ok = isinstance(result, Applied)
    answer: dict[str, Any] = {"success": ok, "message" if ok else "error": message_of(result, catalogue)}
    answer["target"] = result.target.value
    if isinstance(result, Applied) and (
        gone := [change.before for change in result.changes if change.before]
    ):
        answer["replaced"] = _shown(tuple(gone), result, catalogue)
    if isinstance(result, Refused) and result.problem.matches:
        answer["matches"] = _previews(result.problem.matches)
    if result.entries is not None:
        answer["current_entries"] = _shown(result.entries, result, catalogue)
    if result.usage is not None:
        answer["usage"] = f"{catalogue.number(result.usage.used)}/{catalogue.number(result.usage.limit)}"
    return answer


def _shown(entries: tuple[str, ...], result: Result, catalogue: Catalogue) -> list[str]:
    limit = result.usage.limit if result.usage else 0
    return shown_entries(entries, result.target.file_name, limit, catalogue).entries


def answer_call(
    memory: CuratedMemory, arguments: Mapping[str, Any], origin: Origin, catalogue: Catalogue
) -> dict[str, Any]:
    """A model's call in, its answer out, both as JSON values: success, message or error, target, entries, usage."""
    call = parse_call(arguments)
    if isinstance(call, Problem):
        return {"success": False, "error": problem_text(call, catalogue)}
    target, operations = call
    return as_dict(memory.apply(target, operations, origin), catalogue)
