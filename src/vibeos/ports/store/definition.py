"""What a database is made of: numbered migrations, named statements, and the tables open to a person's own SQL.

All of it is read from files, one folder per dialect, so no code ever asks which database it talks to:

    <folder>/migrations/<dialect>/0001_record.sql
    <folder>/sql/<dialect>/messages.sql             blocks that begin with `-- name: insert_message`
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

_NAME = r"(?m)^-- name: (\w+)[ \t]*$"
_FILE = r"(\d{4})_(\w+)\.sql"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema. Once released it never changes; what comes after it has the next number."""

    number: int
    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class Definition:
    """`open_tables`: the tables that a person's own query may read."""

    statements: dict[str, str]
    migrations: tuple[Migration, ...]
    open_tables: tuple[str, ...]

    @classmethod
    def load(cls, folder: Path, dialect: str, *, open_tables: tuple[str, ...]) -> Definition:
        """Read one dialect's files below `folder`."""
        return cls(
            statements=load_statements(folder / "sql" / dialect),
            migrations=load_migrations(folder / "migrations" / dialect),
            open_tables=open_tables,
        )


def load_statements(folder: Path) -> dict[str, str]:
    """Every named statement of a folder. A name stands once."""
    statements: dict[str, str] = {}
    for file in sorted(folder.glob("*.sql")):
        parts = re.split(_NAME, file.read_text(encoding="utf-8"))
        for name, sql in zip(parts[1::2], parts[2::2], strict=True):
            if name in statements:
                raise StoreError(f"two statements are called {name!r}, the second in {file.name!r}")
            statements[name] = sql.strip()
    return statements


def load_migrations(folder: Path) -> tuple[Migration, ...]:
    """The migrations of a folder in order: 1, 2, 3 …, none missing."""
    migrations = []
    for number, file in enumerate(sorted(folder.glob("*.sql")), start=1):
        match = re.fullmatch(_FILE, file.name)
        if match is None or int(match[1]) != number:
            raise StoreError(f"{file.name!r} should be migration {number:04}, called {number:04}_<name>.sql")
        migrations.append(Migration(number, match[2], file.read_text(encoding="utf-8")))
    return tuple(migrations)
