"""The person at the terminal, as a turn's tools can ask them. What is typed is the answer, word for word."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from vibeos.surfaces.cli.common import printable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from vibeos.agent.person import Question
    from vibeos.surfaces.cli.talk.ink import Ink
    from vibeos.surfaces.cli.talk.shown import Sheet
    from vibeos.values.catalogue import Catalogue


class Asker:
    """A `Person`. One question at a time; an empty answer, Ctrl-C and Ctrl-D mean that they will not answer."""

    def __init__(
        self, sheet: Sheet, ink: Ink, words: Catalogue, hear: Callable[[], Awaitable[str | None]]
    ) -> None:
        self._sheet = sheet
        self._ink = ink
        self._words = words
        self._hear = hear
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_present(self) -> bool:
        return True

    async def ask(self, question: Question) -> str | None:
        async with self._one_at_a_time:
            self._sheet.put(
                f"\n{printable(question.text)}"
            )  # as it is: Markdown would hide parts of a command
            self._put_choices(question.choices)
            while (typed := await self._hear()) is not None and typed.strip():
                if (answer := self._meant(typed, question.choices)) is not None:
                    return answer
                self._put_choices(question.choices)
            self._sheet.put(self._ink.faint(self._words.text("chat.unanswered")))
            return None

    def _put_choices(self, choices: tuple[str, ...]) -> None:
        if not choices:
            self._sheet.put(self._ink.faint(self._words.text("chat.answer_freely")))
        elif _is_yes_or_no(choices):
            self._sheet.put(self._ink.faint(self._words.text("chat.answer_yes_no")))
        else:
            lines = [f"  {number}. {printable(choice)}" for number, choice in enumerate(choices, 1)]
            self._sheet.put("\n".join([*lines, self._ink.faint(self._words.text("chat.answer_number"))]))

    def _meant(self, typed: str, choices: tuple[str, ...]) -> str | None:
        """The choice that was meant; any text where there are none."""
        if not choices:
            return typed
        word = typed.strip().casefold()
        if _is_yes_or_no(choices):
            for choice in choices:
                if word in self._words.text(f"chat.{choice}_words").split():
                    return choice
            return None
        for number, choice in enumerate(choices, 1):
            if word == choice.strip().casefold():
                return choice
            if word == str(number) and not any(other.strip().isdigit() for other in choices):
                return choice
        return None


def _is_yes_or_no(choices: tuple[str, ...]) -> bool:
    return sorted(choices) == ["no", "yes"]
