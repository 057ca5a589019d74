"""Time that passes when it is told to."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone

from vibeos.testing import FakeClock
from vibeos.values.clock import Clock, stamp


def test_it_stands_still_until_it_is_told_to_go_on() -> None:
    clock: Clock = FakeClock()
    assert clock() == clock()
    assert stamp(clock()) == "2025-01-01T00:00:00.000000Z"


def test_it_goes_on_by_what_it_is_told() -> None:
    clock = FakeClock()
    begun = clock()
    assert clock.advance(90) == begun + timedelta(seconds=90)
    clock.advance(-0.5)
    assert clock() - begun == timedelta(seconds=89.5)


def test_a_tick_passes_behind_each_look() -> None:
    clock = FakeClock(tick=0.25)
    assert [(clock() - datetime(2025, 1, 1, tzinfo=UTC)).total_seconds() for _ in range(3)] == [0, 0.25, 0.5]


def test_it_is_in_utc_whatever_it_begins_with() -> None:
    noon = datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=3)))
    assert FakeClock(noon)().isoformat() == "2024-02-29T09:00:00+00:00"
    assert FakeClock(noon.replace(tzinfo=None))().isoformat() == "2024-02-29T12:00:00+00:00"


def test_threads_see_each_tick_once() -> None:
    clock = FakeClock(tick=1)
    seen: list[datetime] = []
    threads = [threading.Thread(target=lambda: seen.extend(clock() for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 200
