"""The analyser: both sides of a search make the same terms of the same words."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given

from record.kit import ANY_TEXT
from vibeos.values.analyser import (
    LONGEST_TERM,
    date_terms,
    index_terms,
    phrase_terms,
    prefix_terms,
    query_terms,
    words_with_places,
)

SAFE_TERM = re.compile(r"[A-Za-z0-9_.+#\-\x80-\U0010ffff]+")


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("В субботу едем на дачу", "суббота"),
        ("Ёлку поставим", "елка"),
        ("Елки поставим", "ЁЛКУ"),
        ("Мигрировали базу данных", "базы"),
        ("за\u0301мок на горе", "замок"),
        ("The retries are exhausted", "retry"),
        ("Baking for my colleague's party", "bake"),
        ("Baking for my colleague's party", "colleagues"),
        ("the colleagues' room", "colleague"),
        ("CAFÉ Zürich", "cafe zurich"),
        ("naïve résumé", "NAIVE RESUME"),
        ("Straße", "STRASSE"),
        ("smørrebrød", "smorrebrod"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("ﬁle", "file"),
        ("修改youer服务端", "youer"),
        ("数据库连接池", "连接池"),
        ("数据库连接池", "池"),
        ("東京の会議", "東京"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("안녕하세요", "안녕"),
        ("กรุงเทพมหานคร", "กรุงเทพ"),
        ("हिन्दी में", "हिन्दी"),
        ("كِتَاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("getUserById throws", "getUserById"),
        ("getUserById throws", "getuserbyid"),
        ("getUserById throws", "user id"),
        ("Set RUST_LOG=debug", "RUST_LOG"),
        ("Set RUST_LOG=debug", "rust log"),
        ("payment_service.py", "payment service"),
        ("payment_service.py", "payment_service.py"),
        ("def __init__(self)", "__init__"),
        ("C++ and C#", "c++"),
        ("C++ and C#", "C#"),
        ("C++ and C#", "c"),
        ("node.js 20", "Node.js"),
        ("node.js 20", "node"),
        ("closes #4821", "#4821"),
        ("closes #4821", "4821"),
        ("PostgreSQL", "postgres"),
        ("HTTPServer", "http server"),
        ("python3.12", "python"),
        ("an e-mail", "email"),
        ("my email", "e-mail"),
        ("O'Brien's car", "obrien"),
        ("O\u2019Brien\u2019s car", "O'Brien"),
        ("--workspace", "workspace"),
        ("soft\u00adware", "software"),
        ("on 2026-01-15", "2026-01-15"),
    ],
)
def test_a_text_is_found_by(written: str, asked: str) -> None:
    assert set(query_terms(asked)) & set(index_terms(written))


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("C# builds", "C++"),
        ("my colleague came", "C++"),
        ("gpt4", "4"),
        ("йод", "иод"),
        ("广西", "广东"),
        ("the party", "art"),
        ("", "anything"),
    ],
)
def test_a_text_is_not_found_by(written: str, asked: str) -> None:
    assert not set(query_terms(asked)) & set(index_terms(written))


@pytest.mark.parametrize(
    ("asked", "terms"),
    [
        ("what to bake for colleagues", ["bake", "colleagu"]),
        ("what is the", ["what", "is", "the"]),
        ("что мы решили", ["реш"]),
        ("什么", ["什么"]),
        ("我们怎么桂林", ["们怎", "么桂", "桂林"]),
        ("don't", ["do"]),
        ("bake bake BAKING", ["bake"]),
        ("!? … 🙂", []),
    ],
)
def test_a_query_leaves_out_what_says_nothing_unless_nothing_else_remains(
    asked: str, terms: list[str]
) -> None:
    assert query_terms(asked) == terms


def test_words_side_by_side_stay_side_by_side() -> None:
    text = "Baking for my colleague's going-away party; see payment_service.py and GitHub Actions"
    stream = " ".join(phrase_terms(text))
    for phrase in (
        "going away party",
        "going-away party",
        "payment service",
        "github actions",
        "Service PY and",
    ):
        assert " ".join(phrase_terms(phrase)) in stream


def test_pieces_of_a_hash_are_not_terms() -> None:
    assert index_terms("k3m7qx2b9") == ["k3m7qx2b9"]


def test_a_beginning_is_looked_for_as_it_stands_and_as_its_stem() -> None:
    assert prefix_terms("migration") == ["migration", "migrat"]
    assert prefix_terms("Мигра") == ["мигра", "мигр"]
    assert prefix_terms("…") == []


def test_a_date_is_found_by_its_parts_in_both_languages() -> None:
    terms = set(date_terms("2026-01-05T10:00:00.000000Z"))
    for words in ("2026-01-05", "January 2026", "5 января", "january 5"):
        assert set(words.split()) & terms or set(query_terms(words)) <= terms


def test_a_very_long_word_becomes_one_term_of_bounded_length() -> None:
    word = "a" * 100_000
    assert index_terms(word) == query_terms(word) == ["a" * LONGEST_TERM]


@given(ANY_TEXT)
def test_terms_are_safe_for_every_database(text: str) -> None:
    for term in (*index_terms(text), *query_terms(text), *prefix_terms(text)):
        assert SAFE_TERM.fullmatch(term)
        assert not any(char.isspace() or char == "\x00" or "\ud800" <= char <= "\udfff" for char in term)
        assert len(term) <= LONGEST_TERM


@given(ANY_TEXT)
def test_every_text_is_found_by_itself(text: str) -> None:
    terms = index_terms(text)
    assert set(query_terms(text)) <= set(terms)
    assert phrase_terms(text) == terms[: len(phrase_terms(text))]
    assert bool(query_terms(text)) == bool(terms)


@given(ANY_TEXT)
def test_words_have_their_places_in_the_text_as_it_is(text: str) -> None:
    end = 0
    for start, stop, _ in words_with_places(text):
        assert end <= start < stop <= len(text)
        end = stop


@pytest.mark.parametrize("piece", ["a.", "a-", "a_", "aB", "#", "a'", "+", "中a", "\u0301", "a\u0301", "n't"])
def test_no_text_takes_long_to_analyse(piece: str) -> None:
    begin = time.monotonic()
    index_terms(piece * 100_000)
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize("marks", ["\u094d\u093c", "\u0301\u0323"])
def test_marks_by_the_hundred_thousand_take_no_time(marks: str) -> None:
    start = time.perf_counter()
    index_terms("क" + marks * 100_000)
    assert time.perf_counter() - start < 5  # in an order that sorts by insertion it takes minutes
