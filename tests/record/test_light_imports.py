"""What importing the record must not load: start-up is a feature."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = [
    "apsw",
    "Stemmer",
    "asyncio",
    "pydantic",
    "logging",
    "uuid",
    "tempfile",
    "importlib.resources",
    "click",
]


@pytest.mark.parametrize("module", ["vibeos.record", "vibeos.ports.store", "vibeos.values.analyser"])
def test_importing_it_loads_nothing_heavy(module: str) -> None:
    program = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert loaded.split() == []


def test_opening_and_listing_loads_no_stemmer(tmp_path: object) -> None:
    program = (
        "import sys; from pathlib import Path; from vibeos.record import open_record\n"
        f"with open_record(Path({str(tmp_path)!r}) / 'state.db') as record: record.sessions.list()\n"
        "print(*(name for name in ['Stemmer', 'asyncio', 'logging'] if name in sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert loaded.split() == []
