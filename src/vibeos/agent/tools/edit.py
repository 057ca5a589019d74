"""The `edit` tool: several exact replacements in one file, all of them or none.

Line ends and a byte-order mark stay as the file has them. A file that changed between reading and writing is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.agent.tools.places import missing, path_argument, writable
from vibeos.agent.tools.write import encoded
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.guard.files import atomic_write, read_bytes
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.agent.workplace import Workplace

DESCRIPTION = """\
Change parts of a text file. Each edit replaces 'old_text', which must stand in the file exactly once as you give it \
(white space too), by 'new_text'; with "replace_all" every occurrence is replaced. The edits are done in their order, and \
all of them or none."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Relative to the working folder."},
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "old_text": {"type": "string"},
                    "new_text": {"type": "string"},
                    "replace_all": {"type": "boolean"},
                },
                "required": ["old_text", "new_text"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["path", "edits"],
    "additionalProperties": False,
}

MOST_BYTES = 20_000_000
_SHOWN_PLACES = 5


class _Edit(NamedTuple):
    old: str
    new: str
    everywhere: bool


class EditTool(SyncTool):
    """Edits for the agent."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(ToolSpec("edit", DESCRIPTION, PARAMETERS))
        self._place = place

    def run(self, arguments: Mapping[str, Any]) -> str:
        path, edits = path_argument(arguments), _edits(arguments)
        target = writable(self._place, path)
        before = read_bytes(target, most=MOST_BYTES)
        if before is None:
            raise missing(self._place, path)
        text = _decoded(path, before)
        changed, lines = _applied(text, edits)
        if read_bytes(target, most=MOST_BYTES) != before:
            raise VibeOSError(f"{path!r} was changed by another program just now; nothing was written.")
        atomic_write(target, encoded(changed))
        return (
            f"Edited {path}: {len(edits)} of {len(edits)} edits done, at line {', '.join(map(str, lines))}."
        )


def _edits(arguments: Mapping[str, Any]) -> list[_Edit]:
    given = arguments.get("edits")
    if not isinstance(given, list) or not given:
        raise VibeOSError("'edits' must be a list of objects with 'old_text' and 'new_text'.")
    return [_edit(number, one) for number, one in enumerate(given, 1)]


def _edit(number: int, given: object) -> _Edit:
    if not isinstance(given, dict):
        raise VibeOSError(f"Edit {number} is no object with 'old_text' and 'new_text'.")
    old, new = given.get("old_text"), given.get("new_text")
    everywhere = given.get("replace_all", False)
    if not isinstance(old, str) or not isinstance(new, str) or not isinstance(everywhere, bool):
        raise VibeOSError(f"Edit {number} needs the texts 'old_text' and 'new_text'.")
    if not old:
        raise VibeOSError(f"'old_text' of edit {number} is empty.", remedy="To write a whole file use write.")
    if old == new:
        raise VibeOSError(f"'old_text' and 'new_text' of edit {number} are the same.")
    return _Edit(old, new, everywhere)


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise VibeOSError(
            f"{path!r} is no UTF-8 text (byte {error.start:,}), so it cannot be edited without loss.",
            remedy="Convert it with bash and iconv first, or change it with a program of its own.",
        ) from error


def _applied(text: str, edits: list[_Edit]) -> tuple[str, list[int]]:
    """The text after all edits, and the line at which each was done."""
    lines = []
    for number, edit in enumerate(edits, 1):
        old, new = edit.old, edit.new
        if "\r\n" in text and "\r" not in old:  # the model sees no carriage returns, the file keeps them
            old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
        places = _places(text, old)
        if not places:
            raise _not_found(number, edit, text)
        if len(places) > 1 and not edit.everywhere:
            raise _not_unique(number, edit, text, places)
        lines.append(_line_at(text, places[0]))
        text = text.replace(old, new)
    return text, lines


def _places(text: str, old: str) -> list[int]:
    found, place = [], text.find(old)
    while place >= 0:
        found.append(place)
        place = text.find(old, place + len(old))
    return found


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _not_found(number: int, edit: _Edit, text: str) -> VibeOSError:
    said = (
        f"'old_text' of edit {number} does not stand in the file: {preview(edit.old)!r}. Nothing was changed."
    )
    first = edit.old.strip().partition("\n")[0].strip()
    for line_number, line in enumerate(text.splitlines(), 1):
        if first and line.strip() == first:
            return VibeOSError(
                said, remedy=f"It is like line {line_number}, but for white space; read it there."
            )
    return VibeOSError(said, remedy="Read the file as it is now, and copy the text exactly.")


def _not_unique(number: int, edit: _Edit, text: str, places: list[int]) -> VibeOSError:
    lines = ", ".join(str(_line_at(text, place)) for place in places[:_SHOWN_PLACES])
    more = " and more" if len(places) > _SHOWN_PLACES else ""
    return VibeOSError(
        f"'old_text' of edit {number} stands {len(places)} times in the file, at lines {lines}{more}: "
        f"{preview(edit.old)!r}. Nothing was changed.",
        remedy='Give more of the text around it, or "replace_all": true.',
    )
