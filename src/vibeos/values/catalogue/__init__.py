"""Texts that people and models see, in English, Russian and Chinese.

A catalogue is one module per language with a table of texts and the mark between groups of three digits.
Every language has the same keys with the same placeholders; a test holds that.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

LANGUAGES = ("en", "ru", "zh")


class Catalogue(NamedTuple):
    """The texts of one language."""

    language: str
    texts: dict[str, str]
    group_mark: str

    def text(self, key: str, /, **values: object) -> str:
        """The text of this key with its placeholders filled; numbers are grouped."""
        shown = {name: self.number(value) if type(value) is int else value for name, value in values.items()}
        return self.texts[key].format(**shown)

    def number(self, value: int) -> str:
        """The number as people of this language group it: `1,474`, `1 474`."""
        return f"{value:,}".replace(",", self.group_mark)


def catalogue(language: str) -> Catalogue:
    """The catalogue of `en`, `ru` or `zh`; English for every other language."""
    name = language if language in LANGUAGES else "en"
    module = import_module(f"vibeos.values.catalogue.{name}")
    return Catalogue(name, module.TEXTS, module.GROUP_MARK)


def language_of(locale: str) -> str:
    """The language of a locale name such as `ru_RU.UTF-8`: one of `LANGUAGES`, English when unknown."""
    name = locale.replace("-", "_").split("_")[0].split(".")[0].lower()
    return name if name in LANGUAGES else "en"
