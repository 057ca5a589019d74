"""What is kept of a fault of our own: a report on this machine that can go along with a bug report."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir

from vibeos._version import __version__


def keep_report(error: Exception, program: str) -> str:
    """Write the traceback into a file of its own and say where it is, or give it whole if that fails."""
    report = f"{program} {__version__}\n{''.join(traceback.format_exception(error))}"
    path = Path(gettempdir()) / f"vibeos-crash-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
    except OSError:
        return report
    return f"The report is in {path}; please send it along when you report this."
