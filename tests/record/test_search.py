"""Search: what must be found is found, in the right order, for the right person, whatever is typed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from record.kit import ANY_TEXT, WATCH, new_record, say, ticking
from vibeos.record import open_record
from vibeos.record import search as search_module
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record

CONVERSATIONS = (
    (
        "В субботу едем на дачу, баньку топить",
        "Ёлку поставим двадцать пятого декабря",
        "Мигрировали базу данных с MySQL на PostgreSQL",
    ),
    ("请修改youer服务端的超时配置", "我们下周去广西出差，顺便看看桂林山水", "数据库连接池的大小改成二十"),
    (
        "The retry budget in payment_service.py is exhausted after 3 timeouts",
        "Baking for my colleague's going-away party on Friday",
        "Set RUST_LOG=debug and run cargo test --workspace",
        "getUserById throws when the id is null",
    ),
    ("C++ and C# builds both need node.js 20", "東京の会議は来週の火曜日です"),
)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with new_record(tmp_path) as record:
        yield record


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    with new_record(tmp_path_factory.mktemp("corpus")) as record:
        for texts in CONVERSATIONS:
            say(record, record.sessions.start(source="cli").id, *texts)
        yield record


def found(record: Record, query: str, **where: str | int | None) -> list[str]:
    return [hit.message.text for hit in record.search(query, **where)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("суббота", "В субботу"),
        ("субботу", "В субботу"),
        ("елка", "Ёлку"),
        ("базы данных миграция", "Мигрировали"),
        ("youer", "请修改youer"),
        ("广西 OR 桂林", "我们下周去广西"),
        ("桂林", "我们下周去广西"),
        ("连接池", "数据库连接池"),
        ("payment service retries", "The retry budget"),
        ("what to bake for colleagues", "Baking for"),
        ("RUST_LOG", "Set RUST_LOG"),
        ("get user by id", "getUserById"),
        ("C++", "C++ and C#"),
        ("node.js", "C++ and C#"),
        ("東京", "東京の会議"),
        ('"going-away party"', "Baking for"),
        ("-nothing node.js", "C++ and C#"),
        ("migr* cargo", "Set RUST_LOG"),
        ("timeou*", "The retry budget"),
    ],
)
def test_the_message_that_is_meant_comes_first(corpus: Record, query: str, begins: str) -> None:
    assert found(corpus, query)[0].startswith(begins)


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "*",
        "**",
        '"',
        '""',
        "( )",
        "!?…",
        "-",
        '-""',
        "\x00",
        "\ud800",
        "🙂",
        'foo" AND (',
        "zebra*",
        "OR",
        "NEAR(a b)zebra",
    ],
)
def test_a_query_with_nothing_to_find_gives_nothing_and_no_error(corpus: Record, query: str) -> None:
    assert corpus.search(query) == ()


SIGNS = st.lists(
    st.sampled_from(
        [*"ab \"'*-+()[]{}:^~.,#\\/", "OR", "AND", "NOT", "NEAR", "own:", "中", "\x00", "\ud800"]
    ),
    max_size=25,
).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(query=SIGNS | ANY_TEXT)
def test_nothing_that_can_be_typed_is_an_error(corpus: Record, query: str) -> None:
    assert len(corpus.search(query)) <= 10


def test_a_hit_is_the_whole_message_with_its_session(record: Record) -> None:
    session = record.sessions.start(source="cli", project="/code/api", title="Deploying")
    text = (
        "Before anything else, "
        + "look around. " * 40
        + "Then deploy the gateway slowly. "
        + "The end. " * 40
    )
    (message_id,) = say(record, session.id, text)
    (hit,) = record.search("deploying gateways")
    assert hit.message == record.messages.get(message_id)
    assert (hit.session_title, hit.project) == ("Deploying", "/code/api")
    assert "deploy the gateway" in hit.snippet
    assert hit.snippet.startswith("…")
    assert len(hit.snippet) <= 162
    assert hit.score > 0 or hit.score == pytest.approx(0, abs=0.01)


def test_a_snippet_of_a_text_without_blanks_shows_the_place(record: Record) -> None:
    say(record, record.sessions.start(source="cli").id, "天" * 300 + "数据库连接池" + "地" * 300)
    (hit,) = record.search("连接池")
    assert "连接池" in hit.snippet
    assert "\n" not in hit.snippet


def test_each_user_finds_only_their_own(record: Record) -> None:
    for user in ("", "u1", "u2"):
        session = record.sessions.start(source="telegram", user_id=user).id
        say(record, session, f"the password of {user or 'the owner'} is swordfish")
    assert found(record, "swordfish") == ["the password of the owner is swordfish"]
    assert found(record, "swordfish", user_id="u1") == ["the password of u1 is swordfish"]
    assert found(record, "swordfish", user_id="u3") == []
    assert len(found(record, "swordfish", user_id=None)) == 3


def test_a_search_can_keep_to_a_project_and_leave_a_session_out(record: Record) -> None:
    sessions = [record.sessions.start(source="cli", project=project).id for project in ("/a", "/b", "")]
    for number, session in enumerate(sessions):
        say(record, session, f"migration number {number}")
    assert found(record, "migration", project="/a") == ["migration number 0"]
    assert found(record, "migration", project="") == ["migration number 2"]
    assert found(record, "migration", exclude_session=sessions[2]) == [
        "migration number 1",
        "migration number 0",
    ]


def test_no_more_than_asked_for_are_given(record: Record) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, *(f"apple {number}" for number in range(30)))
    assert len(record.search("apple")) == 10
    assert len(record.search("apple", limit=25)) == 25
    assert record.search("apple", limit=0) == ()


def test_of_equals_the_newest_comes_first(record: Record) -> None:
    for number in range(3):
        say(record, record.sessions.start(source="cli").id, f"apple number {number}")
    assert found(record, "apple") == ["apple number 2", "apple number 1", "apple number 0"]


def test_in_a_small_record_the_message_with_more_of_the_words_comes_first(record: Record) -> None:
    """A term that is in half of the rows has no weight in BM25."""
    session = record.sessions.start(source="cli").id
    say(record, session, "deploy the gateway", "deploy it", "deploy", "good")
    assert found(record, "deploy gateway")[0] == "deploy the gateway"


def test_a_person_comes_before_a_program_that_says_the_same(record: Record) -> None:
    for number in range(6):
        say(record, record.sessions.start(source="cli").id, f"something else {number}")
    by_person, by_watch, by_agent = (record.sessions.start(source="cli").id for _ in range(3))
    say(record, by_person, "the cluster is green")
    record.messages.record_response(by_agent, text="the cluster is green", payload="{}")
    record.messages.record_input(by_watch, WATCH, "the cluster is green")
    assert [hit.message.type for hit in record.search("cluster")] == ["user", "assistant", "harness"]


def test_notices_are_found_too(record: Record) -> None:
    record.messages.record_notice(record.sessions.start(source="cli").id, "This conversation is too long")
    assert found(record, "too long conversation") == ["This conversation is too long"]


def test_a_short_answer_is_found_by_the_question_before_it(record: Record) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, "Which database does the billing service use?", "Postgres, since spring")
    for number in range(8):
        say(record, record.sessions.start(source="cli").id, f"lunch {number}")
    assert "Postgres, since spring" in found(record, "billing database")


def test_messages_are_found_by_their_author_and_their_date(tmp_path: Path) -> None:
    with open_record(tmp_path / "state.db", clock=ticking(datetime(2023, 5, 7, tzinfo=UTC))) as record:
        session = record.sessions.start(source="cli").id
        record.messages.record_input(
            session, Envelope.person("cli", author_name="Caroline"), "I went to the club"
        )
    with open_record(tmp_path / "state.db", clock=ticking(datetime(2023, 9, 8, tzinfo=UTC))) as record:
        session = record.sessions.start(source="cli").id
        record.messages.record_input(
            session, Envelope.person("cli", author_name="Melanie"), "I went to the club"
        )
        assert record.search("Caroline club")[0].message.author_name == "Caroline"
        assert record.search("club in September")[0].message.author_name == "Melanie"
        assert record.search("клуб 7 мая")[0].message.author_name == "Caroline"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("red apple", ["red apple pie", "red cherry", "green apple"]),
        ("apple -green", ["red apple pie"]),
        ("apple -green -pie", []),
        ('"red apple"', ["red apple pie"]),
        ('"apple red"', []),
        ('"red apple" cherry', ["red apple pie"]),
        ('"red apple" OR cherry', ["red apple pie", "red cherry"]),
        ('"red cherry" OR "green apple"', ["red cherry", "green apple"]),
        ('apple -"red apple"', ["green apple"]),
        ("cher*", ["red cherry"]),
        ("-red", ["red apple pie", "red cherry"]),
        ('red "', ["red apple pie", "red cherry"]),
        ("r*d", ["red apple pie", "red cherry"]),
        ("red AND (cherry)", ["red cherry", "red apple pie"]),
        ("own:cherry", ["red cherry"]),
        ("--cherry", ["red cherry"]),
    ],
)
def test_the_language_of_queries(record: Record, query: str, expected: list[str]) -> None:
    for text in ("green apple", "red cherry", "red apple pie", "plum", "pear", "quince", "fig", "date palm"):
        say(record, record.sessions.start(source="cli").id, text)
    assert sorted(found(record, query)) == sorted(expected)


def test_what_is_unwanted_is_looked_for_in_the_message_itself(record: Record) -> None:
    session = record.sessions.start(source="cli").id
    say(record, session, "the green one", "an apple a day")
    assert found(record, "apple -green") == ["an apple a day"]


def test_a_common_word_alone_gives_the_newest(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "POSTINGS", 5)
    for number in range(12):
        say(record, record.sessions.start(source="cli").id, f"apple number {number}")
    assert found(record, "apple", limit=3) == ["apple number 11", "apple number 10", "apple number 9"]
    assert found(record, '"apple number"', limit=1) == ["apple number 11"]
    assert found(record, "apple 3", limit=1) == ["apple number 3"]
    assert len(found(record, "apple", limit=50)) == 5


def test_the_budget_keeps_the_rarest_words(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "POSTINGS", 10)
    for number in range(20):
        say(
            record,
            record.sessions.start(source="cli").id,
            f"apple {'cherry' if number % 4 == 0 else 'plum'} x{number}",
        )
    assert {text.split()[1] for text in found(record, "apple cherry plum", limit=50)} == {"cherry"}


def test_search_does_not_depend_on_the_clock(tmp_path: Path) -> None:
    moment = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    with open_record(tmp_path / "state.db", clock=lambda: moment + timedelta(0)) as record:
        say(record, record.sessions.start(source="cli").id, "one apple", "two apples")
        assert found(record, "apple") == ["two apples", "one apple"]
