"""The folder of a conversation outside of a home: its record, and places for a checkpoint's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vibeos.ports.guard.files import ensure_folder
from vibeos.record import open_record

if TYPE_CHECKING:
    from vibeos.record import Record, Session


class OwnFolder(NamedTuple):
    """An open one; whoever opened it closes the record."""

    path: Path
    record: Record
    session: Session

    @property
    def scratch(self) -> str:
        """Where a checkpoint turn's two files lie while it runs."""
        return str(self.path / "scratch" / self.session.id)

    @property
    def copies(self) -> str:
        """Where whole minds are kept that are shown cut."""
        return str(self.path / "checkpoints" / self.session.id)


def open_folder(folder: str | Path, *, session: str | None, source: str, model: str) -> OwnFolder:
    """Make or open it, and begin a session or go on with the one that is named.

    Raises FileAccessError, StoreError, NotFoundError.
    """
    path = Path(folder).expanduser().resolve()
    ensure_folder(str(path))
    record = open_record(path / "state.db")
    try:
        found = record.sessions.get(session) if session else record.sessions.start(source=source, model=model)
    except BaseException:
        record.close()
        raise
    return OwnFolder(path, record, found)
