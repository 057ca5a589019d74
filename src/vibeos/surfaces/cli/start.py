"""Where the process of both commands begins."""

from __future__ import annotations

import gc
import io
import sys


def run() -> None:
    """Run the command line without the cycle collector; what runs for long turns it on again.

    A short command makes nothing that is worth collecting. Not to collect while modules are imported saves a
    twentieth of its time; not to search everything once more at the end (`freeze`) another tenth.
    """
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a terminal of another encoding shows what it cannot print as \\x escapes
            stream.reconfigure(errors="backslashreplace")
    from vibeos.surfaces.cli.main import run as run_command

    try:
        run_command()
    finally:
        gc.freeze()
