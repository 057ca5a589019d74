"""The `edit` tool: several exact replacements in one file, all of them or none.

Line ends and a byte-order mark stay as the file has them. A file that changed between reading and writing is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.agent.tools.places import denied, name_of, opened, path_argument, writable
from vibeos.agent.tools.replacing import replace_file
from vibeos.agent.tools.write import encoded
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        before = self._read(path, target)
        changed, done = _applied(_decoded(path, before), edits)
        if self._read(path, target) != before:
            raise VibeOSError(
                f"{name_of(path)} was changed by another program just now; nothing was written.",
                remedy="Read it again, then edit it.",
            )
        replace_file(path, target, encoded(changed))
        return f"Edited {path}: {'; '.join(done)}."

    def _read(self, path: str, target: str) -> bytes:
        try:
            with opened(self._place, path, target) as file:
                data = file.read(MOST_BYTES + 1) or b""  # nothing comes at once from some files of the system
        except OSError as error:
            raise denied("read", path, error) from error
        if len(data) > MOST_BYTES:
            raise VibeOSError(
                f"{name_of(path)} has more than {MOST_BYTES:,} bytes, the most that edit takes.",
                remedy="Change it with bash, for example with sed -i or a short program.",
            )
        return data


def _edits(arguments: Mapping[str, Any]) -> list[_Edit]:
    given = arguments.get("edits")
    if not isinstance(given, list) or not given:
        raise VibeOSError("'edits' must be a list of objects with 'old_text' and 'new_text'.")
    return [_edit(number, one) for number, one in enumerate(given, 1)]


def _edit(number: int, given: object) -> _Edit:
    if not isinstance(given, dict):
        raise VibeOSError(f"Edit {number} is no object with 'old_text' and 'new_text'.")
    old, new = given.get("old_text"), given.get("new_text")
    everywhere = given.get("replace_all") or False
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
            f"{name_of(path)} is no UTF-8 text (byte {error.start:,}), so it cannot be edited without loss.",
            remedy="Convert it with bash and iconv first, or change it with a program of its own.",
        ) from error


def _applied(text: str, edits: list[_Edit]) -> tuple[str, list[str]]:
    """The text after all edits, and a line that tells of each."""
    told = []
    for number, edit in enumerate(edits, 1):
        old, new = next(((old, new) for old, new in _spellings(text, edit) if old in text), (edit.old, ""))
        count = text.count(old)
        if not count:
            raise _not_found(number, edit, text)
        if count > 1 and not edit.everywhere:
            raise _not_unique(number, edit, count, _lines_of(text, old))
        if len(text) + count * (len(new) - len(old)) > MOST_BYTES:
            raise VibeOSError(
                f"After edit {number} the file would have more than {MOST_BYTES:,} characters, the most that edit takes."
                " Nothing was changed."
            )
        told.append(_told(number, count, _lines_of(text, old), old, new))
        text = text.replace(old, new)
    return text, told


def _spellings(text: str, edit: _Edit) -> Iterator[tuple[str, str]]:
    """The edit with the line ends that most lines of the file have, then with the other ones.

    A model sees no carriage returns, the file keeps them. One that names them means what it says.
    """
    if "\r" in edit.old or "\r\n" not in text:
        yield edit.old, edit.new
        return
    new = edit.new.replace("\r\n", "\n")
    plain, returned = (edit.old, new), (edit.old.replace("\n", "\r\n"), new.replace("\n", "\r\n"))
    mostly_returned = 2 * text.count("\r\n") >= text.count("\n")
    yield from (returned, plain) if mostly_returned else (plain, returned)


def _lines_of(text: str, old: str) -> str:
    """The numbers of the lines at which it stands, the first few."""
    found: list[str] = []
    place = text.find(old)
    while place >= 0 and len(found) < _SHOWN_PLACES:
        found.append(str(_line_at(text, place)))
        place = text.find(old, place + len(old))
    return ", ".join(found) + (" and more" if place >= 0 else "")


def _told(number: int, count: int, lines: str, old: str, new: str) -> str:
    before, after = old.count("\n") + 1, new.count("\n") + 1
    grown = f" (each from {before} to {after} lines)" if before != after else ""
    places = f"line {lines}" if count == 1 else f"{count:,} places, lines {lines}"
    return f"edit {number} at {places}{grown.replace('each ', '') if count == 1 else grown}"


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


def _not_unique(number: int, edit: _Edit, count: int, lines: str) -> VibeOSError:
    return VibeOSError(
        f"'old_text' of edit {number} stands {count:,} times in the file, at lines {lines}: "
        f"{preview(edit.old)!r}. Nothing was changed.",
        remedy='Give more of the text around it, or "replace_all": true.',
    )
