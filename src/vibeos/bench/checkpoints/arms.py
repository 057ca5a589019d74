"""Ways to keep a context inside its window, behind one small interface; our own is in `ours`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from vibeos.bench.checkpoints.lines import Line
from vibeos.bench.checkpoints.reading import NOTES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.bench.checkpoints.note_takers import Notes, NoteTaker
    from vibeos.bench.checkpoints.world import World
    from vibeos.values.envelopes import Envelope

USER_WORDS = 20_000  # tokens of the person's newest words that the arm of that name keeps
_SUMMARY = 6_000  # tokens of a summary at a window of 192,000


@dataclass(frozen=True, slots=True)
class Window:
    """What the model takes, and what of it is kept after a compaction, in tokens."""

    window: int
    threshold: int
    tail: int

    @property
    def summary(self) -> int:
        return int(_SUMMARY * min(1, self.window / 192_000))


class Arm(Protocol):
    """A conversation that is kept inside its window."""

    @property
    def name(self) -> str: ...

    @property
    def compactions(self) -> int:
        """How often it was compacted."""
        ...

    def said(self, text: str, envelope: Envelope) -> int:
        """An input arrives; its number."""
        ...

    def acted(self, call: str, output: str) -> None:
        """The agent called a tool, and this came back."""
        ...

    def answered(self, text: str) -> None:
        """The agent ended its turn."""
        ...

    async def context(self) -> Sequence[Line]:
        """What the next request would hold, compacted where it was too long."""
        ...

    def look_up(self, number: int) -> str | None:
        """A message by its number; None where this arm has no such thing."""
        ...

    def crash(self) -> None:
        """Lose whatever is not on a disk."""
        ...

    def switch(self) -> None:
        """Go on with another model of the same kind."""
        ...

    def close(self) -> None: ...


class Compacting:
    """Lines in memory, of which the older ones are replaced by a summary; what of them is kept is said by a rule."""

    def __init__(self, name: str, window: Window, taker: NoteTaker, world: World, rule: Rule) -> None:
        self.name = name
        self.compactions = 0
        self._window, self._taker, self._world, self._rule = window, taker, world, rule
        self._lines: list[Line] = []
        self._size = 0
        self._count = 0

    def said(self, text: str, envelope: Envelope) -> int:
        self._add(Line("user", envelope.present(text)))
        self._count += 1
        return self._count

    def acted(self, call: str, output: str) -> None:
        self._add(Line("call", call))
        self._add(Line("result", output))

    def answered(self, text: str) -> None:
        self._add(Line("assistant", text))

    async def context(self) -> Sequence[Line]:
        if self._size > self._window.threshold:
            older, newer = _parted(self._lines, self._window.tail)
            if older:
                self._lines = [*self._rule(self, older), *newer]
                self._size = sum(line.tokens for line in self._lines)
                self.compactions += 1
        return self._lines

    def look_up(self, number: int) -> str | None:  # noqa: ARG002 - nothing is kept
        return None

    def crash(self) -> None:
        """These arms have no store; being kept whole is a gift to them."""

    def switch(self) -> None: ...

    def close(self) -> None: ...

    def notes(self, lines: Sequence[Line]) -> Notes:
        return self._taker.notes(lines, self._world)

    def summary_room(self) -> int:
        return self._window.summary

    def _add(self, line: Line) -> None:
        self._lines.append(line)
        self._size += line.tokens


if TYPE_CHECKING:
    Rule = Callable[[Compacting, Sequence[Line]], list[Line]]


def _parted(lines: Sequence[Line], tail: int) -> tuple[list[Line], list[Line]]:
    """The older lines and the newest ones of at most so many tokens, which begin with an input or a call."""
    at, size = len(lines), 0
    while at and size + lines[at - 1].tokens <= tail:
        at -= 1
        size += lines[at].tokens
    while at < len(lines) and lines[at].role == "result":
        at += 1
    return list(lines[:at]), list(lines[at:])


def summary_of(notes: Notes, room: int) -> list[str]:
    """A free text from notes, as a model would write it, cut to its room."""
    if notes.fault in {"no now", "empty", "cut", "unclosed"}:
        return ["(the summary ended early)"] if not notes.mends else _written(notes)
    lines = _written(notes)
    while len(lines) > 1 and sum(Line("user", line).tokens for line in lines) > room:
        lines.pop(len(lines) // 2)
    return lines


def _written(notes: Notes) -> list[str]:
    return [
        *([f"goal: {notes.wording}"] if notes.wording else []),
        *(f"- {rule.text}" for rule in notes.rules),
        *(f"- {text}" for text, _ in notes.grants),
        *(f"- {claim}" for claim in notes.claims),
        *(f"{stream}: next {item}" for stream, item in notes.position.items()),
    ]


def _rewrite(arm: Compacting, older: Sequence[Line]) -> list[Line]:
    """Everything is written anew, each time."""
    return [_framed(summary_of(arm.notes(older), arm.summary_room()))]


def _merge(arm: Compacting, older: Sequence[Line]) -> list[Line]:
    """A summary of fixed sections: what stands in it stays, the new is put behind it, positions are replaced."""
    before = older[0].text.splitlines()[1:] if older and older[0].text.startswith(NOTES) else []
    fresh = summary_of(arm.notes(older), arm.summary_room())
    kept = [line for line in before if ": next " not in line]
    lines = [*kept, *(line for line in fresh if line not in kept)]
    while sum(Line("user", line).tokens for line in lines) > arm.summary_room():
        lines.pop(0)
    return [_framed(lines)]


def _user_words(arm: Compacting, older: Sequence[Line]) -> list[Line]:
    """The newest 20,000 tokens of the person's messages as they were, and a summary."""
    said = [line for line in older if line.role == "user" and not line.text.startswith(("[Harness:", *NOTES))]
    return [*_parted(said, min(USER_WORDS, arm.summary_room() * 3))[1], *_rewrite(arm, older)]


def _tail(arm: Compacting, older: Sequence[Line]) -> list[Line]:
    """Nothing but the newest lines."""
    del arm, older
    return []


def _framed(lines: Sequence[str]) -> Line:
    return Line("user", "\n".join(["[Summary]", *lines]))


RULES_OF: dict[str, Rule] = {
    "rewrite": _rewrite,
    "merge": _merge,
    "user words": _user_words,
    "tail": _tail,
}
UNLIMITED = Window(10**12, 10**12, 10**12)
NAMES = ("ours", *RULES_OF, "everything")


def other_arm(name: str, window: Window, taker: NoteTaker, world: World) -> Compacting:
    """One of the other ways; "everything" is the ceiling, with a window without an end."""
    if name == "everything":
        return Compacting(name, UNLIMITED, taker, world, _tail)
    return Compacting(name, window, taker, world, RULES_OF[name])
