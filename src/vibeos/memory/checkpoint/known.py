"""What the program knows of a conversation without asking a model: files, saves to memory, a log of what was done.

It is read from the calls and results that leave the context, and grows from checkpoint to checkpoint within fixed bounds.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from vibeos.ports.models import outcomes_in, tool_calls
from vibeos.record.context import ContextKind
from vibeos.values.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vibeos.memory.checkpoint.context import Element
    from vibeos.ports.models.tools import ToolCall, ToolOutcome

MOST_MODIFIED, MOST_READ = 10, 5
MOST_SAVED = 20
_CHANGING, _READING, _MEMORY = ("write", "edit"), ("read",), "memory"
_STORES = {"memory": "Core", "user": "User"}
_PATH, _LINE = 200, 160
_MOST_LOGGED = 40


@dataclass(frozen=True, slots=True)
class Known:
    """Bounded lists, the newest first. `log`: tool, what it was done to, how often; filled by drops alone."""

    modified: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    more_modified: int = 0
    more_read: int = 0
    saved: tuple[str, ...] = ()
    log: tuple[tuple[str, str, int], ...] = ()
    kept: tuple[int, ...] = ()

    def dump(self) -> str:
        """As JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def load(cls, text: str) -> Known:
        """What `dump` wrote."""
        held: dict[str, Any] = json.loads(text)
        lists = {
            name: tuple(tuple(one) if isinstance(one, list) else one for one in value)
            for name, value in held.items()
            if isinstance(value, list)
        }
        return cls(**{**held, **lists})


def grown(before: Known, moved: Sequence[Element], *, kept: tuple[int, ...], with_log: bool) -> Known:
    """What is known after these elements have left; `with_log`: no model noted what was done in them."""
    done = list(_done(moved))
    modified, more_modified = _newest(
        before.modified, _paths(done, _CHANGING), before.more_modified, MOST_MODIFIED
    )
    read, more_read = _newest(before.read, _paths(done, _READING), before.more_read, MOST_READ)
    saved = [line for call, _ in done if call.name == _MEMORY for line in _saves(call)]
    return Known(
        modified=modified,
        read=read,
        more_modified=more_modified,
        more_read=more_read,
        saved=(*before.saved, *saved)[-MOST_SAVED:],
        log=_logged(before.log, moved) if with_log else (),
        kept=kept,
    )


def _calls(moved: Sequence[Element]) -> Iterator[tuple[ToolCall, ToolOutcome]]:
    calls: dict[str, ToolCall] = {}
    for element in moved:
        if element.row.kind is ContextKind.RESPONSE:
            calls = {call.call_id: call for call in tool_calls(element.message)}  # type: ignore[arg-type]
        elif element.row.kind is ContextKind.RESULTS:
            for outcome in outcomes_in(element.message):  # type: ignore[arg-type]
                if outcome.call_id in calls:
                    yield calls[outcome.call_id], outcome


def _done(moved: Sequence[Element]) -> Iterator[tuple[ToolCall, ToolOutcome]]:
    """The calls that did what they were to do."""
    return ((call, outcome) for call, outcome in _calls(moved) if not _has_failed(call, outcome))


def _has_failed(call: ToolCall, outcome: ToolOutcome) -> bool:
    """Our tools answer a call that could not be done with a JSON object that says so; `memory` always with one."""
    if not outcome.content.startswith("{"):
        return call.name == _MEMORY
    try:
        answer = json.loads(outcome.content)
    except (ValueError, RecursionError):
        return call.name == _MEMORY
    if not isinstance(answer, dict):
        return False
    if call.name == _MEMORY:
        return answer.get("success") is not True or bool(answer.get("staged") or answer.get("pending"))
    return answer.get("success") is False


def _paths(done: Sequence[tuple[ToolCall, ToolOutcome]], tools: tuple[str, ...]) -> list[str]:
    paths = [(call.parsed() or {}).get("path") for call, _ in done if call.name in tools]
    return [one_line(path, _PATH) for path in paths if isinstance(path, str) and path.strip()]


def _newest(
    before: tuple[str, ...], paths: Sequence[str], more: int, most: int
) -> tuple[tuple[str, ...], int]:
    found = list(dict.fromkeys([*reversed(paths), *before]))
    return tuple(found[:most]), more + max(0, len(found) - most)


def _saves(call: ToolCall) -> Iterator[str]:
    arguments = call.parsed() or {}
    store = _STORES.get(str(arguments.get("target")), "")
    operations = arguments.get("operations")
    for one in operations if isinstance(operations, list) else [arguments]:
        if isinstance(one, dict) and store:
            text = one.get("content") or one.get("old_text") or ""
            yield f"{store}, {one_line(str(one.get('action')), 10)}: {one_line(str(text), _LINE)}"


def _logged(
    before: tuple[tuple[str, str, int], ...], moved: Sequence[Element]
) -> tuple[tuple[str, str, int], ...]:
    counts = Counter({(tool, what): count for tool, what, count in before})
    for call, _ in _calls(moved):
        counts[one_line(call.name, 40), _subject(call)] += 1
    lines = [(tool, what, count) for (tool, what), count in counts.items()]
    if len(lines) <= _MOST_LOGGED:
        return tuple(lines)
    folded: Counter[str] = Counter()
    for tool, _, count in lines[: len(lines) - _MOST_LOGGED]:
        folded[tool] += count
    kept = Counter({(tool, what): count for tool, what, count in lines[-_MOST_LOGGED:]})
    for tool, count in folded.items():
        kept[tool, "(others)"] += count
    return tuple((tool, what, count) for (tool, what), count in kept.items())


def _subject(call: ToolCall) -> str:
    """What a call was about: a path, or which program a command runs (what follows may hold a secret)."""
    arguments = call.parsed() or {}
    path, command = arguments.get("path"), arguments.get("command")
    if isinstance(path, str):
        return one_line(path, 60)
    words = command[:1_000].split() if isinstance(command, str) else []
    return one_line(next((word for word in words if "=" not in word), ""), 40)
