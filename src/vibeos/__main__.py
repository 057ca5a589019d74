"""`python -m vibeos` is the `vibeos` command."""

from vibeos.surfaces.cli.main import run

run()
