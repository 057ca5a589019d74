"""Places in a text: two things near each other, whether a sentence forbids what follows, and excerpts to show.

Values of the guard are named tuples, which cost a tenth of a dataclass to define: every memory command loads them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.text import INVISIBLE, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vibeos.ports.guard.normalise import Reading

    # Finds places in one form of a text.
    Finder = Callable[[Reading, str], Iterable[re.Match[str]]]

EXCERPT = 80


class Passage(NamedTuple):
    """A stretch of a text."""

    text: str
    start: int
    end: int

    @property
    def excerpt(self) -> str:
        """The passage with a little around it, on one line; invisible characters are shown by their number."""
        first = max(self.start - 16, 0)
        near = self.text[first : max(self.end, self.start + 32) + 16][: EXCERPT * 2]
        return one_line(re.sub(f"[{INVISIBLE}]", _by_number, near), EXCERPT)


def _by_number(letter: re.Match[str]) -> str:
    return f"‹U+{ord(letter.group()):04X}›"


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when first needed: most texts need none of them."""
    return re.compile(pattern)


def pairs(
    firsts: Iterable[re.Match[str]], seconds: Iterable[re.Match[str]], reach: int
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each of `seconds` with the nearest of `firsts` that ends before it, at most `reach` characters before."""
    waiting: Iterator[re.Match[str]] = iter(())
    ahead = nearest = None
    for number, second in enumerate(seconds):
        if number == 0:  # only now: most texts have none of `seconds`
            waiting = iter(firsts)
            ahead = next(waiting, None)
        while ahead is not None and ahead.end() <= second.start():
            ahead, nearest = next(waiting, None), ahead
        if nearest is not None and second.start() - nearest.end() <= reach:
            yield nearest, second


# A full stop that ends a sentence (not one of an ellipsis), or an empty line.
_SENTENCE_END = r"(?<!\.)[.!?]\s|[。！？；]|\n\s{0,8}\n"


def ends_sentence(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends between two places."""
    return compiled(_SENTENCE_END).search(text[start : end + 1]) is not None


class Holds(NamedTuple):
    """A check: the text holds the pattern. `needs`: of each set one word must be in the text."""

    pattern: str
    needs: tuple[frozenset[str], ...]

    def __call__(self, reading: Reading) -> Passage | None:
        if has_words(reading, self.needs):
            for text in reading.forms:
                found = compiled(self.pattern).search(text)
                if found:
                    return Passage(text, found.start(), found.end())
        return None


def has_words(reading: Reading, needs: tuple[frozenset[str], ...]) -> bool:
    """Whether of each set one word is in the text. Where not, no pattern has to be tried."""
    vocabulary = reading.vocabulary
    for words in needs:  # noqa: SIM110 - a loop is faster, and every rule asks this of every text
        if words.isdisjoint(vocabulary):
            return False
    return True


def pattern(source: str) -> Finder:
    """What finds a pattern."""

    def find(_reading: Reading, text: str) -> Iterable[re.Match[str]]:
        return compiled(source).finditer(text)

    return find


class Near(NamedTuple):
    """A check: `second` stands near after `first`, in the same sentence, and the sentence does not forbid it.

    `needs`: of each set one word must be in the text. `joint` must be found between the two, `led_by` shortly
    before the first; with `fillers`, only these words (or characters, in Chinese) may stand between.
    """

    first: Finder
    second: Finder
    needs: tuple[frozenset[str], ...]
    reach: int = 120
    joint: str = ""
    led_by: str = ""
    fillers: frozenset[str] = frozenset()

    def __call__(self, reading: Reading) -> Passage | None:
        if not has_words(reading, self.needs):
            return None
        for text in reading.forms:
            for first, second in pairs(self.first(reading, text), self.second(reading, text), self.reach):
                if self._belong_together(text, first, second):
                    return Passage(text, first.start(), second.end())
        return None

    def _belong_together(self, text: str, first: re.Match[str], second: re.Match[str]) -> bool:
        between = text[first.end() : second.start()]
        if self.joint and not compiled(self.joint).search(between):
            return False
        begin = self._begin(text, first.start())
        if begin is None or not self._fills(between) or ends_sentence(text, first.end(), second.start()):
            return False
        return not forbidden(text, begin) and not forbidden(text, second.start())

    def _begin(self, text: str, at: int) -> int | None:
        """Where the order begins: at what leads the first, or at the first itself; None if nothing leads it."""
        if not self.led_by:
            return at
        window = max(at - 40, 0)
        leading = compiled(self.led_by).search(text[window:at])
        return window + leading.start() if leading else None

    def _fills(self, between: str) -> bool:
        if not self.fillers:
            return True
        words = (
            between if between[-1:].isspace() else between.rpartition(" ")[0]
        )  # the last is a path's begin
        found = compiled(r"[^\W_]+").findall(words)
        return all(word in self.fillers or self.fillers.issuperset(word) for word in found)


# "Do not", "never" and their like, directly before a verb (or before "log, print or"). Rhetorical ones
# ("why not") are left out, and so is whatever a full stop or a line break sets apart.
_FORBIDS = (
    r"(?:\b(?:do|does|did|must|should|shall|will|would|can|could|may|might)[ \t]not|"
    r"\b(?:do|does|did|must|should|wo|would|ca|could)n['’]?t|\bcannot|"
    r"(?:^|[.,;:!?(\n][ \t]*|\b(?:must|should|will|may|can|you|we|they|i|agents?|to|and|but|please)[ \t])never|"
    r"(?<!бы )(?<!бы\t)\bне|\bнельзя|\bзапрещено|\bзапрещается|(?<!要)不要|请勿|請勿|切勿|(?:^|\W|请|千万|都)别|"
    r"不得|严禁|嚴禁|禁止|不可|不能|不应|不应该|不许|不准)"
    r"[ \t]*(?:(?:(?:use|run|call|open)[ \t](?:curl|wget)|ever|use|run|call|open|execute|manually|directly|blindly|"
    r"accidentally|knowingly|вручную|напрямую|случайно)[ \t]|"
    r"手动|直接|随意|擅自|再|轻易|自行|私自)?"
    r"(?:(?:[^\W_]+,[ \t]){0,3}[^\W_]+,?[ \t](?:or|nor|или)[ \t])?$"
)
# How the words before end where they forbid: a quick look that spares most texts the long one.
_END_WORDS = (
    "not n't n’t nt cannot never не нельзя запрещено запрещается 不要 勿 别 不得 禁 止 不可 不能 不应 不应该 不许 不准 "
    "ever use run call open execute curl wget manually directly blindly accidentally knowingly вручную напрямую случайно "
    "手动 直接 随意 擅自 再 轻易 自行 私自 or nor или"
)
_ENDS = tuple(_END_WORDS.split())
_IDEOGRAPH = "\u3400"
_JOINTS = ("or", "nor", "или")

# The same anywhere earlier in the clause, for phrases like "without the user knowing".
_FORBIDS_FAR = (
    r"(?:\bnever|\bnot|n['’]t|\bcannot|\bне|\bникогда|\bнельзя|不要|不得|不能|禁止|严禁|切勿|请勿)"
    r"(?![ \t]+(?:mind|worry|wait|hesitate|bother|be|stop|ask|care|fear|think|бойся|волнуйся|стесняйся|жди|думай)\b)"
    r"(?:[ \t]+(?!(?:and|then|but|и|а|но)\b)[\w/.~'’-]{1,40}){0,8}[ \t]*$"
)
_FAR_HINTS = ("not", "n't", "n’t", "never", "не", "нельзя", "никогда", "不", "勿", "禁")


def forbidden(text: str, at: int, *, far: bool = False) -> bool:
    """Whether the words before `at` forbid what follows: a rule against an attack is no attack."""
    if far:
        before = text[max(at - 100, 0) : at]
        return any(hint in before for hint in _FAR_HINTS) and bool(compiled(_FORBIDS_FAR).search(before))
    end = text[max(at - 16, 0) : at].rstrip(" \t")
    if not end.endswith(_ENDS):
        return False
    nearby = 12 if end[-1] >= _IDEOGRAPH else 32
    reach = 60 if end.endswith(_JOINTS) else nearby
    return compiled(_FORBIDS).search(text, max(at - reach, 0), at) is not None
