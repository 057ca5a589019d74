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

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vibeos.ports.guard.normalise import HAN, canonical, readings, word_pattern
from vibeos.ports.guard.passages import Passage, compiled, forbidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vibeos.ports.guard.normalise import Reading

Step = tuple[int, int]  # the number of a phrase, and the place of one of its words

_STEM = 4  # the letters by which a stem is looked up
_HEAD = 3  # the letters by which a word is looked up inside another
_LONG_WORD = 9  # from here a word may be several written together
_NEVER = -(10**9)


@dataclass(frozen=True, slots=True)
class Phrase:
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
        self._ideographs: defaultdict[str, list[tuple[str, list[Step]]]] = defaultdict(list)
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
        known = [*self._exact.items(), *(item for stems in self._stems.values() for item in stems.items())]
        for word, steps in sorted(known, key=lambda item: -len(item[0])):
            if compiled(f"[{HAN}]").match(word):
                self._ideographs[word[0]].append((word, steps))
            elif len(word) >= _HEAD:
                self._heads[word[:_HEAD]].append((word, steps))
        self._first_ideographs = "".join(self._ideographs)

    def pieces(self, word: str, ways: tuple[str, ...]) -> Pieces | None:
        """What is known of a word that may be read in these ways; None when no phrase has it."""
        if self.latin and not ways[-1].isascii():
            return None
        if not word.isascii() and compiled(f"[{HAN}]").match(word):
            return self._cut_ideographs(word)
        cut = self._cut_long(ways) if len(word) >= _LONG_WORD else None
        if cut is not None:
            return cut
        steps = [step for way in ways for step in self._steps(way)]
        return Pieces(1, [Piece(0, 1, 0, len(word), steps)]) if steps else None

    def _steps(self, word: str) -> list[Step]:
        steps = self._exact.get(word, [])
        stems = self._stems.get(word[:_STEM])
        if stems:
            steps = steps + [step for stem, more in stems.items() if word.startswith(stem) for step in more]
        return steps

    def _cut_ideographs(self, word: str) -> Pieces:
        if not self._first_ideographs:
            return Pieces(len(word), [])
        found = []
        for first in compiled(f"[{self._first_ideographs}]").finditer(word):
            at = first.start()
            for known, steps in self._ideographs[first.group()]:
                if word.startswith(known, at):
                    found.append(Piece(at, len(known), at, at + len(known), steps))
        return Pieces(len(word), found)

    def _cut_long(self, ways: tuple[str, ...]) -> Pieces | None:
        """The words that are written together in this one, in the reading that shows the most of them."""
        most = max((self._cut_reading(way) for way in ways), key=lambda pieces: len(pieces.found))
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
    known = {
        word: pieces
        for word, ways in reading.ways.items()
        if (pieces := lexicon.pieces(word, ways)) is not None
    }
    present = {step for pieces in known.values() for piece in pieces.found for step in piece.steps}
    counts: defaultdict[int, int] = defaultdict(int)
    for number, _ in present:
        counts[number] += 1
    possible = {number for number, count in counts.items() if count == len(lexicon.phrases[number].words)}
    return _Walk(reading.spelled, lexicon, possible).run(known) if possible else {}


class _Walk:
    """One walk over the words of a text, with the phrases of which every word occurs somewhere in it."""

    def __init__(self, text: str, lexicon: Lexicon, possible: set[int]) -> None:
        self._text = text
        self._lexicon = lexicon
        self._reached = {number: [_NEVER] * len(lexicon.phrases[number].words) for number in possible}
        self._began = {number: [0] * len(lexicon.phrases[number].words) for number in possible}
        self._found: dict[str, Passage] = {}
        self._kept: dict[int, list[Step]] = {}

    def run(self, known: dict[str, Pieces]) -> dict[str, Passage]:
        position = 0
        for match in word_pattern(self._text).finditer(self._text):
            pieces = known.get(match.group())
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
        for number, place in steps:
            reached, began = self._reached[number], self._began[number]
            if place == 0:
                phrase = self._lexicon.phrases[number]
                start = origin + piece.start
                if forbidden(self._text, start, far=phrase.looks_far):
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
        following = word_pattern(self._text).search(self._text, end, end + 40)
        if following is not None:
            yield from readings(following.group())
