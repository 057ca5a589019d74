"""The scan: what a text holds that must not enter memory or a prompt.

An empty answer means that the text passes. The scan takes any `str`, never raises for what it holds, and
says so (a finding) where it could not look at all of it: a text that was not read is not a text that passed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from vibeos.ports.guard.normalise import ANY_IDEOGRAPH, FIRST_IDEOGRAPH, Reading
from vibeos.ports.guard.passages import compiled
from vibeos.ports.guard.phrases import Lexicon, find, parse
from vibeos.ports.guard.rule import SCOPES, Finding, Rule
from vibeos.ports.guard.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.ports.guard.passages import Passage

MAX_CHARACTERS = 2_000_000
_SHOWN = 3
_CYRILLIC = "[\u0400-\u04ff]"

__all__ = ["MAX_CHARACTERS", "SCOPES", "Finding", "Rule", "explain", "scan"]


def scan(text: str, *, scope: str = "memory") -> tuple[Finding, ...]:
    """What stops the text from entering `scope`, the worst first; empty when nothing does.

    Raises ValueError for a scope that is none of `SCOPES`, which is a mistake of the caller.
    """
    if scope not in SCOPES:
        raise ValueError(f"{scope!r} is no scope of the scan; there are: {', '.join(SCOPES)}")
    if len(text) > MAX_CHARACTERS:
        return (
            _unfinished(f"has {len(text):,} characters, more than the scan looks at ({MAX_CHARACTERS:,})"),
        )
    try:
        return tuple(_findings(Reading(text), scope))
    except MemoryError:
        return (_unfinished("is too large for the memory that is left, and was not looked at"),)


def explain(findings: tuple[Finding, ...]) -> str:
    """The findings in one line, for a person or a model; empty for none."""
    told = [
        f"it {finding.reason} ({finding.rule_id}, near “{finding.excerpt}”)" for finding in findings[:_SHOWN]
    ]
    if len(findings) > _SHOWN:
        told.append(f"and {len(findings) - _SHOWN} more")
    return "; ".join(told)


def _unfinished(reason: str) -> Finding:
    return Finding("scan.unfinished", reason, "critical", "")


def _findings(reading: Reading, scope: str) -> Iterator[Finding]:
    phrases: dict[str, Passage] = {}
    for script in _scripts(reading):
        phrases |= find(reading, _lexicon(script))
    for rule in RULES:
        if scope in rule.scopes:
            passage = rule.check(reading) if rule.check else phrases.get(rule.id)
            if passage is not None:
                yield Finding(rule.id, rule.reason, rule.severity, passage.excerpt)


def _scripts(reading: Reading) -> Iterator[str]:
    """The scripts whose phrases may stand in the text. Latin ones also stand there in disguise."""
    yield "latin"
    if not reading.spelled.isascii():
        if compiled(_CYRILLIC).search(reading.spelled):
            yield "cyrillic"
        if ANY_IDEOGRAPH in reading.vocabulary:
            yield "han"


@cache
def _lexicon(script: str) -> Lexicon:
    """The phrases of one script; each is made when a text first has it, since most texts have one or two."""
    patterns = [
        (rule.id, pattern) for rule in RULES for pattern in rule.phrases if _script(pattern) == script
    ]
    return Lexicon(
        [phrase for rule_id, pattern in patterns for phrase in parse(rule_id, pattern)],
        latin=script == "latin",
    )


def _script(pattern: str) -> str:
    """The script of a phrase: the rarest of which it has a letter."""
    if pattern.isascii():
        return "latin"
    return "han" if max(pattern) >= FIRST_IDEOGRAPH else "cyrillic"
