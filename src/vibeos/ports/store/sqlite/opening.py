"""How a database file is opened: created privately, with patience, and for reading alone where nothing can be written.

- A new file has mode 0600 and a new folder 0700.
- Waiting is ours: short sleeps of random length, so that two writers do not march in step.
- `immutable=1` makes SQLite ignore the write-ahead log, so it is used only where the folder cannot be written and
  the log is empty.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from vibeos.ports.store.sqlite.errors import translated
from vibeos.values.errors import FileAccessError, HomeError, NotFoundError, StoreError
from vibeos.values.text import is_well_formed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 30.0  # seconds that a writer waits for another

_CACHE_KIB = 32_000
_CHECKPOINT_PAGES = (
    16_000  # 64 MB. At the default of 1,000 one message in a hundred would wait for the disk twice
)

_SETTINGS = f"""
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -{_CACHE_KIB};
PRAGMA journal_size_limit = 128000000;
PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES};
"""


class Patience:
    """A busy handler: sleeps for a moment and says whether to try again."""

    def __init__(self, seconds: float = PATIENCE) -> None:
        self.seconds = seconds
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._until = now + self.seconds
        if now >= self._until:
            return False
        longest = min(0.02, 0.001 * 2 ** min(tries, 6))
        time.sleep(longest * (1 + os.urandom(1)[0]) / 256)
        return True


def can_write(path: Path) -> bool:
    """Whether the file and its folder can be written; SQLite needs both."""
    return _may_write(path) and _may_write(path.parent)


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def create_file(path: Path) -> None:
    """An empty file that only its owner may read, in folders that only they may enter."""
    try:
        for folder in reversed([folder for folder in path.parents if not folder.exists()]):
            folder.mkdir(mode=0o700, exist_ok=True)
        # Never opened when it exists: closing a handle would drop the locks that this process has on the file.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not path.parent.is_dir():
            raise HomeError(
                f"{str(path.parent)!r} is not a folder.", remedy="Choose another home with VIBEOS_HOME."
            ) from None
    except OSError as error:
        raise HomeError(
            f"{str(path)!r} cannot be created: {error.strerror}.",
            remedy="Make its folder writable for you, free some space, or choose another home with VIBEOS_HOME.",
        ) from error


def check_place(path: Path, *, create: bool) -> None:
    """Raise unless the path can be a database's; create the file if there is none and it may be created."""
    if not is_well_formed(str(path)):
        raise HomeError(
            f"{str(path)!r} cannot be the place of a database: its name is not valid UTF-8.",
            remedy="Choose another home with VIBEOS_HOME.",
        )
    if path.is_dir():
        raise FileAccessError(f"{str(path)!r} is a folder, not a database.", remedy="Move the folder away.")
    if not path.exists():
        if not create:
            raise NotFoundError(
                f"There is no record yet: {str(path)!r} does not exist.",
                remedy="It begins with the first conversation.",
            )
        create_file(path)


def connect_to_write(path: Path, seconds: float) -> apsw.Connection:
    """A connection that can write, before any setting that would change the file."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_handler(Patience(seconds))
    return connection


def settle(connection: apsw.Connection, seconds: float) -> None:
    """Set what a writing connection needs. Going over to WAL can find the file busy without asking the handler."""
    patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchall(), Patience(seconds))
    # Plans that do not look at the values of parameters; else SQLite compiles some statements at every call.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    for _ in connection.execute(_SETTINGS):
        pass


def patiently(action: Callable[[], object], patience: Patience) -> None:
    """Do it again while the database is busy and patience lasts."""
    tries = 0
    while True:
        try:
            action()
        except apsw.BusyError:
            if not patience(tries):
                raise
            tries += 1
        else:
            return


def connect_to_read(path: Path, seconds: float = PATIENCE) -> apsw.Connection:
    """A connection that cannot write, proven by a first read."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        return _proven(connection, seconds)
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        if _may_write(path.parent):
            raise translated(error, path) from error
    except apsw.Error as error:
        raise translated(error, path) from error
    return _connect_immutable(path, seconds)


def _connect_immutable(path: Path, seconds: float) -> apsw.Connection:
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(
            f"The newest messages are in {str(log)!r}, which cannot be read in a folder that cannot be written.",
            remedy="Copy the folder to a place that can be written, and use it there with VIBEOS_HOME.",
        )
    uri = f"{path.absolute().as_uri()}?immutable=1"
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _proven(apsw.Connection(uri, flags=flags), seconds)
    except apsw.Error as error:
        raise translated(error, path) from error


def _proven(connection: apsw.Connection, seconds: float) -> apsw.Connection:
    connection.set_busy_handler(Patience(seconds))
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.Error:
        connection.close()
        raise
    return connection
