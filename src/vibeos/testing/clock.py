"""`FakeClock`: time that passes only when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Lock

_BEGINNING = datetime(2025, 1, 1, tzinfo=UTC)


class FakeClock:
    """A clock that can stand wherever `vibeos.values.clock.Clock` stands; safe to share between threads.

    It begins at `start` (in UTC when it says no zone), and goes on by `tick` seconds behind each look at it.
    """

    def __init__(self, start: datetime = _BEGINNING, *, tick: float = 0) -> None:
        self._now = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
        self._tick = timedelta(seconds=tick)
        self._lock = Lock()

    def __call__(self) -> datetime:
        """Now, in UTC."""
        with self._lock:
            seen = self._now
            self._now += self._tick
        return seen

    def advance(self, seconds: float) -> datetime:
        """Let time pass; gives the new time. A negative number sets the clock back, as real ones are set."""
        with self._lock:
            self._now += timedelta(seconds=seconds)
            return self._now
