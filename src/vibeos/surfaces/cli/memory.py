"""`vibeos memory`: Core and User memory from the command line. Needs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.common import as_json_option, as_meant, opened, print_json, printable, text_argument

if TYPE_CHECKING:
    from vibeos.app.memory import StoreStatus
    from vibeos.app.vibeos import VibeOS
    from vibeos.memory.curated.operations import Result

target_option = click.option(
    "--target",
    type=click.Choice(["memory", "user"]),
    default="memory",
    show_default=True,
    help="memory: the agent's notes (MEMORY.md); user: the person's profile (USER.md).",
)


@click.group("memory")
def command() -> None:
    """Core and User memory: small stores that stand in every session's prompt.

    Core (MEMORY.md) holds the agent's notes, User (USER.md) who you are and how you like to work. A running
    session keeps the snapshot that it began with; changes show from the next session on.
    """


@command.command()
@as_json_option
@click.pass_context
def status(ctx: click.Context, *, as_json: bool) -> None:
    """Show how full both stores are, the provider, and local counters."""
    with opened(ctx) as app:
        stores = app.memory.status()
        if as_json:
            print_json(_status_dict(app, stores))
        else:
            _print_status(app, stores)
        ctx.exit(1 if any(store.fault for store in stores) else 0)


def _status_dict(app: VibeOS, stores: tuple[StoreStatus, ...]) -> dict[str, Any]:
    return {
        "provider": app.config.text("memory.provider") or None,
        "write_approval": app.config.flag("memory.write_approval"),
        "stores": {store.target.value: _store_dict(store) for store in stores},
    }


def _store_dict(store: StoreStatus) -> dict[str, Any]:
    shown: dict[str, Any] = {"path": store.path, "enabled": store.enabled}
    if store.usage is None:
        return {**shown, "fault": store.fault}
    return {
        **shown,
        "entries": len(store.entries),
        "used": store.usage.used,
        "limit": store.usage.limit,
        "percent": store.usage.percent,
        "changed_elsewhere": store.changed_elsewhere,
        "counters": dict(store.counters or {}),
    }


def _print_status(app: VibeOS, stores: tuple[StoreStatus, ...]) -> None:
    click.echo(f"Provider: {app.config.text('memory.provider') or 'none (Core and User files only)'}")
    approval = "on (a model's writes are refused)" if app.config.flag("memory.write_approval") else "off"
    click.echo(f"Approval: {approval}")
    for store in stores:
        click.echo(f"{store.target.file_name:<10} {_store_line(app, store)}")
        if store.counters is not None:
            counts = ", ".join(f"{name} {value}" for name, value in store.counters.items())
            click.echo(f"{'':<10} counters: {counts}")
        if store.changed_elsewhere:
            click.echo(f"{'':<10} changed by another program since VibeOS last wrote it")


def _store_line(app: VibeOS, store: StoreStatus) -> str:
    state = "" if store.enabled else "off; "
    if store.usage is None:
        return state + store.fault
    used, limit, count = store.usage.used, store.usage.limit, len(store.entries)
    return state + app.catalogue.text(
        "status.store", percent=store.usage.percent, used=used, limit=limit, count=count
    )


@command.command()
@click.option("--target", type=click.Choice(["memory", "user", "all"]), default="all", show_default=True)
@as_json_option
@click.pass_context
def show(ctx: click.Context, *, target: str, as_json: bool) -> None:
    """Print the entries of one store or of both."""
    with opened(ctx) as app:
        stores = [store for store in app.memory.status() if target in ("all", store.target)]
        if as_json:
            print_json({store.target.value: _entries_dict(store) for store in stores})
        else:
            for store in stores:
                _print_entries(app, store)
        ctx.exit(1 if any(store.fault for store in stores) else 0)


def _entries_dict(store: StoreStatus) -> dict[str, Any]:
    return {"fault": store.fault} if store.usage is None else {"entries": list(store.entries)}


def _print_entries(app: VibeOS, store: StoreStatus) -> None:
    click.echo(f"{store.target.file_name}  {_store_line(app, store)}")
    for number, entry in enumerate(store.entries, start=1):
        first, *rest = printable(entry).split("\n")
        click.echo("\n".join([f"{number:>3}. {first}", *(f"     {line}" for line in rest)]))


@command.command()
@click.argument("content")
@target_option
@as_json_option
@click.pass_context
def add(ctx: click.Context, *, content: str, target: str, as_json: bool) -> None:
    """Add an entry. CONTENT is its text, or - for standard input."""
    with opened(ctx) as app:
        _tell(ctx, app, app.memory.add(target, text_argument(content)), as_json=as_json)


@command.command()
@click.argument("old_text")
@click.argument("content")
@target_option
@as_json_option
@click.pass_context
def replace(ctx: click.Context, *, old_text: str, content: str, target: str, as_json: bool) -> None:
    """Replace an entry. The whole one that contains OLD_TEXT; CONTENT may be - for standard input."""
    with opened(ctx) as app:
        result = app.memory.replace(target, as_meant(old_text), text_argument(content))
        _tell(ctx, app, result, sought=as_meant(old_text), as_json=as_json)


@command.command()
@click.argument("old_text")
@target_option
@as_json_option
@click.pass_context
def remove(ctx: click.Context, *, old_text: str, target: str, as_json: bool) -> None:
    """Remove the entry that contains OLD_TEXT. What was removed is printed."""
    with opened(ctx) as app:
        result = app.memory.remove(target, as_meant(old_text))
        _tell(ctx, app, result, sought=as_meant(old_text), as_json=as_json)


@command.command()
@target_option
@click.option("--yes", is_flag=True, help="Do it; without this the entries to be are only shown.")
@as_json_option
@click.pass_context
def split(ctx: click.Context, *, target: str, yes: bool, as_json: bool) -> None:
    """Split notes written by hand. One entry is made of each list item or paragraph."""
    with opened(ctx) as app:
        pieces, result = app.memory.split(target, dry_run=not yes)
        if result is not None:
            _tell(ctx, app, result, as_json=as_json)
        elif as_json:
            print_json({"dry_run": not yes, "entries": list(pieces)})
        elif not pieces:
            click.echo("There is nothing to split: every entry stands for itself.")
        else:
            click.echo("The entries would be (run again with --yes to do it; a copy of the file is kept):")
            for number, piece in enumerate(pieces, start=1):
                click.echo(f"{number:>3}. {printable(piece)}")


def _tell(ctx: click.Context, app: VibeOS, result: Result, *, as_json: bool, sought: str = "") -> None:
    """What came of a write. `sought`: the part of an entry that was to be found."""
    from vibeos.app.memory import is_refused

    refused = is_refused(result)
    remedy = _in_other_store(app, result, sought) if refused and sought else ""
    if as_json:
        print_json({**app.memory.as_dict(result), **({"remedy": remedy} if remedy else {})})
    elif refused:
        click.echo(f"error: {printable(f'{app.memory.explain(result)} {remedy}'.strip())}", err=True)
    else:
        click.echo(app.memory.explain(result))
        _print_changes(result)
    ctx.exit(1 if refused else 0)


def _in_other_store(app: VibeOS, result: Result, sought: str) -> str:
    """Where the entry is, if it was sought in the wrong store; empty if it is in neither."""
    problem = getattr(result, "problem", None)
    if problem is None or problem.key != "memory.no_match":
        return ""
    from vibeos.memory.curated.entries import clean

    for store in app.memory.status():
        if store.target is not result.target and any(clean(sought) in entry for entry in store.entries):
            file, target = store.target.file_name, store.target.value
            return app.catalogue.text("memory.in_other", file=file, target=target)
    return ""


def _print_changes(result: Result) -> None:
    """What went and what came, so that a person can undo it by hand."""
    for change in getattr(result, "changes", ()):
        if change.before:
            click.echo(f"- {printable(change.before)}")
        if change.before and change.after:
            click.echo(f"+ {printable(change.after)}")
