"""Running the real `vibeos` program, with a model to ask and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.program import Program
from support.terminal import Terminal
from vibeos.testing import StrictServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    folder = tmp_path / "folder"
    folder.mkdir()
    return Program(tmp_path / "home", folder)


@pytest.fixture
def server(program: Program) -> Iterator[StrictServer]:
    """The model that the program is configured to ask."""
    with StrictServer() as started:
        program.variables |= {"VIBEOS_MODEL": "openai:test", "VIBEOS_BASE_URL": started.base_url}
        yield started


@pytest.fixture
def terminal(program: Program) -> Iterator[Terminal]:
    with Terminal(program) as opened:
        yield opened
