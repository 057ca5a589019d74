"""Agreements: restrictions stand as they are; whatever grants, or is not clear, needs words the person typed."""

from __future__ import annotations

import time

import pytest

from vibeos.memory.checkpoint.agreements import (
    UNCONFIRMED,
    WORDS,
    agreements_in,
    is_quoted_from,
    needs_source,
)


class Said:
    """The person's messages by number."""

    first_input = 1

    def __init__(self, **texts: str) -> None:
        self.texts = {int(name[1:]): text for name, text in texts.items()}

    @property
    def newest(self) -> int:
        return max(self.texts, default=0)

    def typed(self, number: int, /) -> str | None:
        return self.texts.get(number)


RESTRICTING = [
    "Never push to main",
    "The person may not be woken at night",
    "Force pushes are not allowed",
    "Don’t touch the production database",
    "Do not allow anyone to merge",
    "Do not merge without approval",
    "No deploys on Friday",
    "Deploys are forbidden on Friday",
    "You cannot delete branches",
    "Every release needs my approval: ask first",
    "Нельзя пушить в main",
    "Удалять ветки не разрешено",
    "Не трогать продакшн",
    "Не деплоить без согласования",
    "Запрещено менять схему",
    "Деплоить только после согласования",
    "不得推送到 main",
    "不允许删除分支",
    "未经批准不得上线",
    "不要动生产数据库",
    "请勿擅自合并",
]
REPORTING = [
    "Report progress after each item, in English",
    "Ask only when a decision is needed",
    "A short summary every evening",
    "Отчёт каждый вечер по-русски",
    "Спрашивать перед каждым слиянием",
    "每天汇报一次",
    "需要决定时先询问",
]
GRANTING = [
    "May merge documentation",
    "The user approves the force push.",
    "Force push is allowed",
    "Free to decide about names",
    "Never ask before merging; you can push",
    "No need to ask before deleting",
    "Don't wait for approval",
    "Pushing is no longer forbidden",
    "Merge without asking",
    "Delete nothing except the scratch files; never more",
    "Do not touch main, but you may push to feature branches",
    "Можно пушить в ветки",
    "Удаление веток разрешено",
    "Не нужно спрашивать перед слиянием",
    "Пушить больше не запрещено",
    "Разрешён деплой без согласования",
    "可以合并文档",
    "允许删除分支",
    "无需询问即可上线",
    "已批准强制推送",
    "不要问，直接推送",
]
UNCLEAR = [
    "user: delete the branch",
    "Force push tonight",
    "удалить ветку",
    "删除分支",
    "Branch names start with x",
]


@pytest.mark.parametrize("text", RESTRICTING + REPORTING)
def test_what_restricts_or_says_how_to_report_needs_no_source(text: str) -> None:
    assert not needs_source(text)


@pytest.mark.parametrize("text", GRANTING + UNCLEAR)
def test_what_grants_or_is_not_clear_needs_a_source(text: str) -> None:
    assert needs_source(text)


def test_every_kind_of_word_has_examples_in_three_languages() -> None:
    for examples in (RESTRICTING, REPORTING, GRANTING, UNCLEAR):
        assert any(text.isascii() for text in examples)
        assert any("\u0430" <= letter <= "\u044f" for text in examples for letter in text)
        assert any("\u4e00" <= letter <= "\u9fff" for text in examples for letter in text)
    assert list(WORDS) == ["grants, dressed as a negation", "restricts", "grants", "reports or asks"]


SAID = Said(
    _3="Go ahead and merge   the docs.\nBut do not push to main, and never ever delete tags.",
    _5="Можешь спокойно мержить документацию. Пушить в main нельзя.",
    _7="文档可以直接合并，但是不要推送到主分支。",
    _9="I disallow pushes here; 'quick fixes' are “fine with me”.",
    _11="Pushing to main is not allowed. Don't use main.",
)


@pytest.mark.parametrize(
    "text",
    [
        'Merging docs is allowed (#3: "go ahead and merge the docs")',
        "Merging docs is allowed (#3: “Go ahead and merge the docs.”)",
        "Можно мержить (#5: «можешь спокойно мержить документацию»)",
        "可以合并文档（#7：「文档可以直接合并」）",
        "Allowed (#9: 'quick fixes')",
        'May push (#8, #3: "merge the docs")',
        'Pushing stays off (#3: "do not push to main")',
    ],
)
def test_words_that_stand_in_the_cited_message_are_a_source(text: str) -> None:
    assert is_quoted_from(text, SAID)


@pytest.mark.parametrize(
    "text",
    [
        'Merging docs is allowed ("go ahead and merge the docs")',  # no number
        "Merging docs is allowed (#3)",  # no words
        'Merging docs is allowed (#5: "go ahead and merge the docs")',  # words of another message
        'Merging docs is allowed (#4: "go ahead and merge the docs")',  # no message of the person
        'Merging code is allowed (#3: "go ahead and merge the code")',  # other words
        'May merge (#3: "merge")',  # one word
        'May push (#3: "push to main")',  # a negation before it is cut off
        'May delete (#3: "delete tags")',  # the same, with a word between
        "Можно пушить (#5: «пушить в main»)",  # the negation stands behind it
        "可以推送（#7：「推送到主分支」）",
        'May push (#11: "pushing to main")',  # the same in English
        'May push (#11: "t use main")',  # half of a word
        "可以（#7：「合并」）",  # two characters
        'May push (#9: "allow pushes")',  # cut out of a word
        "It's fine, don't ask (#9)",  # apostrophes are no quotation
        'May push (#3: "..." "  ")',
        'May push (https://x/#3 "a b")',
    ],
)
def test_anything_else_is_no_source(text: str) -> None:
    assert not is_quoted_from(text, SAID)


def test_a_quotation_counts_where_one_place_is_not_negated() -> None:
    said = Said(_1="Do not push to main. Later: push to main when it is green.")
    assert is_quoted_from('May push (#1: "push to main")', said)


def test_words_behind_a_quotation_that_do_not_forbid_it_leave_it_a_source() -> None:
    said = Said(_1="Go ahead and merge the docs without asking me")
    assert is_quoted_from('May merge (#1: "go ahead and merge the docs")', said)


def test_every_bullet_at_any_depth_is_an_entry_of_its_own() -> None:
    body = '- Merging:\n  - may merge docs\n    (#3: "merge the docs")\n  - may merge code\n\nAnything goes.\n```\n- Never push'
    found = agreements_in(body, SAID)
    assert [one.shown for one in found if one.shown.endswith(UNCONFIRMED)] == [
        f"- Merging: {UNCONFIRMED}",
        f"  - may merge code {UNCONFIRMED}",
        f"Anything goes. {UNCONFIRMED}",
    ]
    assert [one.text for one in found if one.is_grant] == ['  - may merge docs\n    (#3: "merge the docs")']
    assert "\n".join(one.text for one in found) == body


def test_the_mark_is_never_added_twice() -> None:
    once = agreements_in("- May push", SAID)[0].shown
    assert agreements_in(once, SAID)[0].shown == once == f"- May push {UNCONFIRMED}"


@pytest.mark.parametrize(
    "piece", ['"', "« ", "'a'b ", "not ", "do not x ", "(#1: ", "不", "не ", "- may\n", "needs a "]
)
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    body = piece * (300_000 // len(piece))
    said = Said(_1=body)
    started = time.process_time()
    agreements_in(f'{body} (#1: "do not x")', said)
    assert time.process_time() - started < 8
