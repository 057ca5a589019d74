"""Where the process of both commands begins."""

from __future__ import annotations

import gc


def run() -> None:
    """Run the command line with the cycle collector off; what runs for long turns it on again.

    Collecting while modules are imported costs a twelfth of a short command's whole time and finds nothing.
    """
    gc.disable()
    from vibeos.surfaces.cli.main import run as run_command

    run_command()
