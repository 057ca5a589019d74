"""The `edit` tool: several exact replacements in one file, all of them or none.

Line ends and a byte-order mark stay as the file has them. A file that changed between reading and writing is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vibeos.agent.tools.places import denied, name_of, opened, path_argument, writable
from vibeos.agent.tools.replacing import replace_file
from vibeos.agent.tools.write import encoded
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import VibeOSError
from vibeos.values.text_edits import apply_edits, edits_in

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


class EditTool(SyncTool):
    """Edits for the agent."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(ToolSpec("edit", DESCRIPTION, PARAMETERS))
        self._place = place

    def run(self, arguments: Mapping[str, Any]) -> str:
        path, edits = path_argument(arguments), edits_in(arguments)
        target = writable(self._place, path)
        before = self._read(path, target)
        changed, done = apply_edits(_decoded(path, before), edits)
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


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise VibeOSError(
            f"{name_of(path)} is no UTF-8 text (byte {error.start:,}), so it cannot be edited without loss.",
            remedy="Convert it with bash and iconv first, or change it with a program of its own.",
        ) from error
