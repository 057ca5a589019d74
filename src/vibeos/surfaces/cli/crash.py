"""What is kept of a fault of our own: a report on this machine that can go along with a bug report."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir

from vibeos._version import __version__
from vibeos.app.environment import Environment
from vibeos.values.errors import VibeOSError


def _folder() -> Path:
    """The home's `logs`, where there is a home; else the system's folder for temporary files."""
    try:
        home = Path(Environment.of_process().home)
        if home.is_dir():
            (home / "logs").mkdir(mode=0o700, exist_ok=True)
            return home / "logs"
    except (VibeOSError, OSError):
        pass
    return Path(gettempdir())


def keep_report(error: Exception, program: str) -> str:
    """Write the traceback into a file of its own and say where it is, or give it whole if that fails."""
    report = f"{program} {__version__}\n{''.join(traceback.format_exception(error))}"
    path = _folder() / f"vibeos-crash-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
    except OSError:
        return report
    return f"The report is in {path}; please send it along when you report this."
