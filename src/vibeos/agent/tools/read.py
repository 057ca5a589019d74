"""The `read` tool: a text file by numbered lines, or the names in a folder.

Any file can be asked for, of any size and kind: a part of it is read at a time, what is no text is named and not shown,
and what would keep a reader waiting (a pipe, a device) is refused.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.agent.tools.places import denied, name_of, opened, path_argument, readable
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedReader

    from vibeos.agent.workplace import Workplace

DESCRIPTION = """\
Read a text file, or list a folder. Lines come with their numbers. A long file comes in parts: go on with 'offset' \
(the first line) and 'limit' (how many lines). Read a file before you edit it."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "A file or a folder; relative to the working folder."},
        "offset": {"type": "integer", "minimum": 1, "description": "The first line, from 1."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 5_000, "description": "Default 1000."},
    },
    "required": ["path"],
    "additionalProperties": False,
}

LINES = 1_000
MOST_LINES = 5_000
PAGE_CHARACTERS = 40_000
LINE_CHARACTERS = 2_000
MOST_NAMES = 500
_LINE_BYTES = (
    LINE_CHARACTERS * 4 + 5
)  # whole, with a mark of byte order and its end, if it is no longer than that
_SKIPPED_BYTES = 500_000_000  # that are read over to come to a line
_LOOKED_AT = 8_192
_FAR_REMEDY = "Use bash with tail, sed -n or grep."
_CONTROLS = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_NOT_IN_A_NAME = "[\x00-\x1f\x7f-\x9f]"
_BROKEN = "\ufffd"


class ReadTool(SyncTool):
    """Reads for the agent."""

    side_by_side = True

    def __init__(self, place: Workplace) -> None:
        super().__init__(ToolSpec("read", DESCRIPTION, PARAMETERS))
        self._place = place

    def run(self, arguments: Mapping[str, Any]) -> str:
        path = path_argument(arguments)
        first = _number(arguments, "offset", 1)
        count = min(_number(arguments, "limit", LINES), MOST_LINES)
        target = readable(self._place, path)
        if os.path.isdir(target):
            return _listing(path, target)
        try:
            with opened(self._place, path, target) as file:
                if kind := _other_than_text(file.peek(_LOOKED_AT)[:_LOOKED_AT]):
                    size = os.fstat(file.fileno()).st_size
                    raise VibeOSError(
                        f"{name_of(path)} is {kind} of {size:,} bytes, not a text file.",
                        remedy="A program run with bash may tell what is in it.",
                    )
                return _page(path, file, first, count)
        except OSError as error:  # the disk, or a file of the system that is none
            raise denied("read", path, error) from error


class _TooFarError(Exception):
    """The next line lies further into the file than is read over."""


class _Line(NamedTuple):
    """A line as it is shown. `is_cut`: there is more of it; `end` is its end in the file."""

    text: str
    is_cut: bool
    is_broken: bool
    end: bytes


def _number(arguments: Mapping[str, Any], name: str, default: int) -> int:
    value = arguments.get(name)
    if value is None:  # some models send every field
        return default
    if type(value) is not int or value < 1:
        raise VibeOSError(f"{name!r} must be a whole number from 1.")
    return value


def _other_than_text(head: bytes) -> str:
    """What a file is that cannot be shown by lines; empty for text in any encoding that leaves ASCII alone."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a text in UTF-16 (iconv converts it)"
    return "a binary file" if b"\0" in head else ""


def _page(path: str, file: BufferedReader, first: int, count: int) -> str:
    shown: list[_Line] = []
    room, number, more = PAGE_CHARACTERS, 0, ""
    try:
        for number, (data, is_part) in enumerate(_lines(file), 1):
            if number < first:
                continue
            line = _line(data, is_part=is_part)
            shown.append(line)
            room -= len(line.text)
            if len(shown) == count or room <= 0:
                more = f"[the file goes on; read on with offset {number + 1}]" if _goes_on(line, file) else ""
                break
    except _TooFarError as error:
        if not shown:
            raise VibeOSError(
                f"Line {first:,} lies more than 500 MB into the file.", remedy=_FAR_REMEDY
            ) from error
        more = f"[what follows lies more than 500 MB into the file. {_FAR_REMEDY}]"
    if not number:
        return f"[{path} is empty]"
    if not shown:
        raise VibeOSError(f"{name_of(path)} has {number:,} lines; there is no line {first:,}.")
    numbered = (f"{first + at:6}\t{_with_mark(line)}" for at, line in enumerate(shown))
    return "\n".join((*numbered, *_remarks(shown, first), *filter(None, [more])))


def _goes_on(line: _Line, file: BufferedReader) -> bool:
    """Whether another line comes behind this one, of which the rest may still stand in the file."""
    if not line.end:
        _skip_line(file)
    return bool(file.peek(1))


def _with_mark(line: _Line) -> str:
    return f"{line.text} [this line is longer; cut here]" if line.is_cut else line.text


def _remarks(shown: list[_Line], first: int) -> Iterator[str]:
    """What the lines do not tell of themselves."""
    cut = next((first + at for at, line in enumerate(shown) if line.is_cut), None)
    if cut is not None:
        yield (
            f"[lines are shown up to {LINE_CHARACTERS:,} characters; for the rest of line {cut} use bash with "
            f"`sed -n {cut}p` and `cut -c{LINE_CHARACTERS + 1}-`]"
        )
    if any(line.is_broken for line in shown):
        yield f"[some bytes are no UTF-8 and are shown as {_BROKEN}; `file` may tell the encoding, iconv converts it]"
    if any(line.end == b"\r\n" for line in shown):
        yield "[its lines end in CRLF; edit keeps them so]"


def _lines(file: BufferedReader) -> Iterator[tuple[bytes, bool]]:
    """Each line, or as much of it as is ever shown and that it is a part. Nothing is read whole; raises _TooFarError."""
    while data := file.readline(_LINE_BYTES):
        is_part = not data.endswith(b"\n") and bool(file.peek(1))
        yield data, is_part
        if is_part:
            _skip_line(file)
        if file.tell() > _SKIPPED_BYTES:
            raise _TooFarError


def _line(data: bytes, *, is_part: bool) -> _Line:
    stripped = data.rstrip(b"\r\n")
    text = stripped.decode("utf-8", "replace").removeprefix("\ufeff")
    head = text[:LINE_CHARACTERS]
    return _Line(
        text=re.sub(_CONTROLS, lambda match: f"\\x{ord(match[0]):02x}", head),
        is_cut=is_part or len(text) > LINE_CHARACTERS,
        is_broken=_BROKEN in head and _BROKEN.encode() not in stripped,
        end=data[len(stripped) :],
    )


def _skip_line(file: BufferedReader) -> None:
    while (rest := file.readline(1_000_000)) and not rest.endswith(b"\n"):
        if file.tell() > _SKIPPED_BYTES:
            raise _TooFarError


def _listing(path: str, target: str) -> str:
    try:
        with os.scandir(target) as entries:
            names = sorted(_entry(one) for one in entries)
    except OSError as error:
        raise denied("list", path, error) from error
    shown = names[:MOST_NAMES]
    if len(names) > MOST_NAMES:
        shown.append(f"[{len(names) - MOST_NAMES:,} more names; narrow it with bash and ls]")
    return "\n".join(shown) if shown else f"[{path} is an empty folder]"


def _entry(entry: os.DirEntry[str]) -> str:
    """A name, with a slash behind a folder's; what is no text in it is made harmless."""
    try:
        is_folder = entry.is_dir()
    except OSError:  # a link in a circle must not hide its neighbours
        is_folder = False
    name = os.fsencode(entry.name).decode("utf-8", "replace")
    return re.sub(_NOT_IN_A_NAME, "?", name) + "/" * is_folder
