from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checkpoint.conversations import Talk
from vibeos.record import open_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with open_record(tmp_path / "state.db") as record:
        yield Talk(record)
