"""The three languages say the same things with the same values."""

from __future__ import annotations

from string import Formatter

import pytest

from vibeos.values.catalogue import LANGUAGES, catalogue, language_of


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_with_the_same_placeholders(language: str) -> None:
    english, other = catalogue("en").texts, catalogue(language).texts
    assert {key: placeholders(text) for key, text in other.items()} == {
        key: placeholders(text) for key, text in english.items()
    }


@pytest.mark.parametrize(("language", "shown"), [("en", "1,474"), ("ru", "1 474"), ("zh", "1,474")])
def test_numbers_are_grouped_as_the_language_does(language: str, shown: str) -> None:
    assert catalogue(language).number(1474) == shown


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("ru_RU.UTF-8", "ru"),
        ("zh_CN", "zh"),
        ("zh-Hant-TW", "zh"),
        ("C", "en"),
        ("", "en"),
        ("de_DE.UTF-8", "en"),
    ],
)
def test_a_locale_chooses_its_language_and_english_otherwise(locale: str, language: str) -> None:
    assert language_of(locale) == language


def test_braces_in_a_value_are_not_placeholders() -> None:
    assert catalogue("en").text("memory.no_match", old_text='"{used}"').count("{used}") == 1
