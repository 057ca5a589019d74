"""`vibeos config`: read and change `config.yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vibeos.surfaces.cli.common import as_json_option, as_meant, opened, print_json, printable

if TYPE_CHECKING:
    from vibeos.values.config import Setting


@click.group("config")
def command() -> None:
    """Read and change the configuration (config.yaml in the home folder)."""


@command.command()
@as_json_option
@click.pass_context
def show(ctx: click.Context, *, as_json: bool) -> None:
    """Print every setting, its value and where the value comes from."""
    with opened(ctx) as app:
        settings = app.settings.show()
        if as_json:
            print_json(
                {setting.name: {"value": setting.value, "source": setting.source} for setting in settings}
            )
            return
        width = max(len(setting.name) for setting in settings)
        for setting in settings:
            click.echo(f"{setting.name:<{width}}  {_shown(setting):<12} {setting.source}")


@command.command()
@click.argument("name")
@as_json_option
@click.pass_context
def get(ctx: click.Context, *, name: str, as_json: bool) -> None:
    """Print one setting's value."""
    with opened(ctx) as app:
        setting = app.settings.get(name)
        if as_json:
            print_json({"name": setting.name, "value": setting.value, "source": setting.source})
        else:
            click.echo(_shown(setting))


@command.command("set")
@click.argument("name")
@click.argument("value")
@as_json_option
@click.pass_context
def set_(ctx: click.Context, *, name: str, value: str, as_json: bool) -> None:
    """Write one setting; comments and order of the file stay."""
    with opened(ctx) as app:
        setting = app.settings.set(name, as_meant(value))
        if as_json:
            print_json({"name": setting.name, "value": setting.value, "path": app.settings.path})
            return
        click.echo(f"{setting.name}: {_shown(setting)}  ({printable(app.settings.path)})")


@command.command()
@click.argument("name")
@as_json_option
@click.pass_context
def unset(ctx: click.Context, *, name: str, as_json: bool) -> None:
    """Take one setting out of the file, so that its default holds."""
    with opened(ctx) as app:
        was_set = app.settings.unset(name)
        if as_json:
            print_json({"name": name, "was_set": was_set, "path": app.settings.path})
            return
        click.echo(
            f"{name}: removed, the default holds" if was_set else f"{name} was not set in {app.settings.path}"
        )


@command.command()
@click.pass_context
def path(ctx: click.Context) -> None:
    """Print where the file is, whether it exists or not."""
    with opened(ctx) as app:
        click.echo(printable(app.settings.path))


def _shown(setting: Setting) -> str:
    value = setting.value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else printable(str(value))
