"""The person, as far as a turn can reach them: somebody to ask in the middle of it, or nobody.

Who is there is decided by the surface (a terminal, a script, a background job), never by a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Approval:
    """A command that runs only with a yes. `command` has nothing hidden in it; each of `reasons` completes the sentence
    "The command …", and comes from the rule with the same place in `rules`."""

    command: str
    reasons: tuple[str, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What the person is asked. With `choices` the answer is one of them, else free text.

    `text` says it all, in English, as the record keeps it. Where it asks for leave to run a command, `approval` is what
    it is made of, so that a surface can say it in the person's language.
    """

    text: str
    choices: tuple[str, ...] = ()
    approval: Approval | None = None


class Person(Protocol):
    """Who can be asked while a turn runs."""

    @property
    def is_present(self) -> bool:
        """Whether a question would reach somebody now."""
        ...

    async def ask(self, question: Question) -> str | None:
        """Their answer, word for word; None when they did not want to answer, or nobody is there."""
        ...


class Nobody:
    """There is no one to ask: a script, a single question, a job in the background."""

    @property
    def is_present(self) -> bool:
        return False

    async def ask(self, question: Question) -> str | None:  # noqa: ARG002 - nobody hears it
        return None
