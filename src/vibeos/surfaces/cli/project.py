"""`vibeos project`: which folder a session belongs to."""

from __future__ import annotations

from pathlib import Path

import click

from vibeos.surfaces.cli.common import as_json_option, opened, print_json, printable


@click.group("project")
def command() -> None:
    """A session belongs to the nearest folder above it that is bound here or is a git root, or to none."""


@command.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@as_json_option
@click.pass_context
def bind(ctx: click.Context, *, path: Path, as_json: bool) -> None:
    """Make the folder PATH a project of its own."""
    with opened(ctx) as app:
        bound = app.projects.bind(path)
        print_json({"bound": bound}) if as_json else click.echo(f"bound: {printable(bound)}")


@command.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@as_json_option
@click.pass_context
def unbind(ctx: click.Context, *, path: Path, as_json: bool) -> None:
    """Undo `bind`. Sessions keep the project that they began in."""
    with opened(ctx) as app:
        was_bound = app.projects.unbind(path)
        if as_json:
            print_json({"was_bound": was_bound})
            ctx.exit(0 if was_bound else 1)
        click.echo("unbound" if was_bound else f"{printable(str(path))} was not bound")
        ctx.exit(0 if was_bound else 1)


@command.command("list")
@as_json_option
@click.pass_context
def list_(ctx: click.Context, *, as_json: bool) -> None:
    """List the folders that are bound."""
    with opened(ctx) as app:
        folders = app.projects.list()
        if as_json:
            print_json(list(folders))
        else:
            click.echo(
                "\n".join(map(printable, folders))
                or "No folder is bound; git roots are projects by themselves."
            )


@command.command()
@as_json_option
@click.pass_context
def show(ctx: click.Context, *, as_json: bool) -> None:
    """Show the project of the current folder."""
    with opened(ctx) as app:
        project = app.projects.current()
        if as_json:
            print_json({"project": project or None})
        else:
            click.echo(printable(project) or "This folder belongs to no project.")
