"""Agreements: what restricts stays in force as it is; what grants needs a source.

An entry that grants must cite a message of the person and quote words that stand in it; else it is shown with UNCONFIRMED.
An entry whose words clearly restrict, or say how to report or when to ask, and that holds no granting word, needs none.
All others need one: an entry in which no word is recognised is no authority. A permission dressed as a negation
("no need to ask") grants. A quotation with a negation cut off ("do not push", quoted as "push it now") proves nothing.

WORDS is the whole vocabulary, in three languages; it is matched on folded text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.checkpoint.mind_text import PLACEHOLDERS
from vibeos.memory.checkpoint.sources import joined, mentioned
from vibeos.values.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.memory.checkpoint.sources import Sources

UNCONFIRMED = "(unconfirmed, not an authorisation)"

_CONSENT = r"(?:approval|permission|consent|confirmation|authori[sz]ation|go-ahead|ok|okay|review|asking|being asked)"
_NOT = r"(?:do not|don't|never|must not|mustn't|may not|cannot|can't|can not|should not|shouldn't|no)"

# kind -> patterns. They are looked for in this order, and what one kind took is not seen by the next.
WORDS: dict[str, tuple[str, ...]] = {
    "grants, dressed as a negation": (
        rf"\b{_NOT} (?:need to |have to )?(?:ask|wait|hesitate|bother|worry|check with)\b",
        r"\b(?:no|not|n't|without|never) (?:longer )?(?:any )?(?:need|needs|needed|required|obliged|have to|has to)\b",
        r"n't (?:need|have) to\b",
        r"\bneed(?:s)? not\b",
        r"\b(?:not|n't|no longer|nothing is) (?:forbidden|prohibited|banned|restricted|limited|off limits)\b",
        r"\b(?:stop|instead of) asking\b",
        r"не (?:нужно|надо|обязательно|требуется|стоит) (?:\w+ )?(?:спрашив|спрос|ждать|жди|согласов|сообщ|отчит|подтвержд)\w*",
        r"\bне (?:спрашив\w+|жди(?:те)?\b|ждать\b|жд[её]м\b)",
        r"\b(?:не|больше не|никогда не) (?:запрещ|возбран|огранич)\w+",
        r"\bможно не\b",
        r"(?:无需|无须|不必|不用|不需要|毋须|毋需)",
        r"(?:不|并非|没有|没|不再|不会)(?:被)?(?:禁止|限制|反对)",
        r"(?:不要|别|不)(?:再)?(?:问|等|询问|请示|犹豫)",
    ),
    "restricts": (
        rf"\b{_NOT}\b[^.,;:!?]{{0,120}}?\bwithout\b(?: [\w']+){{0,3}}? {_CONSENT}\b",
        rf"\b(?:needs?|requires?|wait for|ask for|get|gets|obtain|request|seek)(?: [\w']+){{0,3}}? {_CONSENT}\b",
        r"\b(?:is|are|was|were|am)?(?:not|n't| not) (?:yet )?(?:allowed|permitted|authori[sz]ed|approved|granted|free|entitled)\b",
        rf"\b(?:{_NOT}|does not|doesn't|did not|didn't) (?:allow|permit|approve|authori[sz]e|grant|let|trust|consent)\b",
        rf"\b{_NOT}\b(?<!\bno)",
        r"\b(?:shall not|will not|won't|could not|does not allow|doesn't allow|isn't allowed|aren't allowed)\b",
        r"(?:^|[.;:,(] ?)no (?!problem|objection|worr|limit|restriction)\w+",
        r"\b(?:forbid\w*|forbade|prohibit\w*|banned|avoid|refrain|disallow\w*|denie[sd]|refuse[sd]?|off limits|hands off)\b",
        r"\bне (?:разреш|позвол|допуск|одобр|согласн|соглас[ае]н|дозвол)\w*",
        r"\bне (?:могу|может|можем|можете|можешь|имею права|имеет права|вправе|следует|надо|нужно|должн\w+)",
        r"\bне [^.,;:!?]{0,120}?\bбез (?:\w+ )?(?:разрешени|согласовани|одобрени|согласи|подтверждени|спрос)\w*",
        r"\bтолько (?:после|с) (?:\w+ )?(?:разрешени|согласовани|одобрени|согласи|подтверждени)\w*",
        r"\bне \w+(?:й|йте|ть|ться|ти|ь|ьте|и|ите)\b",
        r"\b(?:нельзя|запрещ\w+|запрет\w*|никогда|ни в коем случае|воздерж\w+|избега\w+)",
        r"(?:未经|须经|需经|需要?|征得|征求|等待?|没有|请求)[^,。;:!?、]{0,12}?(?:批准|同意|许可|授权|允许|确认)",
        r"(?:不得|不允许|不准|不可以|不可|不许|不能|不要|不同意|不批准|未批准|未授权|未获|没授权)(?:擅自|自行)?",
        r"(?:禁止|严禁|切勿|请勿|勿|拒绝|避免|别(?![的人处名])|莫)(?:擅自|自行)?",
    ),
    "grants": (
        r"\b(?:may|can|could|let|lets|let's)\b",
        r"\b(?:allow|permit|approv|authori[sz]|grant|entitl|empower|trust|consent|waive|autonom)\w*",
        r"\b(?:permission|go[- ]ahead|green[- ]light\w*|free to|free hand|ok to|okay to|fine to|welcome to|cleared to)\b",
        r"\b(?:right to|access to|signed off|sign-off|carte blanche|lifted|on (?:my|your|its) own|discretion|judge?ment)\b",
        rf"\bwithout (?:[\w']+ ){{0,3}}?{_CONSENT}\b",
        r"\b(?:except|excluding|apart from|other than)\b",
        r"\b(?:можно|можешь|можете|может|могу|можем|вправе|давай\w*|добро|самостоятельно|сам|сама|усмотрени\w+)\b",
        r"\b(?:разреш|позвол|одобр|допуска|уполномоч|довер[яие]|дозвол|поруч)\w*",
        r"\b(?:согласен|согласна|согласны|согласие|согласил\w+|имею право|имеешь право|имеет право|право на)\b",
        r"\bбез (?:\w+ )?(?:разрешени|согласовани|одобрени|согласи|подтверждени|спрос)\w*",
        r"\b(?:кроме|за исключением)\b",
        r"(?:可以|可(?=自行|直接)|允许|准许|许可|批准|同意|授权|自行|能够|能(?![力量])|有权|放行|答应|擅自|特许|除了|除外)",
    ),
    "reports or asks": (
        r"\b(?:report|reports|reporting|ask|asks|asking|tell|inform|notify|update|updates|summar\w+|consult|escalate)\b",
        r"\b(?:confirm|check with|wait for|answer|answers|reply|replies|message|status|write to|write in)\b",
        r"\b(?:отч[её]т\w*|отчит\w+|сообщ\w+|спрос\w*|спраш\w+|доклад\w*|уведом\w+|согласов\w+|отвеча\w+|ответ\w*|пиши\w*)",
        r"(?:汇报|报告|询问|先问|问我|问用户|请示|征求|通知|告知|确认|回复|回答|总结)",
    ),
}  # fmt: skip

_STARTS = re.compile(r"\s*[-*+•]\s+")
_WORD = re.compile(r"\w")
_SAME_QUOTES = str.maketrans("’‘‚‛“”„‟`", "''''\"\"\"\"'")
_QUOTED = (
    r'"([^"]{1,2000})"', r"«([^«»]{1,2000})»", r"「([^「」]{1,2000})」", r"『([^『』]{1,2000})』",
    r"(?<!\w)'((?:[^']|(?<=\w)'(?=\w)){1,2000})'(?!\w)",
)  # fmt: skip
_CJK = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_CLAUSE_ENDS = r"[.,;:!?。、\"«»「」()]"
_NEAR_WORDS, _NEAR_CHARACTERS, _MOST_PLACES = 3, 6, 50
_NEGATED_BEFORE = (
    r"\b(?:not|never|no|cannot|without|nor|neither|forbid\w*|forbade|prohibit\w*|disallow\w*|refuse\w*|dont|avoid|stop)\b"
    r"|n't\b|\b(?:не|нельзя|ни|никогда|запрещ\w+|запрет\w*|без)\b|[不别勿未没禁莫无非]|拒绝"
)
_NEGATED_BEHIND = (
    r"\b(?:is|are|be|stays?|remains?) (?:not|never|no|forbidden|prohibited|banned|off limits)\b|\b(?:is|are)n't\b"
    r"|\bnot (?:allowed|permitted)\b|\b(?:нельзя|не (?:надо|нужно|разреш\w+)|запрещ\w+)\b|不行|不可|不准|不允许|禁止"
)


class Agreement(NamedTuple):
    """An entry under Agreements: its lines as written, whether it needs a source, and whether it has the one it needs."""

    text: str
    needs_source: bool
    has_source: bool

    @property
    def is_grant(self) -> bool:
        """Whether it is valid authority."""
        return self.has_source

    @property
    def shown(self) -> str:
        is_marked = self.needs_source and not self.has_source and not self.text.rstrip().endswith(UNCONFIRMED)
        return f"{self.text.rstrip()} {UNCONFIRMED}" if is_marked else self.text


def agreements_in(body: str, source: Sources) -> list[Agreement]:
    """The agreements under the heading, in their order; blank lines and others without a word stand by themselves."""
    return [_judged(text, source) for text in _entries(body)]


def needs_source(text: str) -> bool:
    """Whether an entry counts only with a source: it grants, or nothing in it is clear."""
    rest = _comparable(text)
    for kind in WORDS:
        found = _words(kind).search(rest) is not None
        if found and kind.startswith("grants"):
            return True
        if found and kind == "restricts":
            return _words("grants").search(_words(kind).sub(" ; ", rest)) is not None
        if found:
            return False
    return True


def is_quoted_from(text: str, source: Sources) -> bool:
    """Whether the text cites a message of the person and quotes words that stand in it, with no negation cut off."""
    quotes = [quote for quote in map(_trimmed, _quotes(_comparable(text))) if _is_long_enough(quote)]
    if not quotes:
        return False
    messages = (message for number in mentioned(text) if (message := source.typed(number)) is not None)
    return any(_stands_in(quote, said) for said in map(_comparable, messages) for quote in quotes)


def _judged(text: str, source: Sources) -> Agreement:
    needs = _WORD.search(text) is not None and needs_source(text)
    return Agreement(text, needs, needs and is_quoted_from(text, source))


def _entries(body: str) -> Iterator[str]:
    """Every bullet, at any depth, is an entry; so is a paragraph without one."""
    entry: list[str] = []
    for line in body.split("\n"):
        if line.strip() in PLACEHOLDERS:
            continue
        is_apart = not _WORD.search(line)
        if entry and (is_apart or _STARTS.match(line) or not _WORD.search(entry[-1])):
            yield "\n".join(entry)
            entry = []
        entry.append(line)
    if entry:
        yield "\n".join(entry)


@cache
def _words(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(WORDS[kind]))


def _comparable(text: str) -> str:
    return joined(fold(text).translate(_SAME_QUOTES)).replace("ё", "е")


def _quotes(text: str) -> Iterator[str]:
    for pattern in _QUOTED:
        yield from re.findall(pattern, text)


def _trimmed(quote: str) -> str:
    return quote.strip(" .,;:!?…。、'\"")


def _is_long_enough(quote: str) -> bool:
    return len(quote.split()) >= 2 or len(re.findall(_CJK, quote)) >= 3


def _stands_in(quote: str, said: str) -> bool:
    """Whether the words stand in the message as words, and at one place no negation stands right beside them."""
    at = -1
    for _ in range(_MOST_PLACES):
        at = said.find(quote, at + 1)
        if at < 0:
            return False
        before, after = said[max(at - 100, 0) : at], said[at + len(quote) :][:100]
        is_apart = not (_joins(before[-2:], quote[0]) or _joins(after[1::-1], quote[-1]))
        if is_apart and not _is_negated(before, after):
            return True
    return False


def _joins(outside: str, inside: str) -> bool:
    """Whether a quotation was cut out of a word. `outside`: the two characters beside it, the nearer one last."""
    near = outside[-1:]
    if not near or re.match(_CJK, near) or re.match(_CJK, inside) or not inside.isalnum():
        return False
    return near.isalnum() or near == "_" or (near == "'" and outside[:-1].isalnum())


def _is_negated(before: str, after: str) -> bool:
    left = _pieces(re.split(_CLAUSE_ENDS, before)[-1])[-_NEAR_WORDS:]
    right = _pieces(re.split(_CLAUSE_ENDS, after)[0])[:_NEAR_WORDS]
    return bool(re.search(_NEGATED_BEFORE, " ".join(left)) or re.search(_NEGATED_BEHIND, " ".join(right)))


def _pieces(text: str) -> list[str]:
    """Words; of writing without blanks, runs of a few characters."""
    return re.findall(rf"{_CJK}{{1,{_NEAR_CHARACTERS}}}|[^\s\u3040-\u30ff\u3400-\u9fff]+", text)
