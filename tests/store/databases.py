"""A small database of two tables, to test the store port without the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.store import Definition, Migration
from vibeos.ports.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.ports.store import Database

NOTES = Migration(
    1,
    "notes",
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE secrets (id INTEGER PRIMARY KEY, note_id INTEGER REFERENCES notes (id));",
)
COLOURS = Migration(
    2,
    "colours",
    "ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'white'; UPDATE notes SET colour = 'red';",
)

STATEMENTS = {
    "add_note": "INSERT INTO notes (text) VALUES (:text) RETURNING id",
    "notes": "SELECT id, text FROM notes ORDER BY id",
    "note": "SELECT id, text FROM notes WHERE text = :text",
    "delete_notes": "DELETE FROM notes",
    "count_notes": "SELECT count(*) AS notes FROM notes",
    "add_secret": "INSERT INTO secrets (note_id) VALUES (:note_id)",
    "nonsense": "SELECT nothing FROM nowhere",
}


def definition(*migrations: Migration) -> Definition:
    return Definition(STATEMENTS, migrations or (NOTES,), open_tables=("notes",))


def open_database(path: Path, *migrations: Migration, patience: float = 30.0) -> SqliteDatabase:
    return SqliteDatabase.open(path, definition(*migrations), patience=patience)


def texts(database: Database) -> list[str]:
    with database.read() as transaction:
        return [row["text"] for row in transaction.all("notes")]


def add(database: Database, *notes: str) -> None:
    with database.write() as transaction:
        for note in notes:
            transaction.run("add_note", text=note)
