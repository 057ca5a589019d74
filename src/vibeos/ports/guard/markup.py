"""Markup that pretends: comments and hidden elements that speak to a model, forged turns, markers and frames.

That a text names such markup is no attack. What counts is that it addresses the model where a person who
reads the page does not look, or that it stands where a line of ours would stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.guard.passages import Passage, compiled, has_words, pairs

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from vibeos.ports.guard.normalise import Reading

_ROLES = (
    "assistants?|ai|agents?|llms?|models?|chatbots?|bots?|claude|gpt|chatgpt|copilot|gemini|cursor|vibey|vibeos|system|"
    r"ассистент\w{0,3}|помощник\w{0,3}|ии|агент\w{0,3}|модел\w{0,3}|система"
)
_ROLES_ZH = "助手|助理|智能体|模型|系统|系統|代理"
_ADDRESSED = (
    rf"\b(?:{_ROLES})(?:\s?[:,，]\s?|\s[–—-]{{1,2}}\s)|(?:{_ROLES_ZH})\s?[:,，]|"
    r"\b(?:notes?|messages?|instructions?|attention|important|hints?)\s(?:to|for)\s(?:the\s|any\s|all\s|every\s)?(?:ai|llm|"
    r"assistant|agent|model|language model)s?\b|\b(?:if you are|as)\san?\s(?:ai|llm|language model|assistant|agent)\b"
)
_ORDERS = (
    r"\b(?:you|your|from now on|do not|don['’]t|never|always|must|should|ignore|disregard|forget|tell|reveal|run|execute|"
    r"send|upload|delete|remove|approve|call|use|reply|respond|answer|follow|obey|pretend|act|add|write|append|fetch|open|"
    r"ты|вы|отныне|не|никогда|всегда|должен|должна|должны|игнорируй|выполни|выполняй|отправь|удали|скажи|"
    r"отвечай|запусти|загрузи|напиши)\b|从现在|从今|不要|必须|永远|总是|一律|你|请|执行|忽略|发送|删除|运行|告诉"
)
_REACH = 160
_ELEMENT = 600  # the characters of a hidden element that are looked at
_APART = "\x1e"
_HIDDEN_ELEMENT = (
    r"<(?:div|span|p|section|font|small|td)\b[^<>\n]{0,160}(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|"
    r"opacity\s?:\s?0(?![.\d])|color\s?:\s?(?:white|transparent|#fff)|\shidden\b)[^<>\n]{0,160}>"
)
_LINK_COMMENT = r"(?m)^[ \t>]{0,8}\[(?://|comment|_|#)\]\s?:\s?(?:#|<>)?[ \t]?([^\n]{0,2000})"

_TURN = r"system|assistant|developer|user|human|model|tool"
_TOKENS = (
    rf"<\|(?:im_start|start_header_id|start|turn)\|>\s?(?:{_TURN})\b(?:<\|end_header_id\|>)?|"
    rf"<\|(?:{_TURN})\|>|<start_of_turn>\s?(?:{_TURN})\b|<<sys>>|\[inst\]|<(?:bos|s)>\s?\[inst\]"
)
_TAG = r"<\s?(/?)\s?((?:system|developer|assistant|human)(?:[-_ ]?(?:prompt|message|reminder|instructions?|override|note))?)\s?>"

_TURN_WORDS = frozenset(
    ("im", "start", "turn", "header", "sys", "inst", "system", "assistant", "user", "developer", "human")
)
_TAG_WORDS = (frozenset("<"), frozenset(("system", "developer", "assistant", "human")))

# A line that claims to be the system's, and goes on as an order to a model.
LINE = (
    r"(?m)^[ \t>*#]{0,8}(?:(?:system|developer|admin|administrator)(?:\*\*)?\s?:[ \t*]{0,4}\n?(?:you\s(?:are\snow|must|will\snow|have\sbeen)\b|"
    r"your\snew\b|ignore\b|disregard\b|from\snow\son\b|override\b)|"
    r"(?:system|developer|admin)\s(?:message|prompt|notice|override|update|alert|note)(?:\*\*)?\s?:[ \t*]{0,4}\n?[^\n]{0,40}?"
    r"\b(?:you|your|ignore|disregard|from\snow\son|override|all\ssafety|must)\b|"
    r"(?:система|системное\sсообщение|системный\sпромпт)\s?:\s{0,4}[^\n]{0,24}?\b(?:ты|вы|отныне|теперь|игнорируй|забудь|выполни)\b|"
    r"(?:系统|系统消息|系统指令|系统通知|系统提示)\s?:\s{0,4}[^\n]{0,12}?(?:你|忽略|从现在|必须|执行))"
)

MARKER = (
    r"(?m)^[^\w\n\[【〔]{0,16}[\[【〔]\s{0,4}harness\s?:\s?(?:(?:watch|task)\s\S{1,80}\s[\"'«“]|agent run\s\S{1,80}\sfrom\b|"
    r"callback of run\b)"
)
FRAME = r"(?<!═)═{20,}+\s{0,4}\n[^\n]{1,200}\[\s?\d{1,3}\s?%[^\n]{0,80}\]|\[\s?\d{1,3}\s?%\s?[—–-]{1,2}[^\n\]]{1,60}\]\s{0,4}\n\s{0,4}═{20,}"
OWN_TAG = r"(?m)<\s?/\s?context_file|<\s?context_file\s[^>\n]{0,40}name\s?=|^[ \t]*<\s?/?\s?(?:checkpoint|mind|memo|now|memory_snapshot)\s?>[ \t]*$"


def hidden_orders(reading: Reading) -> Passage | None:
    """Comments and hidden elements that address a model and tell it to do something."""
    for text in reading.forms:
        concealed = _concealed(text)
        if not concealed:
            continue
        addressed = compiled(_ADDRESSED).finditer(concealed)
        for first, order in pairs(addressed, compiled(_ORDERS).finditer(concealed), _REACH):
            if _APART not in concealed[first.end() : order.start()]:
                return Passage(concealed, first.start(), order.end())
    return None


def forged_turns(reading: Reading) -> Passage | None:
    """The special tokens with which chat templates begin a turn, followed by what that turn would say."""
    if _TURN_WORDS.isdisjoint(reading.vocabulary):
        return None
    for text in reading.forms:
        found = _next_to_order(text, compiled(_TOKENS).finditer(text), 24)
        if found:
            return found
    return None


def forged_tags(reading: Reading) -> Passage | None:
    """Tags named after a role, around an order, or at the begin of a line before one."""
    if not has_words(reading, _TAG_WORDS):
        return None
    for text in reading.forms:
        opening = (match for match in compiled(_TAG).finditer(text) if _opens_a_turn(text, match))
        found = _next_to_order(text, opening, _REACH)
        if found:
            return found
    return None


def _concealed(text: str) -> str:
    """All that a reader of the rendered page does not see, piece by piece."""
    pieces = list(_comments(text))
    if "]:" in text or "] :" in text:
        pieces += compiled(_LINK_COMMENT).findall(text)
    if "<" in text and any(style in text for style in ("none", "hidden", "size", "opacity", "color")):
        pieces += _hidden_elements(text)
    return _APART.join(pieces)


def _comments(text: str) -> Iterator[str]:
    """The comments of HTML; one without an end reaches to the text's end."""
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        yield text[start + 4 : end if end >= 0 else len(text)]
        start = text.find("<!--", end) if end >= 0 else -1


def _hidden_elements(text: str) -> Iterator[str]:
    """What follows tags that hide it, each stretch of the text once."""
    done = 0
    for match in compiled(_HIDDEN_ELEMENT).finditer(text):
        end = min(match.end() + _ELEMENT, len(text))
        yield text[max(match.end(), done) : end]
        done = end


def _next_to_order(text: str, matches: Iterator[re.Match[str]], reach: int) -> Passage | None:
    first = next(matches, None)
    if first is None:
        return None
    orders = compiled(_ORDERS).finditer(text, first.end())
    for near, order in pairs(_then(first, matches), orders, reach):
        return Passage(text, near.start(), order.end())
    return None


def _then(first: re.Match[str], rest: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    yield first
    yield from rest


def _opens_a_turn(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag stands at the begin of a line, or an order follows at once, or stands inside the pair."""
    before = text[max(tag.start() - 12, 0) : tag.start()]
    begins_line = "\n" in before or tag.start() <= 12
    if begins_line and not before.rpartition("\n")[2].strip(" \t>*-#"):
        return True
    orders = compiled(rf"\s?(?:{_ORDERS})")
    if orders.match(text, tag.end()):
        return True
    end = text.find(f"</{tag.group(2)}", tag.end(), tag.end() + _REACH)
    return not tag.group(1) and end >= 0 and orders.search(text, tag.end(), end) is not None
