"""Statements and migrations are read from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vibeos.ports.store import Definition
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")


def load(folder: Path) -> Definition:
    return Definition.load(folder, "sqlite", open_tables=())


def test_statements_are_found_by_name_in_every_file_of_their_dialect(tmp_path: Path) -> None:
    write(
        tmp_path / "sql/sqlite",
        a="-- name: one\nSELECT 1\n\n-- name: two\nSELECT 2,\n  3\n",
        b="-- name: three\nSELECT 3",
    )
    write(tmp_path / "sql/postgresql", a="-- name: four\nSELECT 4")
    assert load(tmp_path).statements == {"one": "SELECT 1", "two": "SELECT 2,\n  3", "three": "SELECT 3"}


def test_a_name_stands_once(tmp_path: Path) -> None:
    write(tmp_path / "sql/sqlite", a="-- name: one\nSELECT 1", b="-- name: one\nSELECT 2")
    with pytest.raises(StoreError, match=r"'one'.*'b\.sql'"):
        load(tmp_path)


def test_migrations_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    write(tmp_path / "migrations/sqlite", **{"0002_second": "B", "0001_first": "A"})
    assert [(step.number, step.name, step.sql) for step in load(tmp_path).migrations] == [
        (1, "first", "A"),
        (2, "second", "B"),
    ]


@pytest.mark.parametrize(
    "names", [["0002_b"], ["0001_a", "0003_c"], ["0001_a", "0001_b"], ["1_a"], ["0001-a"]]
)
def test_a_missing_or_misnamed_migration_is_an_error(tmp_path: Path, names: list[str]) -> None:
    write(tmp_path / "migrations/sqlite", **dict.fromkeys(names, "A"))
    with pytest.raises(StoreError, match="should be migration"):
        load(tmp_path)
