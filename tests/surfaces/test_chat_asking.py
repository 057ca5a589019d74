"""Questions to the person: what was typed is the answer; nothing typed is none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from vibeos.agent.person import Question
from vibeos.surfaces.cli.talk.asking import Asker
from vibeos.surfaces.cli.talk.ink import PlainInk
from vibeos.values.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

YES_NO = ("yes", "no")


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


def ask(question: Question, *typed: str | None, language: str = "en") -> tuple[str | None, str]:
    typist = Typist(list(typed))
    asker = Asker(typist, PlainInk(), catalogue(language), typist.hear)
    answer = asyncio.run(asker.ask(question))
    assert typist.lines == []
    return answer, "\n".join(typist.seen)


def test_a_free_answer_is_taken_word_for_word() -> None:
    assert ask(Question("Your name?"), "  Ann *Lee* \n ")[0] == "  Ann *Lee* \n "


@pytest.mark.parametrize("typed", ["", "   ", None])
@pytest.mark.parametrize("choices", [(), YES_NO, ("red", "blue")])
def test_an_empty_answer_is_none(typed: str | None, choices: tuple[str, ...]) -> None:
    answer, seen = ask(Question("Well?", choices), typed)
    assert answer is None
    assert seen.endswith("not answered")


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
