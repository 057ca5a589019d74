"""A crash at any write leaves whole transactions and whole migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from store.crashing import CRASHED, FINISHED, crashes
from store.databases import COLOURS, NOTES, add, open_database, texts

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def write_two_transactions(folder: Path) -> None:
    database = open_database(folder / "state.db")
    add(database, "a" * 6_000, "b" * 6_000)
    add(database, "c" * 6_000)
    database.close()


def test_a_crash_at_any_write_leaves_whole_transactions(tmp_path: Path) -> None:
    template = tmp_path / "template"
    database = open_database(template / "state.db")
    add(database, "first")
    database.close()
    counts = []
    for _ in crashes(template, tmp_path / "work", write_two_transactions):
        database = open_database(tmp_path / "work" / "state.db")
        counts.append(len(texts(database)))
        database.close()
    assert set(counts) == {1, 3, 4}
    assert counts == sorted(counts)


def migrate(folder: Path) -> None:
    open_database(folder / "state.db", NOTES, COLOURS).close()


def test_a_crash_at_any_write_of_a_migration_leaves_whole_steps(tmp_path: Path) -> None:
    template = tmp_path / "template"
    database = open_database(template / "state.db", NOTES)
    add(database, "first")
    database.close()
    codes = []
    for code in crashes(template, tmp_path / "work", migrate):
        codes.append(code)
        database = open_database(tmp_path / "work" / "state.db", NOTES, COLOURS)
        assert texts(database) == ["first"]
        rows = database._line.connection.execute(
            "SELECT colour, (SELECT max(number) FROM migrations) FROM notes"
        ).fetchall()
        database.close()
        assert rows == [("red", 2)]
    assert codes.count(CRASHED) > 5
    assert codes[-1] == FINISHED


def test_a_crash_at_any_write_of_the_first_opening_leaves_a_usable_home(tmp_path: Path) -> None:
    template = tmp_path / "template"
    template.mkdir()
    codes = []
    for code in crashes(template, tmp_path / "work", migrate):
        codes.append(code)
        database = open_database(tmp_path / "work" / "state.db", NOTES, COLOURS)
        add(database, "usable")
        assert texts(database) == ["usable"]
        database.close()
    assert codes.count(CRASHED) > 5
