"""The `write` tool: a whole file, whole or not at all. VibeOS's own files are out of reach."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from vibeos.agent.tools.places import path_argument, writable
from vibeos.agent.tools.replacing import replace_file
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.agent.workplace import Workplace

DESCRIPTION = """\
Write a whole text file: a new one, or another text in place of an old one. Missing folders are made. To change a part \
of a file use edit."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Relative to the working folder."},
        "content": {"type": "string", "description": "The whole text of the file."},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}


class WriteTool(SyncTool):
    """Writes for the agent."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(ToolSpec("write", DESCRIPTION, PARAMETERS))
        self._place = place

    def run(self, arguments: Mapping[str, Any]) -> str:
        path, content = path_argument(arguments), arguments.get("content")
        if not isinstance(content, str):
            raise VibeOSError("'content' must be the text of the file.")
        target, data = writable(self._place, path), encoded(content)
        is_new = not os.path.lexists(target)
        replace_file(path, target, data)
        lines = content.count("\n") + (not content.endswith("\n") and bool(content))
        counted = f"{lines:,} line{'' if lines == 1 else 's'}, {len(data):,} bytes"
        return f"{'Wrote' if is_new else 'Wrote over'} {path}: {counted}."


def encoded(text: str) -> bytes:
    """The text as UTF-8; raises VibeOSError where it is none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise VibeOSError(
            "The text holds half of a surrogate pair, which no file can keep. Nothing was written."
        ) from error
