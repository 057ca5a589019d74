"""`python -m vibeos` is the `vibeos` command."""

from vibeos.surfaces.cli.start import run

run()
