"""`vibeos data`: SQL over the record, read only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vibeos.surfaces.cli.common import opened, print_json, printable, text_argument

if TYPE_CHECKING:
    from vibeos.ports.store import QueryResult


@click.group("data")
def command() -> None:
    """Query the record with SQL, read only. Tables: sessions, messages, context_rows, checkpoints, checkpoint_attempts."""


@command.command()
@click.option("--sql", required=True, help="One SELECT statement, or - for standard input.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True
)
@click.option("--limit", type=click.IntRange(1, 1_000_000), help="At most so many rows (default: 1,000).")
@click.pass_context
def query(ctx: click.Context, *, sql: str, form: str, limit: int | None) -> None:
    """Run one SELECT. Nothing can be changed by it; what is too long or too much ends with a clear word."""
    from vibeos.app.data import query as run_query

    with opened(ctx) as app:
        result = run_query(app, text_argument(sql), rows=limit)
    {"text": _print_text, "json": _print_json, "csv": _print_csv}[form](result)
    if result.truncated and form != "json":
        click.echo(f"there is more: {result.reason}", err=True)


@command.command()
@click.pass_context
def reindex(ctx: click.Context) -> None:
    """Make the search index anew from the messages. Can be interrupted; it goes on where it was."""
    with opened(ctx) as app:
        done = app.record.rebuild_index(
            lambda done, total: click.echo(f"\r{done}/{total}", nl=False, err=True)
        )
        click.echo(f"\nindexed {done} messages", err=True)


def _print_text(result: QueryResult) -> None:
    """A header and a line per row, cells parted by ` | `; line breaks inside a cell are shown as `\\n`."""
    click.echo(" | ".join(result.columns))
    for row in result.rows:
        click.echo(" | ".join(_cell(value) for value in row))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return printable(str(value)).replace("\r", "\\r").replace("\n", "\\n")


def _print_json(result: QueryResult) -> None:
    rows = [[value.hex() if isinstance(value, bytes) else value for value in row] for row in result.rows]
    print_json(
        {"columns": result.columns, "rows": rows, "truncated": result.truncated, "reason": result.reason}
    )


def _print_csv(result: QueryResult) -> None:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows(
        [value.hex() if isinstance(value, bytes) else value for value in row] for row in result.rows
    )
    click.echo(text.getvalue().encode("utf-8", "surrogatepass"), nl=False)
