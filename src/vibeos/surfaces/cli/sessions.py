"""`vibeos sessions`: what was said before. Needs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.checkpoints import command as checkpoints
from vibeos.surfaces.cli.common import as_json_option, as_meant, has_terminal, opened, print_json, printable

if TYPE_CHECKING:
    from vibeos.record import Deletion, Message, Session


MOST = 2**53  # what every database and JSON reader can count to


@click.group("sessions")
def command() -> None:
    """Past sessions. SESSION is an id, or an unambiguous beginning of one."""


command.add_command(checkpoints)


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--offset", type=click.IntRange(0, MOST), default=0, help="Skip so many.")
@click.option("--project", metavar="PATH", help="Only sessions of this project (. for the current one).")
@as_json_option
@click.pass_context
def list_(ctx: click.Context, *, limit: int, offset: int, project: str | None, as_json: bool) -> None:
    """List sessions, the one used last first."""
    from pathlib import Path

    with opened(ctx) as app:
        chosen = None if project is None else app.projects.of(Path(project))
        sessions = app.sessions.list(project=chosen, limit=limit, offset=offset)
        if as_json:
            print_json([_session_dict(session) for session in sessions])
            return
        if sessions:
            click.echo(f"{'session':<22}  {'last used (UTC)':<16}  {'said':>5}  title")
        for session in sessions:
            title = printable(session.title) or "(no title)"
            click.echo(
                f"{session.id}  {session.last_active_at[:16].replace('T', ' ')}  {session.message_count:>5}  {title}"
            )
        total = app.sessions.count(project=chosen)
        if not total:
            click.echo("No sessions yet. `vibeos chat` begins one.")
        elif offset + len(sessions) < total:
            click.echo(
                f"… {total - offset - len(sessions)} more: --offset {offset + len(sessions)}", err=True
            )


def _session_dict(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.title,
        "source": session.source,
        "project": session.project or None,
        "model": session.model or None,
        "started_at": session.started_at,
        "last_active_at": session.last_active_at,
        "messages": session.message_count,
    }


@command.command()
@click.argument("session")
@click.option("--after", type=click.IntRange(0, MOST), default=0, help="Only messages behind this number.")
@click.option("--limit", type=click.IntRange(1, MOST), help="At most so many messages.")
@as_json_option
@click.pass_context
def show(ctx: click.Context, *, session: str, after: int, limit: int | None, as_json: bool) -> None:
    """Print a session's messages, whole and in order."""
    with opened(ctx) as app:
        found, messages = app.sessions.show(session, after=after, limit=limit)
        if as_json:
            print_json({**_session_dict(found), "messages": [_message_dict(message) for message in messages]})
            return
        click.echo(f"{found.id}  {printable(found.title)}\n{found.project}".rstrip())
        for message in messages:
            who = printable(message.author_name) or message.type
            click.echo(f"\n#{message.context_seq}  {who}  {message.created_at[:16].replace('T', ' ')}")
            click.echo(printable(message.presented) or "(no text: tool calls only)")


def _message_dict(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "number": message.context_seq,
        "type": message.type,
        "author": message.author_name,
        "source": message.source,
        "time": message.created_at,
        "text": message.text,
    }


@command.command()
@click.argument("session")
@click.argument("title")
@as_json_option
@click.pass_context
def rename(ctx: click.Context, *, session: str, title: str, as_json: bool) -> None:
    """Give a session another title."""
    with opened(ctx) as app:
        renamed = app.sessions.rename(session, as_meant(title))
        if as_json:
            print_json(_session_dict(renamed))
        else:
            click.echo(f"{renamed.id}  {printable(renamed.title)}")


@command.command()
@click.argument("session")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="A file instead of standard output.")
@click.pass_context
def export(ctx: click.Context, *, session: str, output: str | None) -> None:
    """Write a session as JSON lines: a header, then each message whole."""
    import json

    with opened(ctx) as app:
        if output is not None:
            count = app.sessions.export_to(session, output)
            click.echo(f"{printable(output)}: {count} messages")
            return
        for row in app.sessions.export(session):
            click.echo(json.dumps(row, ensure_ascii=True))


@command.command()
@click.argument("session")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
@as_json_option
@click.pass_context
def delete(ctx: click.Context, *, session: str, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Delete a session everywhere, for good. `vibeos sessions export` keeps a copy first."""
    with opened(ctx) as app:
        found = app.sessions.find(session)
        what = f"{found.id} ({printable(found.title) or 'no title'}, {found.message_count} messages)"
        if dry_run:
            print_json({"would_delete": _session_dict(found)}) if as_json else click.echo(
                f"would delete {what}"
            )
            return
        if not yes and not has_terminal():
            raise click.UsageError("Nobody can be asked here: give --yes, or --dry-run to look first.")
        if not yes:
            click.confirm(f"Delete {what} for good?", abort=True)
        deletion = app.sessions.delete(found.id)
        if as_json:
            print_json(_deletion_dict(deletion))
        else:
            _print_deletion(deletion, what)


def _deletion_dict(deletion: Deletion) -> dict[str, Any]:
    return {
        "deleted": deletion.session_id,
        "messages": deletion.messages,
        "traces_gone": deletion.traces_gone,
        "copies": list(deletion.copies),
    }


def _print_deletion(deletion: Deletion, what: str) -> None:
    click.echo(f"deleted {what}")
    if not deletion.traces_gone:
        click.echo(
            "Old pages of the database may still hold traces, since another program reads it or the disk is full. "
            "They are cleared by the next command that opens the record when neither is so.",
            err=True,
        )
    for copy in deletion.copies:
        click.echo(
            f"A copy from before a migration still holds it; remove it when you trust the new one: {copy}",
            err=True,
        )
