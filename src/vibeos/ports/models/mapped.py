"""What an element of a conversation looks like on the wire, kept so that a request maps only what is new in it.

An element is known by being the same object: elements are never changed once they stand in a conversation, and a running
session keeps its own. The cache holds at most twice `MOST_ELEMENTS`, those used last, and never decides what is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

T = TypeVar("T")

MOST_ELEMENTS = 4_000


class MappedElements(Generic[T]):
    """What was made of each element. What is taken out must not be changed."""

    def __init__(self, most: int = MOST_ELEMENTS) -> None:
        self._most = most
        # The element itself is kept beside what it became, so that no other one can take its identity.
        self._recent: dict[int, tuple[ModelMessage, T]] = {}
        self._older: dict[int, tuple[ModelMessage, T]] = {}

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)

    def get(self, element: ModelMessage) -> T | None:
        """What the element became, or None."""
        key = id(element)
        if (found := self._recent.get(key)) is not None:
            return found[1]
        if (found := self._older.pop(key, None)) is not None:
            self.put(element, found[1])
            return found[1]
        return None

    def put(self, element: ModelMessage, mapped: T) -> T:
        """Keep what the element became, and give it back."""
        if len(self._recent) >= self._most:
            self._older, self._recent = self._recent, {}
        self._recent[id(element)] = element, mapped
        return mapped
