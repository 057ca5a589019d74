"""Whoever watches a turn, such as a terminal: what is written, what is called, what came in meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from vibeos.ports.models.tools import ToolCall, ToolOutcome


class Progress(Protocol):
    """Told what happens in a turn, in its order. It is a `Listener` of the model too."""

    def wrote(self, piece: str) -> None:
        """The model wrote the next piece of its text."""
        ...

    def starts_again(self, reason: str) -> None:
        """What it wrote of this answer is void; it is asked once more."""
        ...

    def calls(self, call: ToolCall) -> None:
        """A call begins."""
        ...

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """A call was answered."""
        ...

    def took(self, texts: tuple[str, ...]) -> None:
        """These inputs arrived during the turn and have entered it."""
        ...


class Unwatched:
    """Nobody watches."""

    def wrote(self, piece: str) -> None:
        """Nothing."""

    def starts_again(self, reason: str) -> None:
        """Nothing."""

    def calls(self, call: ToolCall) -> None:
        """Nothing."""

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """Nothing."""

    def took(self, texts: tuple[str, ...]) -> None:
        """Nothing."""


class Overheard:
    """A progress in front of another one, that keeps what was written of the present answer."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        """What was written so far."""
        return "".join(self._pieces)

    def wrote(self, piece: str) -> None:
        self._pieces.append(piece)
        self._progress.wrote(piece)

    def starts_again(self, reason: str) -> None:
        self._pieces.clear()
        self._progress.starts_again(reason)
