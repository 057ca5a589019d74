"""Slash commands: a table from names to what they do. Each is thin over `app`; `/help` is made from the table.

Only a word of letters behind a slash at the very beginning is a command, and one that is not in the table only where it
stands alone and names no file: `/etc/hosts is wrong`, `/tmp is full` and `/tmp` are messages, `/hlep` is a slip.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.surfaces.cli.common import printable
from vibeos.values.errors import NotFoundError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from vibeos.app.memory import StoreStatus
    from vibeos.record import Session
    from vibeos.surfaces.cli.talk.talking import Talk
    from vibeos.values.catalogue import Catalogue

_COMMAND = re.compile(r"/([^\W\d_]+)(?:[ \t]+(.*))?", re.DOTALL)
_LISTED = 10
_LAST_SAID = 4  # messages that are shown when an earlier session is taken up again


@dataclass(frozen=True, slots=True)
class Command:
    """`takes` is what may follow the name; `waits_for_turn` where a running turn must end first."""

    run: Callable[[Talk, str], Awaitable[None]]
    takes: str = ""
    waits_for_turn: bool = False


def command_in(text: str) -> tuple[str, str] | None:
    """The name of the command and what follows it; None for a message."""
    found = _COMMAND.fullmatch(text.rstrip())
    if found is None or "\n" in text.strip():
        return None
    name, argument = found[1].lower(), (found[2] or "").strip()
    if name not in COMMANDS and (argument or os.path.lexists(f"/{found[1]}")):
        return None
    return name, argument


def unknown(name: str, words: Catalogue) -> str:
    """What to say to a command that there is not."""
    from difflib import get_close_matches

    nearest = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    lines = [words.text("chat.no_command", name=preview(name, 40))]
    if nearest:
        lines[0] += f" {words.text('chat.did_you_mean', name=nearest[0])}"
    lines.append(words.text("chat.there_are", names=" ".join(f"/{one}" for one in COMMANDS)))
    return "\n".join(lines)


def candidates(talk: Talk, typed: str) -> list[tuple[str, str]]:
    """What the text that was typed so far may become, and what that does."""
    name, blank, begun = typed.partition(" ")
    if not blank:
        return [
            (f"/{one}", talk.words.text(f"chat.help.{one}")) for one in COMMANDS if f"/{one}".startswith(name)
        ]
    if name in ("/resume", "/sessions"):
        sessions = talk.app.sessions.list(limit=_LISTED)
        return [(f"{name} {s.id}", printable(s.title)) for s in sessions if s.id.startswith(begun)]
    return []


async def _new(talk: Talk, _argument: str) -> None:
    await talk.change(talk.app.chat.begin(source=talk.conversation.source, model=talk.conversation.model))


async def _sessions(talk: Talk, argument: str) -> None:
    if argument:
        await _resume(talk, argument)
        return
    talk.listed = talk.app.sessions.list(limit=_LISTED)
    lines = [_session_line(number, one, talk) for number, one in enumerate(talk.listed, 1)]
    more = talk.app.sessions.count() - len(talk.listed)
    if more > 0:
        lines.append(talk.words.text("chat.more_sessions", count=more))
    talk.put("\n".join([*lines, talk.ink.faint(talk.words.text("chat.how_to_resume"))]))


def _session_line(number: int, session: Session, talk: Talk) -> str:
    here = "*" if session.id == talk.conversation.session.id else " "
    when = session.last_active_at[:16].replace("T", " ")
    title = printable(preview(session.title, 60)) or talk.words.text("chat.no_title")
    return f"{number:>2}{here} {session.id}  {when}  {title}"


async def _resume(talk: Talk, argument: str) -> None:
    if not argument:
        await _sessions(talk, "")
        return
    session = _chosen(talk, argument)
    if session.id == talk.conversation.session.id:
        talk.aside("chat.already_here")
        return
    other = talk.app.chat.resume(session.id, source=talk.conversation.source, model=talk.conversation.model)
    await talk.change(other)
    put_last_said(talk, other.session)
    await talk.take_up()


def _chosen(talk: Talk, argument: str) -> Session:
    """The session with this number of the list, or with this id."""
    if not (argument.isdecimal() and len(argument) < 4):
        return talk.app.sessions.find(argument)
    talk.listed = talk.listed or talk.app.sessions.list(limit=_LISTED)
    number = int(argument)
    if not 1 <= number <= len(talk.listed):
        raise NotFoundError(talk.words.text("chat.no_number", number=number, count=len(talk.listed)))
    return talk.app.sessions.find(talk.listed[number - 1].id)


def put_last_said(talk: Talk, session: Session) -> None:
    """The last messages of a session that is taken up again, each on one line."""
    _, messages = talk.app.sessions.show(session.id, after=max(session.next_seq - _LAST_SAID - 1, 0))
    for message in messages:
        who = printable(message.author_name) or message.type
        talk.put(talk.ink.faint(f"#{message.context_seq} {who}: {preview(message.presented, 100)}"))


async def _memory(talk: Talk, _argument: str) -> None:
    for store in talk.app.memory.status():
        talk.put("\n".join(_store_lines(store, talk.words)))


def _store_lines(store: StoreStatus, words: Catalogue) -> list[str]:
    name = store.target.file_name
    if store.usage is None:
        return [f"{name}  {printable(store.fault)}"]
    used, limit, percent = store.usage.used, store.usage.limit, store.usage.percent
    state = words.text("status.store", percent=percent, used=used, limit=limit, count=len(store.entries))
    off = "" if store.enabled else words.text("chat.store_off")
    entries = [f"{number:>3}. {printable(one)}" for number, one in enumerate(store.entries, 1)]
    return [f"{name}  {state} {off}".rstrip(), *entries]


async def _model(talk: Talk, argument: str) -> None:
    if argument:
        await talk.conversation.switch(argument)
    talk.aside("chat.model_now" if argument else "chat.model", model=talk.conversation.route.name)


async def _jobs(talk: Talk, _argument: str) -> None:
    living = talk.conversation.living()
    if not living:
        talk.aside("chat.no_jobs")
    for job in living:
        kind = talk.words.text(f"chat.job.{job.kind.value}")
        talk.put(f"{job.id}  {kind}  {job.started_at[11:16]}  {printable(preview(job.name, 100))}")


async def _help(talk: Talk, _argument: str) -> None:
    rows = [(f"/{name} {command.takes}".rstrip(), name) for name, command in COMMANDS.items()]
    width = max(len(shown) for shown, _ in rows)
    lines = [f"{shown:<{width}}  {talk.words.text(f'chat.help.{name}')}" for shown, name in rows]
    talk.put("\n".join(lines))
    talk.aside("chat.keys")


async def _exit(talk: Talk, _argument: str) -> None:
    talk.leave()


COMMANDS = {
    "new": Command(_new, waits_for_turn=True),
    "sessions": Command(_sessions, "[N]", waits_for_turn=True),
    "resume": Command(_resume, "ID", waits_for_turn=True),
    "memory": Command(_memory),
    "model": Command(_model, "[NAME]", waits_for_turn=True),
    "jobs": Command(_jobs),
    "help": Command(_help),
    "exit": Command(_exit),
}
