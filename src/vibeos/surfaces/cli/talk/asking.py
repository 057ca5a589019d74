"""The person at the terminal, as a turn's tools can ask them. What is typed is the answer, word for word."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from vibeos.agent.person import Approval, Question
    from vibeos.surfaces.cli.talk.ink import Ink
    from vibeos.surfaces.cli.talk.shown import Sheet
    from vibeos.values.catalogue import Catalogue

_TOO_SOON = 1.0  # seconds in which what is typed was meant for what stood there before the question


class Asker:
    """A `Person`. One question at a time; Ctrl-C and Ctrl-D mean that they will not answer.

    So does an empty line, but not where leave is asked for: that takes a yes or a no. In the first moment they may not
    have seen the question yet, so an empty line is none then, and a yes gives no leave.
    """

    def __init__(
        self,
        sheet: Sheet,
        ink: Ink,
        words: Catalogue,
        hear: Callable[[], Awaitable[str | None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sheet = sheet
        self._ink = ink
        self._words = words
        self._hear = hear
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_present(self) -> bool:
        return True

    async def ask(self, question: Question) -> str | None:
        async with self._one_at_a_time:
            # As it is: Markdown would hide parts of a command.
            self._sheet.put(f"\n{self._ink.plain(self._worded(question))}")
            answer = await self._answer(question.choices)
            if answer is None:
                self._sheet.put(self._ink.faint(self._words.text("chat.unanswered")))
            return answer

    async def _answer(self, choices: tuple[str, ...]) -> str | None:
        self._put_choices(choices)
        asked = self._clock()
        while (typed := await self._hear()) is not None:
            is_seen = self._clock() - asked >= _TOO_SOON
            if not typed.strip():
                if is_seen and not _is_yes_or_no(choices):
                    return None
            elif is_seen or not _is_yes_or_no(choices):
                answer = self._meant(typed, choices)
                if answer is not None:
                    return answer
            self._put_choices(choices)
        return None

    def _worded(self, question: Question) -> str:
        """The question in the person's language, where it is made of parts that we know."""
        return question.text if question.approval is None else self._approval(question.approval)

    def _approval(self, approval: Approval) -> str:
        known = zip(approval.rules, approval.reasons, strict=True)
        reasons = (self._words.texts.get(f"danger.{rule}", reason) for rule, reason in known)
        why = self._words.text("chat.approve", reason="; ".join(reasons))
        return f"{why}\n\n{approval.command}\n\n{self._words.text('chat.approve_run')}"

    def _put_choices(self, choices: tuple[str, ...]) -> None:
        if not choices:
            self._sheet.put(self._ink.faint(self._words.text("chat.answer_freely")))
        elif _is_yes_or_no(choices):
            self._sheet.put(self._ink.faint(self._words.text("chat.answer_yes_no")))
        else:
            lines = "\n".join(f"  {number}. {choice}" for number, choice in enumerate(choices, 1))
            how = self._ink.faint(self._words.text("chat.answer_number"))
            self._sheet.put(f"{self._ink.plain(lines)}\n{how}")

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
