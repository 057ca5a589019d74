"""Time as values: a clock is a function, a stamp is text that sorts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC to the microsecond, of one length, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
