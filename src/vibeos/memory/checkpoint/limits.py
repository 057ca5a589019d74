"""How much fits: when a checkpoint is made, what a request may have at most, how long the parts of a checkpoint are.

All of it is a pure function of a route's limits. Sizes are in tokens. Numbers of the mind, the memo and the tail are the
document's; under a window of 192,000 they shrink in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vibeos.ports.models.route import Route

WHOLE_WINDOW = 192_000
TAIL = 20_000
DEFAULT_WINDOW = 128_000  # of a model of which nobody knows

LEAST_NOW = 30
_MARGIN, _MARGIN_SHARE = 8_000, 0.03
_LEAST_PRICE_STEP = 100_000
_LONGEST_ANSWER, _LEAST_ANSWER = 5_000, 1_000  # of a checkpoint turn, which writes less than the work does
_ANSWERS = 2_000  # of a checkpoint turn, before the one that holds the working state
_LEAST_EXTRAS = 120  # a few lines, however small the window


@dataclass(frozen=True, slots=True)
class MindLimits:
    """The most that each section of the mind is shown with."""

    here: int
    goals: int
    decisions: int
    lessons: int

    @property
    def whole(self) -> int:
        """All sections together; a mind of more than twice this is not taken."""
        return self.here + self.goals + self.decisions + self.lessons


@dataclass(frozen=True, slots=True)
class Limits:
    """What a route allows.

    `threshold`: a request longer than this is preceded by a checkpoint. `most`: a longer one is not sent; `turn`: the same
    for a checkpoint turn, whose answers are short; `answers`: what its edits take, at least. `tail`: recent messages that
    stay as they are. `message`: one message's copy in the memo; `memo`: all copies. `now`: the working
    state. `extras`: what the program adds beyond the document, all together. `skill` and `skills`: skills put back.
    """

    window: int
    threshold: int
    most: int
    turn: int
    answers: int
    tail: int
    mind: MindLimits
    memo: int
    message: int
    now: int
    extras: int
    skill: int
    skills: int


def limits_of(route: Route) -> Limits:
    """The limits of a route; where nothing is known of its window, a window of 128,000 is assumed."""
    window = route.context_window or DEFAULT_WINDOW
    taken = min(route.input_limit or window, window)
    reserve = min(route.max_output_tokens or window, window // 4)
    margin = min(max(_MARGIN, int(window * _MARGIN_SHARE)), window // 8)
    step = route.price_step if route.price_step and route.price_step >= _LEAST_PRICE_STEP else None
    threshold = min(taken - reserve - margin, window * 9 // 10, step * 9 // 10 if step else window)
    below_step = step * 97 // 100 if step else window
    most = min(taken - reserve - margin // 4, below_step)
    answer = min(reserve, _LONGEST_ANSWER, max(_LEAST_ANSWER, window // 16))
    scale = min(1.0, window / WHOLE_WINDOW)
    memo = int(3_000 * scale)
    return Limits(
        window=window,
        threshold=max(threshold, 1),
        most=max(most, 1),
        turn=max(min(taken - answer - margin // 4, below_step), 1),
        answers=min(_ANSWERS, window // 16),
        tail=min(TAIL, threshold // 4),
        mind=MindLimits(int(1_000 * scale), int(2_000 * scale), int(1_500 * scale), int(1_500 * scale)),
        memo=memo,
        message=min(300, memo),
        now=int(4_000 * scale),
        extras=max(int(900 * scale), _LEAST_EXTRAS),
        skill=5_000,
        skills=min(25_000, window // 10),
    )
