"""The `read` tool: a text file by numbered lines, or the names in a folder.

Any file can be asked for, of any size and kind: a part of it is read at a time, what is no text is named and not shown,
and what would keep a reader waiting (a pipe, a device) is refused.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Any

from vibeos.agent.tools.places import located, missing, path_argument
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.guard.files import refused
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
_SKIPPED_BYTES = 500_000_000  # that are read over to come to a line
_LOOKED_AT = 8_192
_CONTROLS = "[\x00-\x08\x0b-\x1f\x7f]"


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
        target = located(self._place, path)
        if os.path.isdir(target):
            return _listing(path, target)
        with self._opened(path, target) as file:
            head = file.read(_LOOKED_AT)
            file.seek(0)
            if kind := _other_than_text(head):
                size = os.fstat(file.fileno()).st_size
                raise VibeOSError(
                    f"{path!r} is {kind} of {size:,} bytes, not a text file.",
                    remedy="A program run with bash may tell what is in it.",
                )
            return _page(path, file, first, count)

    def _opened(self, path: str, target: str) -> BufferedReader:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            descriptor = os.open(target, flags)
        except FileNotFoundError as error:
            raise missing(self._place, path) from error
        except OSError as error:
            raise refused("read", path, error) from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise VibeOSError(f"{path!r} is a pipe, a socket or a device, not a file; it was not read.")
        return open(descriptor, "rb")


def _number(arguments: Mapping[str, Any], name: str, default: int) -> int:
    value = arguments.get(name, default)
    if type(value) is not int or value < 1:
        raise VibeOSError(f"{name!r} must be a whole number from 1.")
    return value


def _other_than_text(head: bytes) -> str:
    """What a file is that cannot be shown by lines; empty for text in any encoding that leaves ASCII alone."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a text in UTF-16 (iconv converts it)"
    return "a binary file" if b"\0" in head else ""


def _page(path: str, file: BufferedReader, first: int, count: int) -> str:
    shown: list[str] = []
    room, number = PAGE_CHARACTERS, 0
    for number, (line, is_cut) in enumerate(_lines(file), 1):
        if number < first:
            continue
        shown.append(f"{number:6}\t{_as_text(line)}{' [this line is longer; cut here]' if is_cut else ''}")
        room -= len(shown[-1])
        if len(shown) == count or room <= 0:
            more = [f"[the file goes on; read on with offset {number + 1}]"] if file.peek(1) else []
            return "\n".join(shown + more)
    if not number:
        return f"[{path} is empty]"
    if not shown:
        raise VibeOSError(f"{path!r} has {number:,} lines; there is no line {first:,}.")
    return "\n".join(shown)


def _lines(file: BufferedReader) -> Iterator[tuple[bytes, bool]]:
    """Each line without its end, and whether there is more of it than is ever shown. Nothing is read whole."""
    while line := file.readline(LINE_CHARACTERS * 4):
        is_cut = not line.endswith(b"\n") and bool(file.peek(1))
        yield line.rstrip(b"\r\n"), is_cut
        if is_cut:
            _skip_line(file)
        if file.tell() > _SKIPPED_BYTES:
            raise VibeOSError(
                "That line lies more than 500 MB into the file.", remedy="Use bash with tail, sed -n or grep."
            )


def _skip_line(file: BufferedReader) -> None:
    while (rest := file.readline(1_000_000)) and not rest.endswith(b"\n"):
        if file.tell() > _SKIPPED_BYTES:
            return


def _as_text(line: bytes) -> str:
    text = line.decode("utf-8", "replace")[:LINE_CHARACTERS].removeprefix("\ufeff")
    return re.sub(_CONTROLS, lambda match: f"\\x{ord(match[0]):02x}", text)


def _listing(path: str, target: str) -> str:
    try:
        with os.scandir(target) as entries:
            names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in entries)
    except OSError as error:
        raise refused("list", path, error) from error
    shown = [re.sub(_CONTROLS, "?", name) for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        shown.append(f"[{len(names) - MOST_NAMES:,} more names; narrow it with bash and ls]")
    return "\n".join(shown) if shown else f"[{path} is an empty folder]"
