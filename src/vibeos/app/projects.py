"""Verbs over projects. A session's project is the nearest folder above it that is bound or is a git root."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from vibeos.app.vibeos import VibeOS


class ProjectVerbs:
    """What a person or a program may do with projects."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def current(self) -> str:
        """The project of the folder that the program runs in; empty for none, or when that folder is gone."""
        return "" if not self._app.environment.folder else self.of(Path(self._app.environment.folder))

    def of(self, folder: Path) -> str:
        """The project that this folder belongs to; empty for none."""
        from vibeos.record import project_of

        return project_of(folder, self._app.record.projects.list())

    def bind(self, folder: Path) -> str:
        """Make this folder a project of its own; gives its full path."""
        self._app.environment.require_person("change which folders are projects")
        if not folder.is_dir():
            raise NotFoundError(
                f"{str(folder)!r} is not a folder", remedy="Give the path of a folder that exists."
            )
        return self._app.record.projects.bind(folder)

    def unbind(self, folder: Path) -> bool:
        """Undo `bind`; whether the folder was bound."""
        self._app.environment.require_person("change which folders are projects")
        return self._app.record.projects.unbind(folder)

    def list(self) -> tuple[str, ...]:
        """The folders that are bound."""
        return self._app.record.projects.list()
