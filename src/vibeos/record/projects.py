"""Projects: a session belongs to the git root of the folder it began in, to a folder that was bound, or to none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.record.exact import cleaned
from vibeos.values.clock import Clock, stamp, system_clock
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from vibeos.ports.store import Database


class Projects:
    """The folders that a person bound."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    def bind(self, path: Path) -> str:
        """Make a folder a project; its resolved path. Binding twice is no error. Raises NotFoundError."""
        if not path.is_dir():
            raise NotFoundError(
                f"{str(path)!r} is not a folder.", remedy="Only a folder that exists can be bound."
            )
        place = _place(path)
        with self._database.write() as transaction:
            transaction.run("bind_project", path=place, now=stamp(self._clock()))
        return place

    def unbind(self, path: Path) -> bool:
        """Undo `bind`; False if the folder was not bound. It need not exist any more."""
        with self._database.write() as transaction:
            return transaction.run("unbind_project", path=_place(path)) > 0

    def list(self) -> tuple[str, ...]:
        """The bound folders, by name."""
        with self._database.read() as transaction:
            return tuple(row["path"] for row in transaction.all("list_projects"))


def project_of(folder: Path, bound: Collection[str]) -> str:
    """The nearest folder from `folder` upwards that is bound or is a git root; empty if there is none."""
    resolved = folder.resolve()
    for ancestor in (resolved, *resolved.parents):
        if _place(ancestor) in bound or _is_git_root(ancestor):
            return _place(ancestor)
    return ""


def _place(path: Path) -> str:
    return cleaned(str(path.resolve()))


def _is_git_root(folder: Path) -> bool:
    try:
        return (folder / ".git").exists()  # a folder, or in a worktree a file
    except OSError:  # a folder that may not be entered
        return False
