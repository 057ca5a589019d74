"""The table of rules: well formed, printable, and true to its own examples."""

from __future__ import annotations

import pytest

from vibeos.ports.guard.phrases import parse
from vibeos.ports.guard.rules import RULES, SCOPES, Rule
from vibeos.ports.guard.scan import explain, scan

KINDS = {"override", "hide", "role", "exfiltrate", "backdoor", "invisible"}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule in RULES for text in rule.stops])
def test_a_rule_stops_its_examples(rule: Rule, text: str) -> None:
    assert rule.id in {finding.rule_id for finding in scan(text, scope=rule.scopes[0])}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule in RULES for text in rule.passes])
def test_what_a_rule_lets_pass_passes_all_rules(rule: Rule, text: str) -> None:
    assert scan(text, scope=rule.scopes[0]) == (), explain(scan(text))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_all_that_a_table_shows(rule: Rule) -> None:
    assert rule.kind in KINDS
    assert rule.stops
    assert rule.passes
    assert rule.scopes
    assert set(rule.scopes) <= set(SCOPES)
    assert set(rule.languages) <= {"en", "ru", "zh", "any"}
    assert bool(rule.phrases) != (rule.check is not None)
    assert f"The text {rule.reason}.".isprintable()
    assert "\n" not in "".join(rule.phrases)


def test_each_id_stands_for_one_rule() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_each_kind_speaks_the_three_languages_where_words_matter() -> None:
    for kind in ("override", "hide", "exfiltrate", "backdoor", "role"):
        spoken = {language for rule in RULES if rule.kind == kind for language in rule.languages}
        assert {"en", "ru", "zh"} <= spoken, kind


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.phrases], ids=lambda rule: rule.id)
def test_stems_are_long_enough_to_be_looked_up(rule: Rule) -> None:
    for pattern in rule.phrases:
        for phrase in parse(rule.id, pattern):
            words = [word for choice in phrase.words for word in choice.split("|")]
            assert all(words), pattern
            assert all(len(word) > 4 for word in words if word.endswith("*")), pattern
            assert not any(mark in word for word in words for mark in "?~!^ "), pattern
