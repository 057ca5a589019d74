"""`vibeos doctor`: check the home and say what to do."""

from __future__ import annotations

import click

from vibeos.surfaces.cli.common import as_json_option, opened, print_json, printable


@click.command("doctor")
@as_json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """Check files, database and configuration; say what to do. Repairs nothing.

    Exit status 0: no fault (there may be warnings); 1: at least one fault.
    """
    from vibeos.app.doctor import Severity

    with opened(ctx) as app:
        results = app.doctor.run()
        if as_json:
            print_json(
                [
                    {
                        "check": r.check,
                        "severity": r.severity,
                        "message": r.message,
                        "remedy": r.remedy or None,
                    }
                    for r in results
                ]
            )
        else:
            marks = {Severity.OK: "ok     ", Severity.WARNING: "warning", Severity.FAULT: "FAULT  "}
            for result in results:
                click.echo(f"{marks[result.severity]}  {result.check:<7} {printable(result.message)}")
                if result.remedy:
                    click.echo(f"{'':<17} → {printable(result.remedy)}")
        ctx.exit(1 if any(result.severity is Severity.FAULT for result in results) else 0)
