"""A person's own SQL can read the open tables, and can do nothing else, however it is written."""

from __future__ import annotations

import hashlib
import threading
import time
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.databases import add, open_database
from vibeos.ports.store import QueryLimits, QueryResult
from vibeos.ports.store.sqlite import query_file
from vibeos.ports.store.sqlite.query import single_statement
from vibeos.values.errors import NotFoundError, QueryError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("query") / "state.db"
    database = open_database(path)
    add(database, *(f"note {number}" for number in range(30)), "x" * 5_000)
    with database.write() as transaction:
        transaction.run("add_secret", note_id=1)
    database.close()
    return path


def ask(path: Path, sql: str, **limits: float) -> QueryResult:
    return query_file(path, sql, open_tables=("notes",), limits=QueryLimits(**limits))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT text FROM notes ORDER BY id LIMIT 1", (("note 0",),)),
        ("select count(*) from notes;", ((31,),)),
        ("  -- what there is\n/* all; of it */ SELECT 1 ; -- done;\n;", ((1,),)),
        ("VALUES (1, 'a;b'), (2, NULL)", ((1, "a;b"), (2, None))),
        ("WITH few AS (SELECT * FROM notes LIMIT 3) SELECT count(*) FROM few", ((3,),)),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) FROM n",
            ((10,),),
        ),
        ("SELECT value FROM json_each('[7, 8]')", ((7,), (8,))),
        ("SELECT json_extract('{\"a\": 5}', '$.a'), '{\"a\": 6}' ->> 'a'", ((5, 6),)),
        (
            "SELECT substr('abcdef', 2, 3), upper('x'), printf('%03d', 7), date('2026-01-15')",
            (("bcd", "X", "007", "2026-01-15"),),
        ),
        ("SELECT row_number() OVER (ORDER BY id DESC) FROM notes LIMIT 1", ((1,),)),
        ('SELECT "text" AS "se;lect" FROM notes WHERE id = 2', (("note 1",),)),
        ("SELECT text FROM notes WHERE text LIKE '%e 1_' AND text GLOB '*5'", (("note 15",),)),
        ("SELECT text FROM notes WHERE id = -1", ()),
    ],
)
def test_what_reads_is_answered(path: Path, sql: str, rows: tuple[tuple[object, ...], ...]) -> None:
    result = ask(path, sql)
    assert (result.rows, result.truncated, result.reason) == (rows, False, "")


def test_columns_have_names_even_when_there_is_no_row(path: Path) -> None:
    assert ask(path, "SELECT id, text AS words FROM notes WHERE 0").columns == ("id", "words")


def test_the_plan_of_a_query_can_be_seen(path: Path) -> None:
    assert "SEARCH notes" in str(ask(path, "EXPLAIN QUERY PLAN SELECT * FROM notes WHERE id = 1").rows)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM notes",
        "UPDATE notes SET text = ''",
        "INSERT INTO notes (text) VALUES ('x')",
        "REPLACE INTO notes (text) VALUES ('x')",
        "DROP TABLE notes",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t AS SELECT * FROM notes",
        "ALTER TABLE notes ADD COLUMN x",
        "WITH a AS (SELECT 1) DELETE FROM notes",
        "WITH a AS (SELECT 1) INSERT INTO notes (text) SELECT 'x'",
        "EXPLAIN DELETE FROM notes",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode",
        "ATTACH DATABASE 'other.db' AS other",
        "DETACH DATABASE main",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT s",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM notes",
        "SELECT 1;;/**/;DELETE FROM notes",
        "(SELECT 1)",
        "",
        " ; ; -- nothing",
        "/* SELECT 1",
        "hello",
    ],
)
def test_what_does_not_read_is_refused_and_changes_nothing(path: Path, sql: str) -> None:
    before = hashlib.sha256(path.read_bytes()).digest()
    with pytest.raises(QueryError) as caught:
        ask(path, sql)
    assert caught.value.remedy
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert sorted(file.name for file in path.parent.iterdir() if "-" not in file.name) == ["state.db"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM secrets",
        "SELECT count(*) FROM secrets",
        "SELECT 1 FROM secrets",
        "SELECT * FROM notes JOIN secrets ON note_id = notes.id",
        "SELECT (SELECT max(id) FROM secrets)",
        "SELECT * FROM migrations",
        "SELECT count(*) FROM migrations",
        "SELECT * FROM sqlite_schema",
        "SELECT count(*) FROM sqlite_master",
        "SELECT * FROM dbstat",
        "SELECT count(*) FROM dbstat",
        "SELECT * FROM pragma_table_info('secrets')",
        "SELECT count(*) FROM pragma_database_list",
        "SELECT * FROM sqlite_dbpage",
        "SELECT * FROM fts5vocab",
        "WITH s AS (SELECT * FROM secrets) SELECT * FROM s",
    ],
)
def test_what_is_not_open_is_refused_by_name(path: Path, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(path, sql)
    assert "Open tables: notes." in caught.value.remedy or "no such table" in caught.value.message


@pytest.mark.parametrize(
    "call",
    [
        "load_extension('x')",
        "readfile('/etc/passwd')",
        "writefile('x', 'y')",
        "randomblob(10)",
        "zeroblob(10)",
        "sqlite_version()",
        "last_insert_rowid()",
        "edit('x')",
        "fts5('x')",
    ],
)
def test_functions_that_are_not_listed_are_refused(path: Path, call: str) -> None:
    with pytest.raises(QueryError):
        ask(path, f"SELECT {call}")


def test_a_refusal_names_what_was_refused(path: Path) -> None:
    with pytest.raises(QueryError, match="function 'zeroblob'"):
        ask(path, "SELECT zeroblob(10)")
    with pytest.raises(QueryError, match="table 'secrets'"):
        ask(path, "SELECT note_id FROM secrets")


def test_a_mistake_is_explained_in_the_words_of_sqlite(path: Path) -> None:
    with pytest.raises(QueryError, match='near "FROM": syntax error') as caught:
        ask(path, "SELECT FROM notes")
    assert "Open tables: notes." in caught.value.remedy
    with pytest.raises(QueryError, match="no such column: txt"):
        ask(path, "SELECT txt FROM notes")


def test_an_endless_query_is_stopped_by_steps(path: Path) -> None:
    with pytest.raises(QueryError, match="more than 300,000 steps"):
        ask(path, f"{FOREVER} SELECT count(*) FROM n", steps=300_000)


def test_an_endless_query_is_stopped_by_time(path: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(QueryError, match=r"more than 0\.1 seconds"):
        ask(path, f"{FOREVER} SELECT count(*) FROM n", seconds=0.1)
    assert time.monotonic() - begin < 3


def test_an_endless_query_that_gives_rows_is_cut_with_a_mark(path: Path) -> None:
    result = ask(path, f"{FOREVER} SELECT i FROM n")
    assert (len(result.rows), result.rows[-1], result.truncated) == (1_000, (1_000,), True)
    assert "more than 1,000 rows" in result.reason


def test_a_query_that_is_stopped_after_some_rows_gives_them_with_a_mark(path: Path) -> None:
    result = ask(path, f"{FOREVER} SELECT i FROM n WHERE i < 5 OR i % 100000000 = 0", steps=300_000)
    assert (result.rows, result.truncated) == (((1,), (2,), (3,), (4,)), True)
    assert "stopped here" in result.reason


def test_exactly_as_many_rows_as_allowed_is_not_cut(path: Path) -> None:
    assert not ask(path, "SELECT * FROM notes", rows=31).truncated
    assert ask(path, "SELECT * FROM notes", rows=30).truncated


def test_a_huge_result_is_cut_with_a_mark(path: Path) -> None:
    result = ask(path, "SELECT text FROM notes ORDER BY id", size=1_000)
    assert (len(result.rows), result.truncated) == (30, True)
    assert "substr" in result.reason


def test_one_value_that_is_too_big_says_how_to_see_a_part_of_it(path: Path) -> None:
    result = ask(path, "SELECT text FROM notes WHERE id = 31", size=1_000)
    assert (result.rows, result.truncated) == ((), True)
    assert "substr" in result.reason


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT printf('%.*c', 30000000, 'x')",
        "SELECT replace(printf('%.*c', 1000000, 'x'), 'x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')",
        f"{FOREVER} SELECT group_concat(i, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') FROM n",
    ],
)
def test_a_value_beyond_all_measure_is_refused(path: Path, sql: str) -> None:
    with pytest.raises(QueryError):
        ask(path, sql)


def test_a_query_beyond_all_measure_is_refused(path: Path) -> None:
    with pytest.raises(QueryError, match="longer than"):
        ask(path, "SELECT " + "1," * 60_000 + "1")
    with pytest.raises(QueryError):
        ask(path, "SELECT " + "1+" * 2_000 + "1")
    with pytest.raises(QueryError):
        ask(path, " UNION ALL ".join(["SELECT 1"] * 300))


@pytest.mark.parametrize("sql", ["SELECT 1\x00; DELETE FROM notes", "SELECT '\udc80'"])
def test_text_that_no_database_holds_is_refused(path: Path, sql: str) -> None:
    with pytest.raises(QueryError, match="NUL or half of a surrogate"):
        ask(path, sql)


def test_it_answers_while_another_connection_writes(path: Path) -> None:
    database = open_database(path)
    with database.write() as transaction:
        transaction.run("add_note", text="not yet")
        assert ask(path, "SELECT count(*) FROM notes WHERE text = 'not yet'").rows == ((0,),)
    assert ask(path, "SELECT count(*) FROM notes WHERE text = 'not yet'").rows == ((1,),)
    database.close()


def test_a_database_that_does_not_exist_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no record yet"):
        ask(tmp_path / "home" / "state.db", "SELECT 1")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "state.db").touch()
    with pytest.raises(NotFoundError, match="no record yet"):
        ask(tmp_path / "state.db", "SELECT 1")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_text("Dear diary, " * 500, encoding="utf-8")
    with pytest.raises(StoreError, match="is not a database"):
        ask(tmp_path / "state.db", "SELECT 1")


@given(st.text(alphabet="SELECT;'\"[]`-/* \n1x\\", max_size=60))
def test_several_statements_never_pass_as_one(sql: str) -> None:
    """Whatever the quoting: what passes has nothing but blanks and comments after its first statement."""
    try:
        passed = single_statement(f"SELECT 1 {sql}; DROP TABLE notes")
    except QueryError:
        return
    # It passed, so the drop must stand inside a quotation or a comment that `sql` left open.
    assert any(mark in sql for mark in "'\"`[") or "--" in sql or "/*" in sql
    assert passed


@pytest.mark.parametrize("opening", ["[", "'", '"', "`", "/*", "--", "[[", "''"])
def test_no_text_takes_long_to_judge(opening: str) -> None:
    begin = time.monotonic()
    with pytest.raises(QueryError):
        single_statement("DROP " + opening * (90_000 // len(opening)))
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize("table", ["SECRETS", "Secrets", '"SeCrEtS"', "main.SECRETS", "MIGRATIONS"])
def test_a_closed_table_is_closed_in_every_spelling(path: Path, table: str) -> None:
    with pytest.raises(QueryError):
        ask(path, f"SELECT count(*) FROM {table}")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT instr(printf('%.*c', 3900000, 'a'), printf('%.*c', 1900000, 'a') || 'b')",
        "SELECT length(replace(printf('%.*c', 3900000, 'a'), printf('%.*c', 1900000, 'a') || 'b', 'c'))",
        f"{FOREVER}, t AS (SELECT printf('%.*c', 3000000, 'x') AS q, i FROM n) SELECT q FROM t ORDER BY q, i",
        (
            "WITH RECURSIVE t(x) AS (SELECT printf('%.*c', 3900000, 'x') UNION ALL SELECT x || '' FROM t) "
            "SELECT max(length(x)) FROM t"
        ),
    ],
)
def test_a_query_ends_in_time_and_within_its_memory(path: Path, sql: str) -> None:
    start = time.perf_counter()
    try:
        ask(path, sql, seconds=1.0)
    except QueryError as error:
        assert error.remedy  # noqa: PT017 - either outcome will do; what counts is that it ends
    assert time.perf_counter() - start < 8


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("instr('abc', 'c')", 3),
        ("instr('abc', 'x')", 0),
        ("instr(NULL, 'x')", None),
        ("instr('abc', '')", 1),
        ("replace('a-b-c', '-', '+')", "a+b+c"),
        ("replace('abc', '', 'x')", "abc"),
        ("replace('abc', NULL, 'x')", None),
    ],
)
def test_bounded_functions_answer_as_those_of_sqlite(path: Path, call: str, value: object) -> None:
    assert ask(path, f"SELECT {call}").rows == ((value,),)


def test_text_that_is_not_unicode_is_a_clear_error(path: Path) -> None:
    with pytest.raises(QueryError, match="not Unicode"):
        ask(path, "SELECT cast(x'ff00fe' AS text)")


def test_functions_that_one_step_could_be_lost_in_are_linear_or_refused(path: Path) -> None:
    begin = time.monotonic()
    sql = "SELECT length(trim(printf('%.*c',60000,'a'), printf('%.*c',300000,'b')||'a'))"
    assert ask(path, sql).rows == ((0,),)
    with pytest.raises(QueryError, match="json_patch"):
        ask(path, "SELECT json_patch('{}', '{}')")
    assert time.monotonic() - begin < 2


def test_our_functions_take_blobs_as_the_database_does(path: Path) -> None:
    sql = "SELECT instr(CAST('abc' AS BLOB), 'b'), replace(CAST('abc' AS BLOB), 'b', 'x'), trim('  a '), trim('xax', 'x')"
    assert ask(path, sql).rows == ((2, "axc", "a", "a"),)


def test_the_limit_of_memory_is_the_process_own_again_after_queries_in_many_threads(
    path: Path,
) -> None:
    before = apsw.hard_heap_limit(-1)
    threads = [threading.Thread(target=ask, args=(path, "SELECT 1")) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert apsw.hard_heap_limit(-1) == before
