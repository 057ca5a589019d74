"""`vibeos chat`: a conversation with the agent, at a plain prompt or with one question."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.common import has_terminal, opened, print_json, printable, text_argument
from vibeos.values.errors import NotFoundError, VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from vibeos.agent.loop import TurnEnd
    from vibeos.app.chat import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.ports.models.tools import ToolCall, ToolOutcome


_LEAVING = ("exit", "quit", "/exit", "/quit")
_HELP = """\
Type a message and Enter. Ctrl-C interrupts an answer; Ctrl-D, exit or quit ends. Everything is kept:
vibeos chat --continue goes on, vibeos sessions lists what was said, vibeos memory shows what was learned."""


@click.command("chat")
@click.option("-q", "--query", "question", metavar="TEXT", help="Ask once and end; - reads standard input.")
@click.option("--json", "as_json", is_flag=True, help="With -q: print one JSON document.")
@click.option("--continue", "go_on", is_flag=True, help="Go on with the conversation used last here.")
@click.option("--resume", metavar="ID", help="Go on with this conversation.")
@click.option(
    "--model", metavar="NAME", default="", help="Another model for this run, e.g. openai:gpt-5-mini."
)
@click.pass_context
def command(
    ctx: click.Context, *, question: str | None, as_json: bool, go_on: bool, resume: str | None, model: str
) -> None:
    """Talk with the agent. What matters it keeps in memory, what was said it can find again.

    Without -q, type a message and Enter; an empty line is ignored, Ctrl-D ends. If standard input is not a
    terminal, all of it is one message.
    """
    gc.enable()  # start.run turned it off; a conversation lasts
    if go_on and resume:
        raise click.UsageError("--continue and --resume exclude each other.")
    if question is None and not has_terminal():
        question = "-"
    if question is None and as_json:
        raise click.UsageError("--json needs -q.")
    with opened(ctx, model=model) as app:
        conversation = _conversation(app, go_on=go_on, resume=resume)
        if question is None:
            _talk(conversation)
        else:
            _ask_once(conversation, text_argument(question), as_json=as_json)


def _conversation(app: VibeOS, *, go_on: bool, resume: str | None) -> Conversation:
    if resume:
        return app.chat.resume(resume)
    return app.chat.resume_latest() if go_on else app.chat.begin()


def _ask_once(conversation: Conversation, text: str, *, as_json: bool) -> None:
    if not text.strip():
        raise click.UsageError("There is no text to send.")
    if not as_json:
        _print_notices(conversation)
    conversation.say(text)
    try:
        end = conversation.turn()
    except NotFoundError:  # the session was deleted meanwhile, and the message with it
        raise
    except VibeOSError:
        click.echo(_kept(conversation), err=True)
        raise
    if as_json:
        print_json(_turn_dict(conversation, end))
    else:
        _print_answer(end)


def _turn_dict(conversation: Conversation, end: TurnEnd) -> dict[str, Any]:
    return {
        "session": conversation.session.id,
        "number": end.answer.context_seq,
        "answer": end.answer.text,
        "calls": [{"tool": call.name, "arguments": call.parsed()} for call in end.calls],
        "note": end.note or None,
        "notices": list(conversation.notices),
    }


def _talk(conversation: Conversation) -> None:
    import readline  # noqa: F401 - gives input() its line editing

    click.echo(f"{conversation.route.name}  session {conversation.session.id}  (/help, Ctrl-D ends)")
    _print_notices(conversation)
    while (text := _next_line()) is not None and text.strip() not in _LEAVING:
        if text.strip() == "/help":
            click.echo(_HELP)
        elif text.strip():
            _answer(conversation, text)
    click.echo(f"\nGo on later with: vibeos chat --resume {conversation.session.id}")


def _next_line() -> str | None:
    """What the person typed; None at the end. Ctrl-C throws the line away."""
    try:
        return input("\n> ")
    except EOFError:
        return None
    except KeyboardInterrupt:
        click.echo("  (Ctrl-D ends the conversation)")
        return ""


def _answer(conversation: Conversation, text: str) -> None:
    """One turn; what goes wrong is said, and the conversation goes on."""
    kept = ""
    try:
        conversation.say(text)
        kept = "Your message is kept and goes along with the next one."
        for notice in conversation.news():
            click.echo(f"! {printable(notice)}", err=True)
        _print_answer(conversation.turn(_Shown()))
    except KeyboardInterrupt:
        click.echo("\ninterrupted; what was said so far is kept", err=True)
    except VibeOSError as error:
        click.echo(f"error: {error}\n{kept}".rstrip(), err=True)


class _Shown:
    """What happens in a turn, on the terminal: a line for each call and whether it worked."""

    def said(self, text: str) -> None:
        click.echo(printable(text))

    def called(self, call: ToolCall, outcome: ToolOutcome) -> None:
        click.echo(f"  · {printable(call.name)} {_gist(call)} {_result(outcome)}")


def _gist(call: ToolCall) -> str:
    arguments = call.parsed() or {}
    words = [arguments.get(name) for name in ("action", "target", "query", "content", "old_text")]
    return preview(" ".join(str(word) for word in words if word), 70)


def _result(outcome: ToolOutcome) -> str:
    import json

    answer = json.loads(outcome.content)
    return "✓" if answer.get("success") else f"✗ {preview(printable(str(answer.get('error', ''))), 120)}"


def _print_answer(end: TurnEnd) -> None:
    if end.answer.text:
        click.echo(printable(end.answer.text))
    if end.note:
        click.echo(end.note, err=True)


def _print_notices(conversation: Conversation) -> None:
    for notice in conversation.notices:
        click.echo(f"! {printable(notice)}", err=True)


def _kept(conversation: Conversation) -> str:
    return f"Your message is kept in session {conversation.session.id}."
