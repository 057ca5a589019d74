"""`vibeos skill`: written ways of doing a task. Needs no model, and no database but to note a session's load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.common import as_json_option, opened, print_json, printable
from vibeos.values.text import preview

if TYPE_CHECKING:
    from vibeos.memory.skills import Shelf, Skill

_LONGEST_DESCRIPTION = 1_000


@click.group("skill")
def command() -> None:
    """A skill is a folder with a SKILL.md, in the home's skills folder or in a project's .vibeos/skills."""


@command.command("list")
@as_json_option
@click.pass_context
def list_(ctx: click.Context, *, as_json: bool) -> None:
    """List the skills that can be loaded here, and what is wrong with others."""
    with opened(ctx) as app:
        shelf = app.skills.here()
        if as_json:
            print_json(_shelf_dict(shelf))
            return
        width = max((len(skill.name) for skill in shelf.skills), default=0)
        for skill in shelf.skills:
            description = printable(preview(skill.description, _LONGEST_DESCRIPTION)) or "(no description)"
            click.echo(f"{skill.name:<{width}}  {skill.place.kind:<7}  {description}")
        if not shelf.skills:
            click.echo(
                f"No skills here yet. One is a folder with a SKILL.md in {printable(app.scope.skills)}"
            )
        for note in _notes(shelf):
            click.echo(f"note: {printable(note)}", err=True)


def _notes(shelf: Shelf) -> list[str]:
    used = {skill.name: skill for skill in shelf.skills}
    return [
        *(f"{file.skill.path}: {problem}" for file in shelf.files for problem in file.problems),
        *(f"{skill.path} is not used, {used[skill.name].path} is" for skill in shelf.hidden),
        *(one.notice for one in shelf.withheld),
    ]


def _shelf_dict(shelf: Shelf) -> dict[str, Any]:
    return {
        "skills": [{**_skill_dict(file.skill), "problems": list(file.problems)} for file in shelf.files],
        "hidden": [_skill_dict(skill) for skill in shelf.hidden],
        "withheld": [
            {"name": one.name or None, "path": one.path, "reason": one.reason} for one in shelf.withheld
        ],
    }


def _skill_dict(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "description": skill.description,
        "path": skill.path,
        "place": skill.place.kind.value,
    }


@command.command()
@click.argument("name")
@click.option("--session", metavar="ID", default="", help="Note that this session loaded it.")
@click.pass_context
def load(ctx: click.Context, *, name: str, session: str) -> None:
    """Print a skill whole: its instructions, then the other files of its folder.

    The session that loads it is the one of --session, or of VIBEOS_SESSION, which the agent's shell sets.
    """
    with opened(ctx) as app:
        loaded = app.skills.load(name, session=session)
    click.echo(printable(loaded.body.rstrip("\n")))
    click.echo(f"\nFolder of this skill: {_line(loaded.skill.folder)}")
    if loaded.files:
        click.echo("Other files in it:")
    for path in loaded.files:
        click.echo(f"  {_line(path)}")
    if loaded.warning:
        click.echo(f"warning: {printable(loaded.warning)}", err=True)


def _line(path: str) -> str:
    return printable(path).replace("\n", "\\n")


@command.command()
@click.argument("name")
@click.pass_context
def path(ctx: click.Context, *, name: str) -> None:
    """Print the folder of a skill."""
    with opened(ctx) as app:
        click.echo(_line(app.skills.here().get(name).skill.folder))
