"""What the rules read: the words that a reader sees, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vibeos.ports.guard.normalise import Reading, canonical, readings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ignore ALL", ["ignore", "all"]),
        ("ＩＧＮＯＲＥ", ["ignore"]),
        ("ig\u00adno\u200bre", ["ignore"]),
        ("i g n o r e", ["ignore"]),
        ("i-g-n-o-r-e it", ["ignore", "it"]),
        ("a b c", ["a", "b", "c"]),
        ("instruc-\ntions", ["instructions"]),
        ("snake_case", ["snake", "case"]),
        ("i\u0334g\u0334n\u0334o\u0334r\u0334e\u0334", ["ignore"]),
        ("\U0001f178\U0001f176\U0001f17d\U0001f17e\U0001f181\U0001f174", ["ignore"]),
        ("ig\x00no\x08re", ["ignore"]),
        ("忽 略 之 前 的", ["忽略之前的"]),
        ("忽略all指令", ["忽略", "all", "指令"]),
    ],
)
def test_words_are_read_as_they_look(text: str, words: list[str]) -> None:
    assert Reading(text).words == words


@pytest.mark.parametrize(
    ("word", "reading"),
    [("ignоrе", "ignore"), ("íġñòŕé", "ignore"), ("1gn0re", "ignore"), ("a11", "all"), ("ɪɢɴᴏʀᴇ", "ignore")],
)
def test_a_disguised_english_word_may_be_read_as_what_it_looks_like(word: str, reading: str) -> None:
    assert reading in readings(Reading(word).words[0])


@pytest.mark.parametrize(
    ("written", "disguised"),
    [("предыдущие", "пpeдыдyщиe"), ("ёлка", "елка"), ("чужой", "чужои"), ("не", "he")],
)
def test_a_russian_word_is_known_in_its_disguises(written: str, disguised: str) -> None:
    assert set(canonical(written)) & set(readings(disguised))


def test_a_text_in_one_script_has_one_form_and_a_mixed_one_its_skeleton_too() -> None:
    assert Reading("curl и почта").forms == ("curl и почта",)
    assert Reading("c\u0443rl").forms == ("c\u0443rl", "cyrl")


@given(st.text(st.characters(exclude_categories=[])))
def test_the_vocabulary_holds_every_word_of_every_form(text: str) -> None:
    reading = Reading(text)
    assert set(reading.words) <= reading.vocabulary
    for form in reading.forms:
        assert set(reading.word.findall(form)) <= reading.vocabulary
