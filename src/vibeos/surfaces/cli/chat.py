"""`vibeos chat`: a conversation with the agent, at a prompt or with one question."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from vibeos.surfaces.cli.common import has_terminal, opened, print_json, printable, text_argument, text_beside
from vibeos.values.errors import ModelNotConfiguredError, NotFoundError, VibeOSError

if TYPE_CHECKING:
    from vibeos.agent.loop import TurnEnd
    from vibeos.agent.progress import Progress
    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS

REHEARSAL = "rehearsal"


@click.command("chat")
@click.option(
    "-q",
    "--query",
    "question",
    metavar="TEXT",
    help="Ask once and end; - is all of standard input. What is piped in beside TEXT goes below it, as one message.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="With -q: print one JSON document; `answer` is the last of `messages`, which has what was said on the way too.",
)
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

    Without -q: type a message and Enter; /help lists the commands, Ctrl-C interrupts an answer, Ctrl-D ends. If
    standard input is not a terminal, all of it is one message, as with -q -.

    With -q only the answer goes to standard output; what is said on the way to it goes to standard error. A file or a
    pipe on standard input is added below TEXT (`git diff | vibeos chat -q "Review this"`). A pipe in which nothing
    comes within a second is left alone, and that is said; -q - waits for it however long it takes. In a loop that reads
    a file itself, keep it away with `< /dev/null`.

    Where an earlier run was cut off before it answered, --continue and --resume go on with what it left.
    """
    gc.enable()  # start.run turned it off; a conversation lasts
    if go_on and resume:
        raise click.UsageError("--continue and --resume exclude each other.")
    if question is None and not has_terminal():
        question = "-"
    if question is None and as_json:
        raise click.UsageError("--json needs -q.")
    text = None if question is None else _text_to_send(ctx, question, model)
    if text is None and not model:
        model = _model_to_talk_with(ctx)
    with opened(ctx, model=model) as app:
        conversation = _conversation(app, go_on=go_on, resume=resume)
        if text is not None:
            _ask_once(conversation, text, as_json=as_json)
            return
        from vibeos.surfaces.cli.talk.opening import talk

        ctx.exit(talk(conversation, goes_on=bool(go_on or resume)))


def _conversation(app: VibeOS, *, go_on: bool, resume: str | None) -> Conversation:
    if resume:
        return app.chat.resume(resume)
    return app.chat.resume_latest() if go_on else app.chat.begin()


def _model_to_talk_with(ctx: click.Context) -> str:
    """Empty for the configured model; where there is none, what the person at the terminal chooses."""
    with opened(ctx) as app:
        if app.config.text("model.name"):
            return ""
        click.echo(app.catalogue.text("chat.no_model"), err=True)
        click.echo(app.catalogue.text("chat.no_model_offer"), err=True)
        match _choice():
            case "1":
                from vibeos.surfaces.cli.setup import ask_and_save

                ask_and_save(app)
                return ""
            case "2":
                return REHEARSAL
            case _:
                raise ModelNotConfiguredError(app.catalogue.text("chat.no_model_left"))


def _choice() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def _text_to_send(ctx: click.Context, question: str, model: str) -> str:
    text = _with_piped(question)
    if not text.strip():
        with opened(ctx, model=model) as app:
            app.chat.route_name()  # who has no model yet needs to hear that, not that there is no text
        raise click.UsageError("There is no text to send.")
    return text


def _with_piped(question: str) -> str:
    """The text of -q, and below it what was piped in beside it."""
    text = text_argument(question)
    if question == "-" or has_terminal():
        return text
    piped = text_beside()
    if piped is None:
        click.echo(
            "Standard input is a pipe that stays open and silent; it was not read. (-q - waits for it.)",
            err=True,
        )
    if piped is None or not piped.strip():
        return text
    return f"{text}\n\n{piped}" if text.strip() else piped


def _ask_once(conversation: Conversation, text: str, *, as_json: bool) -> None:
    if not as_json:
        _print_notices(conversation)
    sessions = conversation.app.record.sessions
    before = sessions.get(conversation.session.id).next_seq - 1
    conversation.say(text)
    try:
        end = _answered(conversation, _progress(conversation, is_told=not as_json))
    except NotFoundError:  # the session was deleted meanwhile, and the message with it
        raise
    except VibeOSError:
        click.echo(conversation.app.catalogue.text("chat.kept_in", session=conversation.session.id), err=True)
        raise
    if as_json:
        print_json(_turn_dict(conversation, end, before))
    else:
        _print_answer(conversation, end)


def _progress(conversation: Conversation, *, is_told: bool) -> Progress | None:
    if not is_told:
        return None
    from vibeos.surfaces.cli.talk.on_the_way import OnTheWay
    from vibeos.surfaces.cli.talk.opening import ink_of

    return OnTheWay(ink_of(conversation.app.environment))


def _answered(conversation: Conversation, progress: Progress | None) -> TurnEnd:
    import asyncio

    async def once() -> TurnEnd:
        _interrupt_when_told_to_end()
        try:
            return await conversation.work(progress)
        finally:
            await conversation.close()

    try:
        return asyncio.run(once())
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
    except KeyboardInterrupt:  # of the person's own
        conversation.note_interrupt()
        raise


def _interrupt_when_told_to_end() -> None:
    """A program that is told to end does what Ctrl-C does, so that no command it started runs on without a limit."""
    import asyncio
    import signal

    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            with suppress(NotImplementedError):  # an event loop that takes no signals
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), task.cancel)


def _turn_dict(conversation: Conversation, end: TurnEnd, before: int) -> dict[str, Any]:
    _, said = conversation.app.sessions.show(conversation.session.id, after=before)
    return {
        "session": conversation.session.id,
        "number": end.answer.context_seq,
        "answer": end.answer.text,
        "messages": [
            {"number": one.context_seq, "text": one.text}
            for one in said
            if one.type == "assistant" and one.text.strip() and one.context_seq <= end.answer.context_seq
        ],
        "calls": [{"tool": call.name, "arguments": call.parsed()} for call in end.calls],
        "note": end.note or None,
        "notices": list(conversation.notices),
    }


def _print_answer(conversation: Conversation, end: TurnEnd) -> None:
    from vibeos.surfaces.cli.talk.opening import ink_of

    if end.answer.text:
        click.echo(ink_of(conversation.app.environment).markdown(end.answer.text))
    if end.note:
        click.echo(end.note, err=True)


def _print_notices(conversation: Conversation) -> None:
    for notice in conversation.notices:
        click.echo(f"! {printable(notice)}", err=True)
