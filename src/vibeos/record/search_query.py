"""What a person typed into a search, as units to look for. Nothing that can be typed is an error.

words            any of them; stop words are left out unless nothing else remains
"a phrase"       must be there, unless OR stands beside it
this OR that     either
-word, -"…"      must not be there
begin*           words that begin so

Everything else is plain text: a quote without its partner, brackets, AND.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from vibeos.values.analyser import phrase_terms, prefix_terms, query_terms

_PIECE = (
    r"""(?:(?<=\s)|^)(?P<without>-)(?:"(?P<without_phrase>[^"]*)"|(?P<without_word>[^\s\-"][^\s"]*))"""
    r"""|"(?P<phrase>[^"]*)"|(?P<or>(?:(?<=\s)|^)OR(?=\s|$))|(?P<prefix>\w+)\*|(?P<plain>[^\s"]+|")"""
)
_LONGEST_QUERY = 2_000
_MOST_UNITS = 64


class Unit(NamedTuple):
    """Terms that stand side by side. One of a single term is a word; `begins`: the term may go on."""

    terms: tuple[str, ...]
    begins: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Every unit of `required`, and any of `wanted` if `required` is empty, and none of `unwanted`."""

    required: tuple[Unit, ...] = ()
    wanted: tuple[Unit, ...] = ()
    unwanted: tuple[Unit, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """Every term that is looked for."""
        return frozenset(term for unit in self.required + self.wanted for term in unit.terms)


def parse(text: str) -> SearchQuery:
    """What a text asks for; a query without a unit when there is nothing to look for."""
    pieces = list(re.finditer(_PIECE, text[:_LONGEST_QUERY]))
    required: list[Unit] = []
    wanted: list[Unit] = []
    unwanted: list[Unit] = []
    plain: list[str] = []
    for place, piece in enumerate(pieces):
        if piece["or"]:
            continue
        if piece["without"]:
            unwanted += _phrase(piece["without_phrase"] or piece["without_word"] or "")
        elif piece["phrase"] is not None:
            beside_or = any(other["or"] for other in pieces[max(0, place - 1) : place + 2])
            (wanted if beside_or else required).extend(_phrase(piece["phrase"]))
        elif piece["prefix"]:
            wanted += [Unit((term,), begins=True) for term in prefix_terms(piece["prefix"])]
        else:
            plain.append(piece["plain"])
    wanted += [Unit((term,)) for term in query_terms(" ".join(plain))]
    if not required and not wanted:  # `-word` alone asks for nothing, so it is text
        return SearchQuery(wanted=tuple(Unit((term,)) for unit in unwanted for term in unit.terms))
    return SearchQuery(tuple(required), tuple(wanted[:_MOST_UNITS]), tuple(unwanted))


def _phrase(text: str) -> list[Unit]:
    terms = tuple(phrase_terms(text)) or tuple(query_terms(text))
    return [Unit(terms)] if terms else []
