"""What a test of commands left running, and waiting by looking again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def left_behind(session: str) -> list[int]:
    """The processes that carry the session's variable."""
    mark, found = f"VIBEOS_SESSION={session}\0".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def until(is_so: Callable[[], bool], seconds: float = 5) -> bool:
    """Whether it becomes so in this time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
