"""The migrations and the schema that is checked in agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from record.schema_dump import CHECKED_IN, dump, dump_of_migrations
from vibeos.ports.store.sqlite import SqliteDatabase
from vibeos.record import open_record
from vibeos.record.record import OPEN_TABLES, definition
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from pathlib import Path


def test_the_migrations_make_the_schema_that_is_checked_in(tmp_path: Path) -> None:
    assert dump_of_migrations(tmp_path) == CHECKED_IN.read_text(encoding="utf-8"), (
        "run `python tests/record/schema_dump.py` and look at the difference"
    )


def test_the_schema_that_is_checked_in_makes_the_same_database(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "state.db"))
    for _ in connection.execute(CHECKED_IN.read_text(encoding="utf-8")):
        pass
    connection.close()
    assert dump(tmp_path / "state.db") == CHECKED_IN.read_text(encoding="utf-8")


def test_every_statement_is_understood_by_the_database(tmp_path: Path) -> None:
    dump_of_migrations(tmp_path)
    connection = apsw.Connection(str(tmp_path / "state.db"))
    statements = definition().statements
    connection.set_exec_trace(lambda _cursor, _sql, _bindings: False)  # prepare it, do not run it
    understood = 0
    for sql in statements.values():
        try:
            connection.execute(sql, _AnyParameter())
        except apsw.ExecTraceAbort:
            understood += 1
    connection.close()
    assert understood == len(statements) > 40


class _AnyParameter(dict[str, None]):
    def __missing__(self, name: str) -> None:
        return None


def test_the_tables_open_to_a_person_hold_the_columns_that_the_documents_query(tmp_path: Path) -> None:
    dump_of_migrations(tmp_path)
    connection = apsw.Connection(str(tmp_path / "state.db"))
    columns = {
        table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")} for table in OPEN_TABLES
    }
    connection.close()
    assert columns["messages"] >= {
        "id", "session_id", "context_seq", "type", "author_id", "author_name", "source", "content_text",
        "content_json", "created_at",
    }  # fmt: skip
    assert columns["sessions"] >= {
        "id", "title", "source", "user_id", "project", "backend", "model", "mode", "parent_id", "started_at",
        "last_active_at", "ended_at",
    }  # fmt: skip
    assert columns["context_rows"] >= {"id", "session_id", "context_seq", "kind", "message_id", "payload"}


def test_a_record_of_the_first_schema_keeps_its_messages_and_never_gives_an_id_twice(tmp_path: Path) -> None:
    path, whole = tmp_path / "state.db", definition()
    SqliteDatabase.open(path, replace(whole, migrations=whole.migrations[:1])).close()
    connection = apsw.Connection(str(path))
    connection.execute(
        "INSERT INTO sessions VALUES ('s', '', 0, 'cli', '', '', '', '', '', NULL, 't', 't', NULL, 3, 1, 2)"
    )
    for number, text in enumerate(("kept", "deleted"), 1):
        connection.execute(
            "INSERT INTO messages (session_id, context_seq, type, author_id, author_name, source, content_text, "
            "created_at) VALUES ('s', ?, 'user', '', '', 'cli', ?, '2026-01-15T00:00:00.000000Z')",
            (number, text),
        )
    connection.execute("DELETE FROM messages WHERE content_text = 'deleted'")
    connection.close()
    with open_record(path) as record:
        assert [one.text for one in record.messages.of_session("s")] == ["kept"]
        assert record.messages.record_input("s", Envelope.person("cli"), "new").id == 3
        assert record.search("kept")[0].message.text == "kept"
    assert list(tmp_path.glob("*.bak")) != []
