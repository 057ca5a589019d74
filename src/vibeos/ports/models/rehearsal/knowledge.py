"""What the rehearsal knows: the entries of its memory, as the prompt's frozen blocks and later answers of the tool show them.

A block of the prompt is a title between two rules and its entries below; the memory tool's answers in this conversation are
newer and win. Entries fit a question when most of its telling words occur in them, stems compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.ports.models.rehearsal.hands import json_of
from vibeos.ports.models.rehearsal.talk import Answered
from vibeos.values.analyser import index_terms, query_terms
from vibeos.values.catalogue import LANGUAGES, catalogue
from vibeos.values.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vibeos.ports.models.rehearsal.talk import Talk

MEMORY, USER = "memory", "user"
STORE_NAMES = {MEMORY: "MEMORY.md", USER: "USER.md"}
ENOUGH = 0.6  # the share of a question's telling words that an entry must hold

_RULE = "═{20,}"
_BLOCK = rf"^{_RULE}\n(?P<title>[^\n]+)\n{_RULE}\n(?P<body>.*?)(?=\n\n{_RULE}\n|\Z)"
_DELIMITER = "\n§\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a store: `memory` or `user`."""

    store: str
    text: str


def known_entries(talk: Talk) -> tuple[Entry, ...]:
    """All entries as far as this conversation shows them, newest knowledge of each store."""
    stores = _in_prompt(talk.system) | _told_since(talk)
    return tuple(Entry(store, text) for store in (USER, MEMORY) for text in stores.get(store, ()))


def topic_of(about: str) -> frozenset[str]:
    """The telling words of a question; empty when it has none."""
    return frozenset(term for term in query_terms(about) if term not in STOP_WORDS)


def share(topic: frozenset[str], text: str) -> float:
    """How much of the topic occurs in the text, from 0 to 1."""
    return len(topic.intersection(index_terms(text))) / len(topic) if topic else 0.0


def fitting(topic: frozenset[str], entries: Iterable[Entry]) -> list[Entry]:
    """The entries that hold most of the topic, the best alone where one is better than the others."""
    rated = [(share(topic, entry.text), entry) for entry in entries]
    best = max((rate for rate, _ in rated), default=0.0)
    return [entry for rate, entry in rated if rate == best] if best >= ENOUGH else []


def _in_prompt(system: str) -> dict[str, tuple[str, ...]]:
    found = re.finditer(_BLOCK, system, re.MULTILINE | re.DOTALL)
    return {_store(block["title"]): _entries(block["body"]) for block in found}


def _store(title: str) -> str:
    titles = (catalogue(language).text("snapshot.user") for language in LANGUAGES)
    return USER if title.startswith(tuple(titles)) else MEMORY


def _entries(body: str) -> tuple[str, ...]:
    return tuple(text for entry in body.split(_DELIMITER) if (text := entry.strip()))


def _told_since(talk: Talk) -> dict[str, tuple[str, ...]]:
    stores: dict[str, tuple[str, ...]] = {}
    for event in talk.events:
        for made in event.made if isinstance(event, Answered) else ():
            answer = json_of(made) if made.call.name == "memory" else {}
            entries = answer.get("current_entries")
            if isinstance(entries, list) and answer.get("target") in STORE_NAMES:
                stores[answer["target"]] = tuple(str(entry) for entry in entries)
    return stores
