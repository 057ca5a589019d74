"""The real `vibeos` program, run as a person or another program would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Program:
    """The `vibeos` program in a home and a folder of its own, with nothing of the real environment's settings."""

    home: Path
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in os.environ}
        person = {
            "HOME": str(self.home.parent),
            "USER": "sam",
            "LANG": "C.UTF-8",
            "VIBEOS_HOME": str(self.home),
        }
        return kept | person | self.variables

    def run(
        self, *arguments: str, stdin: str | bytes = "", code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "vibeos", *arguments],
            input=data, cwd=self.folder, env=self.environment, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        text = subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")
        )
        if code is not None:
            assert text.returncode == code, (
                f"{arguments}: exit {text.returncode}\n{text.stdout}\n{text.stderr}"
            )
        assert "Traceback" not in text.stderr
        assert "internal error" not in text.stderr, text.stderr
        return text
