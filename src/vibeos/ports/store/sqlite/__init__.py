"""SQLite, by `apsw`: one file, WAL, flushed to the disk at each commit. Import this only where a file is opened."""

from __future__ import annotations

from vibeos.ports.store.sqlite.database import SqliteDatabase
from vibeos.ports.store.sqlite.query import query_file

__all__ = ["SqliteDatabase", "query_file"]
