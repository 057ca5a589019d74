"""The schema that the migrations make, as text. Run this file to write it where it is checked in."""

from __future__ import annotations

import tempfile
from pathlib import Path

import apsw

import vibeos.record
from vibeos.record import open_record

CHECKED_IN = Path(vibeos.record.__file__).parent / "schema" / "sqlite.sql"
HEADING = (
    "-- What the migrations make, for reading and for comparing. Written by tests/record/schema_dump.py.\n\n"
)


def dump(path: Path) -> str:
    """Every object of a database file, in the order in which it was made; not what FTS5 keeps beneath its tables."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'words_*' AND name NOT GLOB 'sqlite_*'"
            " ORDER BY rowid"
        ).fetchall()
    finally:
        connection.close()
    return HEADING + "\n\n".join(f"{sql};" for (sql,) in rows) + "\n"


def dump_of_migrations(folder: Path) -> str:
    open_record(folder / "state.db").close()
    return dump(folder / "state.db")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        CHECKED_IN.write_text(dump_of_migrations(Path(folder)), encoding="utf-8")
