"""Running the real `vibeos` program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.program import Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    folder = tmp_path / "folder"
    folder.mkdir()
    return Program(tmp_path / "home", folder)
