"""What a message asks for. The first row of the table that fits the whole of it wins; what fits none is `OTHER`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vibeos.ports.models.rehearsal.sentences import BEFORE, RULES, Kind

LONGEST_WISH = 6_000  # characters; whoever sends more did not write a sentence of the table

_ABOUT_ITSELF = (
    r"\b(?:who|what)\s+are\s+you\b|\bcan\s+you\b|\b(?:кто|что)\s+ты\b|\bумеешь\b|\bможешь\b|你是谁|你会|你能"
)
_FIRST_PERSON = (
    r"\b(?:i|i['’]m|my|mine|me|myself)\b|"
    r"\b(?:я|меня|мне|мной|мо[йяеёию]|моего|моей|моему|моим|моими|моих|мо[её]м)\b|我(?!们)"
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What one message asks for, and the language to answer in: `en`, `ru` or `zh`."""

    kind: Kind
    about: str
    language: str


def wish_of(text: str) -> Wish:
    """What the text of a person's message asks for."""
    plain = text.strip()
    if len(plain) > LONGEST_WISH:
        return Wish(Kind.OTHER, plain, _language(plain[:LONGEST_WISH]))
    for kind, language, pattern in RULES:
        found = re.fullmatch(BEFORE[language] + pattern, plain, re.IGNORECASE | re.DOTALL)
        if found:
            about = found.groupdict().get("about") or ""
            clean = clean_path(about) if kind is Kind.WORK else _unquoted(about.strip())
            return Wish(kind, clean, _language(clean) if kind is Kind.ANSWER else language)
    is_question = plain.endswith(("?", "？", "吗")) and re.search(_ABOUT_ITSELF, plain, re.IGNORECASE) is None
    return Wish(Kind.KNOW if is_question else Kind.OTHER, plain, _language(plain))


def is_about_the_person(statement: str) -> bool:
    """Whether a statement is about who says it: `I …`, `my …`, «я», «мой», 我."""
    return re.search(_FIRST_PERSON, statement, re.IGNORECASE) is not None


def clean_path(text: str) -> str:
    """A folder's name without quotes around it and the full stop of the sentence; `.` and `..` stay."""
    path = text.strip()
    if path.endswith(".") and path.rpartition("/")[2] not in {".", ".."}:
        path = path.rstrip(".")
    path = _unquoted(path)
    return path.rstrip("/") or ("/" if path else "")


_PAIRS = {'"': '"', "'": "'", "`": "`", "«": "»", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}


def _unquoted(text: str) -> str:
    inner = text[1:-1]
    is_quoted = len(text) > 2 and _PAIRS.get(text[0]) == text[-1] and text[-1] not in inner
    return inner if is_quoted else text


def _language(text: str) -> str:
    if re.search("[\u3400-\u4dbf\u4e00-\u9fff]", text) and not re.search("[\u3040-\u30ff]", text):
        return "zh"
    return "ru" if re.search("[а-яё]", text, re.IGNORECASE) else "en"
