"""`vibeos questions`: what sessions asked while nobody was there, and answering it. Needs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.common import as_json_option, opened, print_json, printable, text_argument

if TYPE_CHECKING:
    from vibeos.record import OpenQuestion


@click.group("questions")
def command() -> None:
    """Questions that the agent asked while nobody was there to answer."""


@command.command("list")
@click.option("--session", metavar="ID", default="", help="Only those of this session.")
@as_json_option
@click.pass_context
def list_(ctx: click.Context, *, session: str, as_json: bool) -> None:
    """List what waits for an answer, the oldest first."""
    with opened(ctx) as app:
        questions = app.questions.list(session)
    if as_json:
        print_json([_question_dict(question) for question in questions])
        return
    if not questions:
        click.echo("No question waits for an answer.")
    for question in questions:
        _print(question)


def _print(question: OpenQuestion) -> None:
    asked = question.asked_at[:16].replace("T", " ")
    click.echo(f"{question.id}  {asked}  session {question.session_id}")
    for line in question.question.splitlines():
        click.echo(f"  {printable(line)}")
    for number, choice in enumerate(question.choices, start=1):
        click.echo(f"  {number}) {printable(choice)}")


def _question_dict(question: OpenQuestion) -> dict[str, Any]:
    return {
        "id": question.id,
        "session": question.session_id,
        "question": question.question,
        "choices": list(question.choices),
        "asked_at": question.asked_at,
    }


@command.command()
@click.argument("question_id", metavar="ID")
@click.argument("text")
@as_json_option
@click.pass_context
def answer(ctx: click.Context, *, question_id: str, text: str, as_json: bool) -> None:
    """Answer a question, once. TEXT is your words (- reads them from standard input); one of the choices, if there are any.

    The answer waits for the next turn of the session that asked.
    """
    with opened(ctx) as app:
        queued = app.questions.answer(question_id, text_argument(text))
    answered, session = queued.envelope.origin_id, queued.session_id
    if as_json:
        print_json({"answered": answered, "session": session, "text": queued.text})
        return
    click.echo(f"{answered} is answered; the answer waits for the session's next turn.")
    click.echo(f"To go on now: vibeos chat --resume {session}")
