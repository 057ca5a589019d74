"""Phrases: the small language in which rules name words near each other, and the matcher that finds them.

    ignore|disregard ~3 previous|prior ~2 instruction*|rules !engine

Words stand in this order; `|` separates alternatives, `stem*` is any word that begins so (stems have four
letters or more), `~N` allows up to N other words in between, `word?` may be missing, and a last `!word` must
not follow. A leading `^` looks further back for a word that forbids. Punctuation and line breaks do not count.
A Chinese word is found wherever its characters stand, and each other character counts as one word.

All phrases are matched in one walk over the words, whose time does not depend on how often a phrase begins:
each step of a phrase remembers only where it was reached last, which is the best place to continue from.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from vibeos.ports.guard.normalise import FIRST_IDEOGRAPH, canonical, readings
from vibeos.ports.guard.passages import Passage, forbidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vibeos.ports.guard.normalise import Reading

Step = tuple[int, int]  # the number of a phrase, and the place of one of its words

_STEM = 4  # the letters by which a stem is looked up
_HEAD = 3  # the letters by which a word is looked up inside another
_LONG_WORD = 9  # from here a word may be several written together; in Cyrillic, words are longer
_LONG_CYRILLIC_WORD = 13
_NEVER = -(10**9)


class Phrase(NamedTuple):
    """One way to write a phrase. `words`: at each place the alternatives, as written. `gaps`: how many other
    words may stand before each."""

    rule_id: str
    words: tuple[str, ...]
    gaps: tuple[int, ...]
    not_before: tuple[str, ...] = ()
    looks_far: bool = False


class Piece(NamedTuple):
    """A known word inside a word of the text: where it stands, counted in words and in characters."""

    offset: int
    width: int
    start: int
    end: int
    steps: list[Step]


class Pieces(NamedTuple):
    """The known words inside one word of the text, and for how many words it counts."""

    width: int
    found: list[Piece]


def parse(rule_id: str, pattern: str) -> list[Phrase]:
    """The phrases that a pattern stands for: one for each choice of its optional words."""
    far, pattern = pattern.startswith("^"), pattern.removeprefix("^")
    variants: list[tuple[tuple[str, ...], tuple[int, ...], int]] = [((), (), 0)]
    not_before: tuple[str, ...] = ()
    for part in pattern.split():
        if part.startswith("~"):
            variants = [(words, gaps, waiting + int(part[1:])) for words, gaps, waiting in variants]
        elif part.startswith("!"):
            not_before = tuple(form for word in part[1:].split("|") for form in canonical(word))
        else:
            choice = part.removesuffix("?")
            taken = [((*words, choice), (*gaps, waiting), 0) for words, gaps, waiting in variants]
            variants = taken + variants if part.endswith("?") else taken
    return [Phrase(rule_id, words, gaps, not_before, far) for words, gaps, _ in variants]


class Lexicon:
    """Some phrases, and the words by which they are found. Made once, then only read.

    `latin`: all its words are; then words of the text that cannot be read as Latin need no look.
    """

    def __init__(self, phrases: Iterable[Phrase], *, latin: bool = False) -> None:
        self.phrases = tuple(phrases)
        self.latin = latin
        self._exact: defaultdict[str, list[Step]] = defaultdict(list)
        self._stems: defaultdict[str, dict[str, list[Step]]] = defaultdict(dict)
        self._heads: defaultdict[str, list[tuple[str, list[Step]]]] = defaultdict(list)
        self.ideographs: dict[str, list[Step]] = {}
        choices: defaultdict[str, list[Step]] = defaultdict(list)
        for number, phrase in enumerate(self.phrases):
            for place, choice in enumerate(phrase.words):
                choices[choice].append((number, place))
        for choice, steps in choices.items():
            for written in choice.split("|"):
                self._add(written, steps)
        self._index()

    def _add(self, written: str, steps: list[Step]) -> None:
        for word in canonical(written.removesuffix("*")):
            if written.endswith("*"):
                self._stems[word[:_STEM]].setdefault(word, []).extend(steps)
            else:
                self._exact[word] += steps

    def _index(self) -> None:
        """Where a known word may stand inside another: by its first letters, the longest word first."""
        known = {*self._exact, *(stem for stems in self._stems.values() for stem in stems)}
        for word in sorted(known, key=len, reverse=True):
            if word >= FIRST_IDEOGRAPH:
                self.ideographs[word] = self._steps(word)
            elif len(word) >= _HEAD:
                self._heads[word[:_HEAD]].append((word, self._steps(word)))

    def known(self, words: dict[str, tuple[str, ...]]) -> dict[str, Pieces]:
        """What is known of these words, each with the ways to read it. Most words are in no phrase."""
        stems = self._stems
        worth_a_look = self._exact.keys() & words.keys()
        worth_a_look.update(
            [
                word
                for word, ways in words.items()
                if word[:_STEM] in stems or len(word) >= _LONG_WORD or len(ways) > 1 or ways[0] is not word
            ]
        )
        known = {word: self._pieces(word, words[word]) for word in worth_a_look if word < FIRST_IDEOGRAPH}
        return {word: pieces for word, pieces in known.items() if pieces is not None}

    def _pieces(self, word: str, ways: tuple[str, ...]) -> Pieces | None:
        if len(word) >= (_LONG_WORD if ways[-1].isascii() else _LONG_CYRILLIC_WORD):
            cut = self._cut_long(ways)
            if cut is not None:
                return cut
        steps = (
            self._steps(ways[0]) if len(ways) == 1 else [step for way in ways for step in self._steps(way)]
        )
        return Pieces(1, [Piece(0, 1, 0, len(word), steps)]) if steps else None

    def signs_in(self, text: str) -> dict[str, list[Step]]:
        """The words in ideographs that stand anywhere in the text."""
        if not self.ideographs:
            return {}
        letters = set(text)
        return {
            word: steps
            for word, steps in self.ideographs.items()
            if word[0] in letters and word[-1] in letters and word in text
        }

    def _steps(self, word: str) -> list[Step]:
        steps = self._exact.get(word, [])
        stems = self._stems.get(word[:_STEM])
        if stems:
            steps = steps + [step for stem, more in stems.items() if word.startswith(stem) for step in more]
        return steps

    def _cut_long(self, ways: tuple[str, ...]) -> Pieces | None:
        """The words that are written together in this one, in the reading that shows the most of them."""
        cuts = [self._cut_reading(way) for way in ways]
        most = cuts[0] if len(cuts) == 1 else max(cuts, key=lambda pieces: len(pieces.found))
        return most if len(most.found) > 1 else None

    def _cut_reading(self, word: str) -> Pieces:
        found: list[Piece] = []
        offset = at = last = 0
        heads = self._heads
        while at < len(word):
            for known, steps in heads.get(word[at : at + _HEAD], ()):
                if word.startswith(known, at):
                    offset += at > last  # letters between two known words count as one word
                    found.append(Piece(offset, 1, at, at + len(known), steps))
                    at = last = at + len(known)
                    offset += 1
                    break
            else:
                at += 1
        return Pieces(max(offset, 1), found)


def find(reading: Reading, lexicon: Lexicon) -> dict[str, Passage]:
    """For each rule of which a phrase stands in the text, the first place."""
    known = lexicon.known(reading.latin_ways if lexicon.latin else reading.ways)
    signs = lexicon.signs_in(reading.spelled)
    present = {step for pieces in known.values() for piece in pieces.found for step in piece.steps}
    present.update(step for steps in signs.values() for step in steps)
    counts: defaultdict[int, int] = defaultdict(int)
    for number, _ in present:
        counts[number] += 1
    possible = {number for number, count in counts.items() if count == len(lexicon.phrases[number].words)}
    return _Walk(reading, lexicon, possible).run(known, signs) if possible else {}


class _Signs:
    """The words in ideographs to look for in runs of ideographs."""

    def __init__(self, signs: dict[str, list[Step]]) -> None:
        self._signs = signs
        self._by_first: defaultdict[str, list[str]] = defaultdict(list)
        for sign in signs:
            self._by_first[sign[0]].append(sign)
        self._first = re.compile(f"[{''.join(self._by_first)}]") if signs else None

    def within(self, run: str) -> Iterator[Piece]:
        """Where they stand, in order."""
        for first in self._first.finditer(run) if self._first else ():
            at = first.start()
            for sign in self._by_first[first.group()]:
                if run.startswith(sign, at):
                    yield Piece(at, len(sign), at, at + len(sign), self._signs[sign])


class _Walk:
    """One walk over the words of a text, with the phrases of which every word occurs somewhere in it."""

    def __init__(self, reading: Reading, lexicon: Lexicon, possible: set[int]) -> None:
        self._text = reading.spelled
        self._word = reading.word
        self._lexicon = lexicon
        self._reached = {number: [_NEVER] * len(lexicon.phrases[number].words) for number in possible}
        self._began = {number: [0] * len(lexicon.phrases[number].words) for number in possible}
        self._found: dict[str, Passage] = {}
        self._kept: dict[int, list[Step]] = {}

    def run(self, known: dict[str, Pieces], signs: dict[str, list[Step]]) -> dict[str, Passage]:
        """`known`: what is known of each word; `signs`: the words in ideographs that stand in the text."""
        ideographs = _Signs({word: kept for word, steps in signs.items() if (kept := self._useful(steps))})
        position = 0
        for match in self._word.finditer(self._text):
            word = match.group()
            if word >= FIRST_IDEOGRAPH:
                for piece in ideographs.within(word):
                    self._take(piece, piece.steps, position + piece.offset, match.start())
                position += len(word)
                continue
            pieces = known.get(word)
            if pieces is None:
                position += 1
                continue
            for piece in pieces.found:
                steps = self._useful(piece.steps)
                if steps:
                    self._take(piece, steps, position + piece.offset, match.start())
            position += pieces.width
        return self._found

    def _useful(self, steps: list[Step]) -> list[Step]:
        """Only the steps of possible phrases, later ones first: a word must not follow itself."""
        kept = self._kept.get(id(steps))
        if kept is None:
            unique = {step for step in steps if step[0] in self._reached}
            kept = self._kept[id(steps)] = sorted(unique, key=lambda step: -step[1])
        return kept

    def _take(self, piece: Piece, steps: list[Step], position: int, origin: int) -> None:
        start = origin + piece.start
        forbidden_here: dict[bool, bool] = {}
        for number, place in steps:
            reached, began = self._reached[number], self._began[number]
            if place == 0:
                far = self._lexicon.phrases[number].looks_far
                if far not in forbidden_here:
                    forbidden_here[far] = forbidden(self._text, start, far=far)
                if forbidden_here[far]:
                    continue
                began[0] = start
            elif 0 <= position - reached[place - 1] <= self._lexicon.phrases[number].gaps[place]:
                began[place] = began[place - 1]
            else:
                continue
            reached[place] = position + piece.width
            if place == len(reached) - 1:
                self._complete(self._lexicon.phrases[number], began[place], origin + piece.end)

    def _complete(self, phrase: Phrase, start: int, end: int) -> None:
        if phrase.rule_id in self._found:
            return
        if not any(word in phrase.not_before for word in self._next_word(end)):
            self._found[phrase.rule_id] = Passage(self._text, start, end)

    def _next_word(self, end: int) -> Iterator[str]:
        following = self._word.search(self._text, end, end + 40)
        if following is not None:
            yield from readings(following.group())
