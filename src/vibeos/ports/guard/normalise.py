"""The one normaliser: what a reader (or a model) sees, whatever the characters are.

Width, case, compatibility forms and invisible characters are folded by `values.text`; here also marks on
letters, control characters, letters spelled apart, words broken at a line's end, look-alikes from other
scripts and digits that stand for letters. English words are looked up in their Latin reading, Russian ones
in their Cyrillic reading, Chinese as folded. Linear in the length of the text.
"""

from __future__ import annotations

import unicodedata
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from vibeos.ports.guard.passages import compiled
from vibeos.values.text import fold, skeleton, without_invisible

if TYPE_CHECKING:
    import re

FIRST_IDEOGRAPH = "\u3400"  # words from here on are looked at character by character
_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
ANY_IDEOGRAPH = "漢"  # stands in a vocabulary for all words in ideographs, which have no spaces between them

SIGNS = "$%<|═"

_ASCII_WORD = r"[a-z0-9]+"
_WORD = r"[^\W_]+"
_WORD_OR_IDEOGRAPHS = rf"[^\W_{_HAN}]+|[{_HAN}]+"
_CONTROLS = r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]+"
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MANY_MARKS = f"({_MARK}{{4}}){_MARK}+"
_MIXED_SCRIPTS = "[a-z][\u0370-\u058f]|[\u0370-\u058f][a-z]"
_SPELLED_APART = r"(?<![^\W_])[^\W\d_](?:[\W_]{1,3}[^\W\d_](?![^\W_])){4,}+"
_LETTER_BY_LETTER = "1" * 5
_BROKEN_WORD = r"(?<=[^\W\d_])-\n(?=[^\W\d_])"
_SHORT = 1_000  # up to here nothing needs to be cut before it is folded
# One character each that unfolds into a long phrase of Arabic, which no rule looks for.
_LONG_LIGATURES = "\ufdfa\ufdfb"

# Letters in black circles and squares, and those that flags are made of: fonts draw them as letters.
_FIRST_EMBLEM = "\U0001f150"
_EMBLEMS = {
    first + number: chr(ord("a") + number) for first in (0x1F150, 0x1F170, 0x1F1E6) for number in range(26)
}

# Cyrillic as it is compared (ё = е, й = и), and what stands in for Cyrillic letters.
_CYRILLIC = str.maketrans("ёйabcehkmoptxy03οαρυχκτ", "еиавсенкмортхуозоарухкт")
_LATIN_TWINS = str.maketrans("авсенкмортхуоз", "abcehkmoptxy03")
# Small letters whose capitals are drawn like Latin ones: the text is folded by now.
_DRAWN_LIKE = {"в": "b", "н": "h", "п": "n", "и": "u", "г": "r"}
_NEVER_LATIN = frozenset("бдёжзлфцчшщъыэюя")  # a quick look before the long one
_DIGITS = str.maketrans("013457", "oieast")
_DIGITS_TOO = str.maketrans("013457", "oleast")


class Reading:
    """A text as the rules read it; it does not change.

    `raw`: as it came. `forms`: folded, and its skeleton too where a word mixes scripts. `spelled`: the folded
    text with letters spelled apart put together; `words`: its words, in order, as `word` finds them.
    """

    def __init__(self, raw: str) -> None:
        folded = _folded(raw)
        mixed = not folded.isascii() and compiled(_MIXED_SCRIPTS).search(folded) is not None
        spelled = compiled(_BROKEN_WORD).sub("", folded) if "-\n" in folded else folded
        self.raw = raw
        self.forms = (folded, skeleton(folded)) if mixed else (folded,)
        self.word = _word_pattern(folded)
        self.words: list[str] = self.word.findall(spelled)
        if _LETTER_BY_LETTER in "".join(["1" if len(word) == 1 else "2" for word in self.words]):
            spelled = compiled(_SPELLED_APART).sub(self._joined, spelled)
            self.words = self.word.findall(spelled)
        self.spelled = spelled

    def _joined(self, letters: re.Match[str]) -> str:
        return "".join(self.word.findall(letters.group()))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of every form, and which of `SIGNS` stand there: a cheap way to see what cannot be there."""
        found = set(self.words)
        for form in self.forms if self.spelled is not self.forms[0] else self.forms[1:]:
            found.update(self.word.findall(form))
        if self.words and max(self.words) >= FIRST_IDEOGRAPH:
            found.add(ANY_IDEOGRAPH)
        found.update(sign for sign in SIGNS if sign in self.spelled)
        return frozenset(found)

    @cached_property
    def ways(self) -> dict[str, tuple[str, ...]]:
        """How each of the words may be read."""
        return {
            word: (word,) if word.isascii() and word.isalpha() else readings(word)
            for word in dict.fromkeys(self.words)
        }

    @cached_property
    def latin_ways(self) -> dict[str, tuple[str, ...]]:
        """The same, of the words that may be read as Latin."""
        if self.spelled.isascii():
            return self.ways
        return {
            word: ways if len(ways) == 1 else tuple(filter(str.isascii, ways))
            for word, ways in self.ways.items()
            if ways[-1].isascii()
        }

    @cached_property
    def has_invisible(self) -> bool:
        """Whether any invisible character stands in the text, legal or not."""
        return len(without_invisible(self.raw)) != len(self.raw)

    @cached_property
    def memo(self) -> dict[str, list[re.Match[str]]]:
        """What several rules look for, by form; filled by who looks first."""
        return {}


def _word_pattern(text: str) -> re.Pattern[str]:
    """The pattern of a word in this folded text; a run of ideographs is a word of its own."""
    if text.isascii():
        return compiled(_ASCII_WORD)
    return compiled(_WORD if max(text) < FIRST_IDEOGRAPH else _WORD_OR_IDEOGRAPHS)


def _folded(text: str) -> str:
    if not text.isprintable():
        text = compiled(_CONTROLS).sub("", text)
    if text.isascii():
        return text.lower()
    if len(text) > _SHORT:
        text = compiled(_MANY_MARKS).sub(r"\1", text)
        for ligature in _LONG_LIGATURES:
            text = text.replace(ligature, " ")
    if max(text) >= _FIRST_EMBLEM:
        text = text.translate(_EMBLEMS)
    return compiled(_MARK).sub("", fold(text))


def readings(word: str) -> tuple[str, ...]:
    """How a folded word may be read, the likeliest first."""
    if word.isascii():
        if word.isalpha():
            return (word,)
        return (word, word.translate(_DIGITS), word.translate(_DIGITS_TOO))
    cyrillic = word.translate(_CYRILLIC)
    found = (word,) if cyrillic == word else (word, cyrillic)
    if not _NEVER_LATIN.isdisjoint(word) or not all(map(_latin, word)):
        return found
    return (*found, "".join(map(_latin, word)))


@lru_cache(4096)
def _latin(letter: str) -> str:
    """The Latin letter that this one looks like, or nothing."""
    bare = unicodedata.normalize("NFD", letter)[0]
    drawn = _DRAWN_LIKE.get(bare) or skeleton(bare)
    return drawn if drawn.isascii() and drawn.isalnum() else ""


def canonical(word: str) -> tuple[str, ...]:
    """A word of the rules as readings of texts give it; a Russian one also as Latin letters may write it."""
    if word.isascii():
        return (word,)
    plain = word.translate(_CYRILLIC)
    disguised = plain.translate(_LATIN_TWINS)
    return (plain, disguised) if disguised.isascii() else (plain,)
