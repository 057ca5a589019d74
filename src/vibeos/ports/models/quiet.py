"""The libraries' remarks for their developers, about odd answers and old models, are not for a person at a chat.

Python keeps one list of warning filters for the whole process. So they are changed only while the library's code runs,
never while it waits, and by one thread at a time.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from warnings import catch_warnings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

T = TypeVar("T")

_FILTERS = RLock()


class Quietly(Generic[T]):
    """An awaitable as another one: the same, but without warnings."""

    def __init__(self, awaitable: Awaitable[T]) -> None:
        self._steps: Any = awaitable.__await__()

    def __await__(self) -> Generator[Any, Any, T]:
        go_on: Callable[[], Any] = lambda: next(self._steps)  # noqa: E731 - replaced by what comes back
        while True:
            try:
                with _FILTERS, catch_warnings(action="ignore"):
                    waited_for = go_on()
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            try:
                answer = yield waited_for
            except BaseException as thrown:  # noqa: BLE001 - a cancellation, handed on to where it belongs
                error = thrown
                go_on = lambda: self._steps.throw(error)  # noqa: E731, B023 - called before the next one
            else:
                go_on = lambda: self._steps.send(answer)  # noqa: E731, B023 - the same
