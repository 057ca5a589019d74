"""The language of phrases and its matcher."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vibeos.ports.guard.normalise import Reading
from vibeos.ports.guard.phrases import Lexicon, find, parse


def holds(pattern: str, text: str) -> bool:
    return "rule" in find(Reading(text), Lexicon(parse("rule", pattern)))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("open the door", "Open the door!"),
        ("open the door", "please, OPEN\n(the) door"),
        ("open|shut the door|gate", "shut the gate"),
        ("open ~2 door", "open the big door"),
        ("open ~2 door", "open door"),
        ("open the? door", "open door"),
        ("open ~1 the? door", "open now door"),
        ("door*", "doorway"),
        ("door*", "door"),
        ("open the door !mat", "open the door wide"),
        ("open the door !mat", "open the door mat; open the door"),
        ("open door door", "open open door door"),
        ("открой ёлку", "Открой елку"),
        ("открой дверь", "oткpoй двepь"),
        ("打开 ~2 门", "请打开那扇门"),
        ("打开 的? 门", "打开门"),
        ("打开 ~1 door", "打开the door吧"),
        ("open the door", "openthedoor now"),
        ("open the door", "openTheDoor"),
        ("open the door", "o p e n t h e d o o r"),
        ("open the door", "0pen the d00r"),
    ],
)
def test_a_phrase_is_found(pattern: str, text: str) -> None:
    assert holds(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("open the door", "the door is open"),
        ("open the door", "open a door"),
        ("open ~2 door", "open one two three door"),
        ("open|shut the door", "opens the door"),
        ("door*", "indoor"),
        ("open the door !mat", "open the door mat"),
        ("open door door", "open door"),
        ("打开 ~2 门", "打开那一扇大门"),
        ("open the door", "Do not open the door."),
        ("open the door", "Never open the door."),
        ("open the door", "You mustn't open the door."),
        ("open the door", "don’t lock, shut or open the door"),
        ("открой дверь", "Не открой дверь"),
        ("打开 门", "请不要打开门"),
        ("^alone ~1 open", "We never leave it alone and open"),
        ("open the door", ""),
    ],
)
def test_a_phrase_is_not_found(pattern: str, text: str) -> None:
    assert not holds(pattern, text)


@pytest.mark.parametrize(
    "text",
    [
        "Why not open the door",
        "Do not!\nOpen the door",
        "better late than never open the door",
        "不得不打开门",
        "特别打开门",
    ],
)
def test_what_only_looks_like_a_negation_forbids_nothing(text: str) -> None:
    assert holds("打开 门" if "打" in text else "open the door", text)


def test_an_optional_word_stands_for_two_phrases_and_hands_its_gap_on() -> None:
    with_it, without_it = parse("rule", "open ~2 the? door")
    assert (with_it.words, with_it.gaps) == (("open", "the", "door"), (0, 2, 0))
    assert (without_it.words, without_it.gaps) == (("open", "door"), (0, 2))


def test_the_passage_covers_the_words_of_the_phrase() -> None:
    found = find(Reading("Now, open the old door."), Lexicon(parse("rule", "open ~2 door")))["rule"]
    assert found.text[found.start : found.end] == "open the old door"


@given(st.lists(st.sampled_from(["open", "the", "door", "x", "open the"]), max_size=30))
def test_the_matcher_agrees_with_looking_at_every_place(words: list[str]) -> None:
    stream = " ".join(words).split()
    starts = (at for at, word in enumerate(stream) if word == "open")
    expected = any("door" in stream[at + 1 : at + 4] for at in starts)
    assert holds("open ~2 door", " ".join(words)) == expected
