"""Text analysis for search: one module for both sides, so that every database finds the same things.

A text becomes *terms*, ready-made: no blank, no quote, nothing that a database's own tokenizer would split or
change. Words are folded (NFKC, case, accents, ё → е) and stemmed by their script; runs of Chinese, Japanese, Korean
and other scripts without spaces become pairs of characters and single ones; identifiers are kept whole and split
(`getUserById`, `RUST_LOG`, `C++`, `node.js`, `#4821`).

The terms of a text have two parts: the *stream*, in which words that stand side by side stay side by side, so
that phrases can be found; and the *rest* (whole identifiers, their pieces, single characters), which follows it.
Everything here is a pure function, and linear in the length of its input.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.stop_words import STOP_WORDS
from vibeos.values.text import normalized, without_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LONGEST_TERM = 64
_MOST_PIECES = 6  # of one identifier; what has more is a hash or a key, and its pieces mean nothing

# Scripts that write words without spaces: Thai, Lao, Tibetan, Myanmar, Khmer, kana, Han, Hangul.
_RUN = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Signs that belong to the letter before them, but are no letters to `re`.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"


def _token_pattern(word: str) -> str:
    """Words tied together by the signs that identifiers and names use, with what may stand around them."""
    return rf"\#?{word}(?:[.\-'’]{word})*(?:\+\+|\#(?!\w))?"


_ASCII_TOKEN = _token_pattern("[A-Za-z0-9_]+")
_ANY_WORD = rf"(?:[^\W{_RUN}]|[{_MARKS}])+"
_TOKEN = rf"(?P<run>[{_RUN}]+)|{_token_pattern(_ANY_WORD)}"
_TIES = r"[.\-'’_]+"
_CLITIC = r"(?i:(?:n['’]t|['’](?:s|re|ve|ll|d|m))$)"
_CAMEL = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
_MIXED = r"[a-z][A-Z0-9]|[0-9][A-Za-z]|[A-Z][A-Z][a-z]|[A-Z][0-9]"
_ACCENTS = "(?<=[a-zα-ω])[\u0300-\u036f]+|(?<=[а-я])[\u0300-\u0304]+|(?<=е)\u0308"
_VOWEL_POINTS = "[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f]+"
_UNDECOMPOSED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"})
_LATIN = r"[a-z]+"
_CYRILLIC = r"[а-я]+"
_UNSAFE = r"[^A-Za-z0-9_.+#\-\x80-\U0010ffff]|’"

_MONTHS = (
    "january январь",
    "february февраль",
    "march март",
    "april апрель",
    "may май",
    "june июнь",
    "july июль",
    "august август",
    "september сентябрь",
    "october октябрь",
    "november ноябрь",
    "december декабрь",
)


class _Terms(NamedTuple):
    """What one token gives: for the stream, for the rest, for a query, and for a query without stop words."""

    stream: tuple[str, ...]
    rest: tuple[str, ...]
    asked: tuple[str, ...]
    telling: tuple[str, ...]


def index_terms(text: str) -> list[str]:
    """The terms under which a text is found: its stream, then the rest. A term occurs as often as in the text."""
    analysed = list(_analysed(text))
    stream = [term for terms in analysed for term in terms[0]]
    return stream + [term for terms in analysed for term in terms[1]]


def phrase_terms(text: str) -> list[str]:
    """The terms that stand side by side in the stream of every text that holds these words side by side."""
    return [term for terms in _analysed(text) for term in terms.stream]


def query_terms(text: str) -> list[str]:
    """The terms to look for, each once, without stop words unless nothing else remains."""
    analysed = tuple(_analysed(text))
    telling = dict.fromkeys(term for terms in analysed for term in terms.telling)
    return list(telling or dict.fromkeys(term for terms in analysed for term in terms.asked))


def prefix_terms(word: str) -> list[str]:
    """The beginnings to look for when a person asks for `word*`: as it stands, and as its stem."""
    tokens = [token for token, _ in _tokens(word)]
    as_it_stands = [_safe(fold_word(token)) for token in tokens[-1:]]
    return [*dict.fromkeys(term for term in (*as_it_stands, *phrase_terms(word)[-1:]) if term)]


def date_terms(day: str) -> list[str]:
    """The terms of a date (`2026-01-15`, or a stamp that begins so), for people who ask by date."""
    return list(_date_terms(day[:10]))


def words_with_places(text: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Each word's start, end and terms, for marking what a query found; of a run each character's, with its pair's.

    Places are those of the text as it is.
    """
    for match in _compiled(_TOKEN).finditer(text):
        start, end = match.span()
        if match.lastgroup == "run":
            yield from (
                (place, place + 1, _terms_of(text[place : min(place + 2, end)]))
                for place in range(start, end)
            )
        else:
            yield start, end, _terms_of(match[0])


def _terms_of(word: str) -> frozenset[str]:
    return frozenset(term for terms in _analysed(word) for term in (*terms.asked, *terms.rest))


def fold_word(text: str) -> str:
    """A form in which words are compared: compatibility forms, case, accents, ё and vowel points make no difference."""
    if text.isascii():
        return text.lower()
    folded = normalized("NFKC", text).casefold().translate(_UNDECOMPOSED)
    bare = _compiled(_ACCENTS).sub("", normalized("NFD", folded))
    return normalized("NFC", _compiled(_VOWEL_POINTS).sub("", bare))


def _analysed(text: str) -> Iterator[_Terms]:
    if text.isascii():
        return map(_word_terms, _compiled(_ASCII_TOKEN).findall(text))
    return (_run_terms(token) if is_run else _word_terms(token) for token, is_run in _tokens(text))


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    plain = without_invisible(normalized("NFKC", text))
    return ((match[0], match.lastgroup == "run") for match in _compiled(_TOKEN).finditer(plain))


def _run_terms(run: str) -> _Terms:
    pairs = tuple(run[place : place + 2] for place in range(len(run) - 1))
    single = tuple(run)
    asked = pairs or single
    return _Terms(pairs, single, asked, tuple(term for term in asked if term not in STOP_WORDS))


@lru_cache(maxsize=32_768)  # the words of conversations repeat; this is most of the analyser's speed
def _word_terms(token: str) -> _Terms:
    return _letters_terms(token) if token.isalpha() else _tied_terms(token)


def _letters_terms(word: str) -> _Terms:
    """Of a word of letters alone, as most are."""
    if word.islower() and word.isascii():  # nothing to fold, to clean or to split
        stem = (_stemmer("english")(word[:LONGEST_TERM]),)
        return _Terms(stream=stem, rest=(), asked=stem, telling=() if word in STOP_WORDS else stem)
    stream, rest = _stems([word]), _stems(_camel_parts(word))
    asked = rest + stream
    return _Terms(stream, rest, asked, () if fold_word(word) in STOP_WORDS else asked)


def _tied_terms(token: str) -> _Terms:
    word = _compiled(_CLITIC).sub("", token) or token
    pieces = [piece for piece in _compiled(_TIES).split(word.strip("#+")) if piece]
    stream = _stems(pieces)
    if (
        len(pieces) == 1 and word[-1] in "#+"
    ):  # C++, C#: `c` alone finds them, but they are not looked for by `c`
        whole = (_safe(fold_word(word)),)
        return _Terms(whole, stream, whole, whole)
    split = [part for piece in pieces for part in _camel_parts(piece)]
    rest = _wholes(word, pieces) + _stems(split)
    asked = tuple(dict.fromkeys((*rest, *stream)))
    return _Terms(stream, rest, asked, () if fold_word(word) in STOP_WORDS else asked)


def _wholes(word: str, pieces: list[str]) -> tuple[str, ...]:
    """The whole of what has been split (`node.js`, `rust_log`, `#4821`); compounds in their joined form (`email`)."""
    if word[0] != "#" and len(pieces) < 2:
        return ()
    if "'" in word or "’" in word or ("-" in word and word.replace("-", "").isalpha()):
        return _stems(["".join(pieces)])
    whole = _safe(fold_word(word))
    return (whole,) if whole else ()


def _camel_parts(piece: str) -> list[str]:
    """`getUserById` → get, User, By, Id; of letters and digits only the letters (`python3`), unless they are crumbs."""
    if not (piece.isascii() and _compiled(_MIXED).search(piece)):
        return []
    parts = _compiled(_CAMEL).findall(piece)
    crumbs = sum(len(part) == 1 for part in parts)
    if len(parts) > _MOST_PIECES or 2 * crumbs > len(parts):
        return []
    return [part for part in parts if not part.isdigit()]


def _stems(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(stem for stem in (_stem(_safe(fold_word(word))) for word in words) if stem)


def _safe(term: str) -> str:
    return _compiled(_UNSAFE).sub("", term)[:LONGEST_TERM]


def _stem(word: str) -> str:
    if _compiled(_LATIN).fullmatch(word):
        return _stemmer("english")(word)
    if _compiled(_CYRILLIC).fullmatch(word):
        return _stemmer("russian")(word)
    return word


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # when it is first needed: start-up is a feature


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer  # type: ignore[import-not-found]  # noqa: PLC0415 - only who searches or records pays for it

    stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stem


@lru_cache(maxsize=64)
def _date_terms(day: str) -> tuple[str, ...]:
    year, month, number = day.split("-")
    return (day, *index_terms(f"{year} {_MONTHS[int(month) - 1]} {int(number)}"))
