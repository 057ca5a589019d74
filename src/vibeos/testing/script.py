"""A script: what a model answers, step by step, and what it expects to be asked. It knows no wire format.

Each request that the endpoint takes uses up one step. A step that expects something else than what came is not
used up: the mismatch is kept, and `problems` names it, as it names steps that nobody asked for.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Protocol

from vibeos.testing.steps import Fault, Step, as_step
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vibeos.testing.steps import Action, Expectation, Playable


class Asked(Protocol):
    """What a script reads of a request, whatever way it came."""

    @property
    def number(self) -> int:
        """Which request it is, from 1."""
        ...

    @property
    def last_text(self) -> str:
        """The text of the last message."""
        ...


class Script:
    """The steps in their order; safe to play from several threads."""

    def __init__(self, steps: Iterable[Playable] = ()) -> None:
        self._steps = [as_step(step) for step in steps]
        self._next = 0
        self._problems: list[str] = []
        self._lock = RLock()

    def extend(self, steps: Iterable[Playable]) -> None:
        """Put steps at the end."""
        with self._lock:
            self._steps += [as_step(step) for step in steps]

    def play(self, request: Asked) -> tuple[Action, float]:
        """What is answered to a request, and after how many seconds."""
        step = self._take(request)
        if not callable(step.action):
            return step.action, step.delay
        try:
            made = as_step(step.action(request))
        except AssertionError as error:
            failed = str(error) or "an assertion of the script failed"
            return self._problem(f"request {request.number}: {failed}"), 0
        if callable(made.action):
            return self._problem(f"request {request.number}: a step made another function"), 0
        return made.action, step.delay + made.delay

    def note(self, problem: str) -> None:
        """Keep something that went wrong outside the steps."""
        with self._lock:
            self._problems.append(problem)

    @property
    def problems(self) -> list[str]:
        """What went otherwise than the script says: surprises first, then the steps that were not used."""
        with self._lock:
            left = self._steps[self._next :]
            numbered = enumerate(left, self._next + 1)
            return [*self._problems, *(f"step {n} was not used: {_label(step)}" for n, step in numbered)]

    def assert_used_up(self) -> None:
        """Fail unless every step was used and nothing else was asked."""
        problems = "".join(f"\n- {one}" for one in self.problems)
        assert not problems, f"the script was not played as written:{problems}"

    def _take(self, request: Asked) -> Step:
        with self._lock:
            if self._next == len(self._steps):
                problem = f"request {request.number} came after the script's last step ({self._next})"
                return Step(self._problem(f"{problem}: {preview(request.last_text)!r}"))
            step = self._steps[self._next]
            if not _meets(step.expect, request):
                wanted = repr(step.expect) if isinstance(step.expect, str) else "its condition"
                problem = f"step {self._next + 1} expected {wanted}, but request {request.number} ended with"
                return Step(self._problem(f"{problem} {preview(request.last_text)!r}"))
            self._next += 1
            return step

    def _problem(self, text: str) -> Fault:
        self.note(text)
        # The vendor SDKs send a failed request again unless they are told not to.
        return Fault(
            500,
            f"script: {text}",
            "script_mismatch",
            "server_error",
            None,
            {"x-should-retry": "false"},
        )


def _meets(expect: Expectation, request: Asked) -> bool:
    if expect is None:
        return True
    return expect in request.last_text if isinstance(expect, str) else expect(request)


def _label(step: Step) -> str:
    return preview(repr(step.action), 120)
