"""The `write` tool: a whole file, whole or not at all. VibeOS's own files are out of reach."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from vibeos.agent.tools.places import path_argument, writable
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.guard.files import atomic_write, refused
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

NEW_FILE = 0o644  # as most people's files; an existing one keeps its mode


class WriteTool(SyncTool):
    """Writes for the agent."""

    def __init__(self, place: Workplace) -> None:
        super().__init__(ToolSpec("write", DESCRIPTION, PARAMETERS))
        self._place = place

    def run(self, arguments: Mapping[str, Any]) -> str:
        path, content = path_argument(arguments), arguments.get("content")
        if not isinstance(content, str):
            raise VibeOSError("'content' must be the text of the file.")
        target = writable(self._place, path)
        if os.path.isdir(target):
            raise VibeOSError(f"{path!r} is a folder; give the path of a file.")
        data = encoded(content)
        is_new = not os.path.lexists(target)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        except OSError as error:
            raise refused("make the folder of", path, error) from error
        atomic_write(target, data, new_mode=NEW_FILE)
        lines = content.count("\n") + (not content.endswith("\n") and bool(content))
        return f"{'Wrote' if is_new else 'Wrote over'} {path}: {lines:,} lines, {len(data):,} bytes."


def encoded(text: str) -> bytes:
    """The text as UTF-8; raises VibeOSError where it is none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise VibeOSError(
            "The text holds half of a surrogate pair, which no file can keep. Nothing was written."
        ) from error
