"""Questions to the person: what was typed is the answer; nothing typed is none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import pytest

from vibeos.agent.person import Approval, Question
from vibeos.ports.guard.danger.path_rules import PATH_RULES
from vibeos.ports.guard.danger.rules import (
    FORK_BOMB,
    FORK_BOMB_REASON,
    OWN_READ,
    OWN_READ_REASON,
    RULES,
    UNREADABLE,
    UNREADABLE_REASON,
)
from vibeos.surfaces.cli.talk.asking import Asker
from vibeos.surfaces.cli.talk.ink import PlainInk
from vibeos.values.catalogue import LANGUAGES, catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

YES_NO = ("yes", "no")
SLOWLY, AT_ONCE = 2.0, 0.001  # seconds between two looks at the clock
REASONS = {
    **{rule.id: rule.reason for rule in RULES},
    **{rule.id: rule.reason for rule in PATH_RULES},
    UNREADABLE: UNREADABLE_REASON,
    OWN_READ: OWN_READ_REASON,
    FORK_BOMB: FORK_BOMB_REASON,
}


@dataclass
class Typist:
    """Somebody who types these lines, one for each question mark."""

    lines: list[str | None]
    seen: list[str] = field(default_factory=list)

    def put(self, text: str) -> None:
        self.seen.append(text)

    def watch(self, lines: Callable[[], str]) -> None:
        """Nothing changes here."""

    def changed(self) -> None:
        """The same."""

    async def hear(self) -> str | None:
        return self.lines.pop(0)


def ask(
    question: Question, *typed: str | None, language: str = "en", pace: float = SLOWLY
) -> tuple[str | None, str]:
    typist, clock = Typist(list(typed)), count(step=pace)
    asker = Asker(typist, PlainInk(), catalogue(language), typist.hear, lambda: next(clock))
    answer = asyncio.run(asker.ask(question))
    assert typist.lines == []
    return answer, "\n".join(typist.seen)


def test_a_free_answer_is_taken_word_for_word() -> None:
    assert ask(Question("Your name?"), "  Ann *Lee* \n ")[0] == "  Ann *Lee* \n "


@pytest.mark.parametrize("typed", ["", "   ", None])
@pytest.mark.parametrize("choices", [(), ("red", "blue")])
def test_an_empty_answer_is_none(typed: str | None, choices: tuple[str, ...]) -> None:
    answer, seen = ask(Question("Well?", choices), typed)
    assert answer is None
    assert seen.endswith("not answered")


@pytest.mark.parametrize("choices", [(), ("red", "blue"), YES_NO])
def test_leaving_is_no_answer_at_any_time(choices: tuple[str, ...]) -> None:
    for pace in (AT_ONCE, SLOWLY):
        answer, seen = ask(Question("Well?", choices), None, pace=pace)
        assert answer is None
        assert seen.endswith("not answered")


def test_an_empty_line_neither_gives_leave_nor_refuses_it() -> None:
    answer, seen = ask(Question("Run it?", YES_NO), "", "  ", "yes")
    assert answer == "yes"
    assert seen.count("(yes or no") == 3


@pytest.mark.parametrize("choices", [(), ("red", "blue")])
def test_an_enter_that_was_meant_for_what_stood_there_before_answers_nothing(
    choices: tuple[str, ...],
) -> None:
    assert ask(Question("Well?", choices), "", "", "red", pace=AT_ONCE)[0] == "red"


def test_a_yes_before_the_question_can_have_been_read_gives_no_leave() -> None:
    answer, seen = ask(Question("Run it?", YES_NO), "y", "yes", "n", "", None, pace=AT_ONCE)
    assert answer is None
    assert seen.count("(yes or no") == 5


@pytest.mark.parametrize(
    ("language", "typed", "meant"),
    [
        ("en", "yes", "yes"), ("en", "Y", "yes"), ("en", " no ", "no"), ("ru", "да", "yes"), ("ru", "Нет", "no"),
        ("ru", "y", "yes"), ("zh", "是", "yes"), ("zh", "否", "no"), ("zh", "n", "no"),
    ],
)  # fmt: skip
def test_yes_and_no_may_be_said_in_the_persons_language(language: str, typed: str, meant: str) -> None:
    assert ask(Question("Run it?", YES_NO), typed, language=language)[0] == meant


def test_what_is_neither_yes_nor_no_is_asked_again_and_never_taken_for_yes() -> None:
    assert ask(Question("Run it?", YES_NO), "yes please", "ye", "1", "no")[0] == "no"


def test_a_choice_is_meant_by_its_number_or_its_words() -> None:
    choices = ("Red wine", "blue")
    assert ask(Question("Which?", choices), "2")[0] == "blue"
    assert ask(Question("Which?", choices), "3", "red", "red WINE")[0] == "Red wine"
    assert "1. Red wine" in ask(Question("Which?", choices), "1")[1]


def test_a_number_means_itself_where_choices_are_numbers() -> None:
    assert ask(Question("How many?", ("3", "1", "many")), "1")[0] == "1"
    assert ask(Question("How many?", ("3", "1", "many")), "2", "many")[0] == "many"


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("en", "The agent wants to run a command that turns the machine off or restarts it:\n\nreboot\n\nRun it?"),
        ("ru", "Агент хочет выполнить команду, которая выключает или перезагружает машину:\n\nreboot\n\nВыполнить?"),
        ("zh", "智能体想运行一条命令，这条命令关闭或重启机器：\n\nreboot\n\n运行吗？"),
    ],
)  # fmt: skip
def test_leave_is_asked_for_in_the_persons_language(language: str, asked: str) -> None:
    approval = Approval("reboot", (REASONS["machine.off"],), ("machine.off",))
    question = Question("as the record keeps it", YES_NO, approval)
    assert asked in ask(question, "no", language=language)[1]


def test_a_reason_that_no_catalogue_has_is_said_as_it_was_given() -> None:
    approval = Approval("x", ("may cost money", REASONS["sql.drop"]), ("their.own", "sql.drop"))
    seen = ask(Question("x", YES_NO, approval), "no", language="ru")[1]
    assert "которая may cost money; удаляет или опустошает таблицы базы данных:" in seen


def test_every_danger_has_its_words_in_every_language() -> None:
    assert dangers("en") == REASONS
    for language in LANGUAGES:
        assert dangers(language).keys() == REASONS.keys()


def dangers(language: str) -> dict[str, str]:
    texts = catalogue(language).texts
    return {key.removeprefix("danger."): text for key, text in texts.items() if key.startswith("danger.")}


def test_a_command_is_shown_as_it_is_and_its_control_characters_too() -> None:
    seen = ask(Question("Run `rm -rf *a* _b_`?\x1b[2K", YES_NO), "no")[1]
    assert "Run `rm -rf *a* _b_`?\\x1b[2K" in seen


def test_two_questions_at_once_are_asked_one_after_the_other() -> None:
    typist = Typist(["first", "second"])
    asker = Asker(typist, PlainInk(), catalogue("en"), typist.hear)

    async def both() -> list[str | None]:
        return list(await asyncio.gather(asker.ask(Question("One?")), asker.ask(Question("Two?"))))

    assert asyncio.run(both()) == ["first", "second"]
    assert [text.strip() for text in typist.seen if text.endswith("?")] == ["One?", "Two?"]
