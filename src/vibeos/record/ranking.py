"""Ranking the candidates of a search again, by what a person would look at.

The database ranks by words alone. Four signals are added to that, each a sentence about conversations and none about a
set of data:

- `author`: a question that names somebody is rather about what they said.
- `coverage`: of two short messages the one that holds more of the question's words is nearer to it.
- `answer`: what answers a question is about what was asked.
- `session`: a message from a conversation in which much was found is rather meant than one that stands alone.

They only ever lift: a candidate keeps what its words gave it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.record.message import MessageType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.record.message import Message

WEIGHTS = {
    MessageType.USER: 1.0,
    MessageType.ASSISTANT: 0.9,
    MessageType.HARNESS: 0.7,
    MessageType.NOTICE: 0.7,
}
SHORT = 600  # characters of a message whose share of the question's words says something
_ENDS_OF_QUESTIONS = ("?", "？", "⁇")


@dataclass(frozen=True, slots=True)
class Signals:
    """How much each signal counts, as a share of a score. 0 leaves it out."""

    author: float = 0.5
    coverage: float = 0.35
    answer: float = 0.2
    session: float = 0.2


SIGNALS = Signals()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message that holds something of the query. `rank`: the database's, higher is better. `covered`: the share of the
    query's terms that it holds itself; `names_author`: whether the query names who wrote it."""

    message: Message
    rank: float
    covered: float
    names_author: bool


def scores(candidates: Sequence[Candidate], signals: Signals = SIGNALS) -> list[float]:
    """A score for each candidate, in their order."""
    own = [_own(one, signals) for one in candidates]
    place_of = {_place(one.message): at for at, one in enumerate(candidates)}
    best: dict[str, float] = {}
    for one, score in zip(candidates, own, strict=True):
        session = one.message.session_id
        best[session] = max(best.get(session, 0.0), score)
    return [
        score
        + signals.answer * _from_question(one.message, candidates, own, place_of)
        + signals.session * best[one.message.session_id]
        for one, score in zip(candidates, own, strict=True)
    ]


def _own(one: Candidate, signals: Signals) -> float:
    lift = signals.author * one.names_author
    if len(one.message.text) <= SHORT:
        lift += signals.coverage * one.covered
    return one.rank * WEIGHTS[one.message.type] * (1 + lift)


def _from_question(
    message: Message,
    candidates: Sequence[Candidate],
    own: Sequence[float],
    place_of: dict[tuple[str, int], int],
) -> float:
    """The score of the question right before a message; 0 where there is none."""
    at = place_of.get((message.session_id, message.context_seq - 1))
    if at is None or not candidates[at].message.text.rstrip().endswith(_ENDS_OF_QUESTIONS):
        return 0.0
    return own[at]


def _place(message: Message) -> tuple[str, int]:
    return message.session_id, message.context_seq
