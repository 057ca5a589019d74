"""Start-up is a feature: what each command must not import. Time itself is measured in benchmarks/startup.py."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.program import Program

# Measured (see the design's list): each of these costs between 4 ms and a second.
MODEL_LIBRARIES = {"pydantic", "pydantic_ai", "openai", "httpx2", "genai_prices", "anyio"}
HEAVY = MODEL_LIBRARIES | {
    "asyncio", "logging", "ruamel.yaml", "importlib.resources", "importlib.metadata", "tempfile", "sqlite3",
    "rich", "prompt_toolkit", "filelock", "platformdirs", "hashlib", "subprocess", "socket", "urllib.request",
}  # fmt: skip
RECORD = {"apsw", "Stemmer"}

FORBIDDEN = {
    ("--help",): HEAVY | RECORD | {"yaml12", "json", "pathlib"},
    ("--version",): HEAVY | RECORD | {"yaml12"},
    ("memory", "status"): HEAVY | RECORD,
    ("memory", "show"): HEAVY | RECORD,
    ("memory", "add", "a fact"): HEAVY | RECORD,
    ("memory", "remove", "absent"): HEAVY | RECORD,
    ("config", "get", "model.name"): HEAVY | RECORD,
    ("sessions", "list"): HEAVY - {"hashlib"} | {"Stemmer"},
    ("data", "query", "--sql", "SELECT 1"): MODEL_LIBRARIES | {"asyncio", "Stemmer"},
    ("doctor",): MODEL_LIBRARIES | {"asyncio"},
}

PROBE = """
import sys
from vibeos.surfaces.cli.start import run
sys.argv = ["vibeos", *sys.argv[1:]]
try:
    run()
except SystemExit:
    pass
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", FORBIDDEN, ids=" ".join)
def test_a_command_does_not_import_what_it_does_not_need(
    program: Program, arguments: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=program.folder, env=program.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(done.stderr.splitlines())
    assert "vibeos.surfaces.cli.main" in loaded
    assert sorted(FORBIDDEN[arguments] & loaded) == []


def test_importing_the_library_imports_none_of_its_parts() -> None:
    probe = "import sys, vibeos; print(*sorted(m for m in sys.modules if m.startswith('vibeos')))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["vibeos", "vibeos._version"]
