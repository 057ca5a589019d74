"""The conversation at the terminal: what is typed goes to it at once; its turns run beside the prompt, one at a time.

A message that is typed while a turn runs is stored and enters the turn at its next request. Ctrl-C ends the turn, never
the conversation, and a message that waits begins the next one; whatever goes wrong in a turn is said, and the
conversation goes on. So does a turn that broke off with an earlier program, when its conversation is taken up again.
"""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Protocol

from vibeos.surfaces.cli.common import printable
from vibeos.surfaces.cli.talk.asking import Asker
from vibeos.surfaces.cli.talk.commands import COMMANDS, command_in, put_last_said, unknown
from vibeos.surfaces.cli.talk.shown import Sheet, Shown
from vibeos.values.errors import NotFoundError, VibeOSError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.agent.loop import TurnEnd
    from vibeos.app.conversation import Conversation
    from vibeos.app.vibeos import VibeOS
    from vibeos.record import Session
    from vibeos.record.registry import LivingJob
    from vibeos.surfaces.cli.talk.ink import Ink

_LEAVING = ("exit", "quit")


class Desk(Sheet, Protocol):
    """A sheet with somebody in front of it. `is_beside`: they can type while a turn runs."""

    is_beside: bool

    async def read(self) -> str | None:
        """The next message; None when they leave."""
        ...

    async def hear(self) -> str | None:
        """The answer to a question; None where there is none."""
        ...

    def leave(self) -> None:
        """Let `read` end."""
        ...


class Talk:
    """One person, one terminal, one conversation after another."""

    def __init__(self, conversation: Conversation, ink: Ink, make_desk: Callable[[Talk], Desk]) -> None:
        self.conversation = conversation
        self.ink = ink
        self.words = conversation.app.catalogue
        self.listed: tuple[Session, ...] = ()
        self._desk = make_desk(self)
        self._shown = Shown(self._desk, ink, self.words)
        self._person = Asker(self._desk, ink, self.words, self._desk.hear)
        self._turn: asyncio.Task[None] | None = None
        self._answered = 0
        self._is_leaving = False
        self._signal = 0

    @property
    def app(self) -> VibeOS:
        """The home that is talked in."""
        return self.conversation.app

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return self._turn is not None and not self._turn.done()

    async def run(self, *, goes_on: bool = False) -> int:
        """Talk until the person leaves; the exit code. `goes_on`: what was said last is shown first."""
        self._catch_signals()
        try:
            self.say_where()
            if goes_on:
                put_last_said(self, self.conversation.session)
                await self.take_up()
            while not self._is_leaving and (text := await self._desk.read()) is not None:
                await self._heard(text)
            await self._stop()
            self._check_turn()
            self._say_goodbye()
        finally:
            await self._stop()
            await self.conversation.close()
        return 128 + self._signal if self._signal else 0

    def put(self, text: str) -> None:
        """Print for good, long lines broken at blanks."""
        self._desk.put(self.ink.fitted(text))

    def aside(self, key: str, **values: object) -> None:
        """A text of the chat's own, beside the conversation."""
        self.put(self.ink.faint(self.words.text(key, **values)))

    def hint(self) -> None:
        """Say how to leave."""
        self.aside("chat.leave")

    def leave(self) -> None:
        """End the conversation as soon as what is being done is done."""
        self._is_leaving = True

    def interrupt(self) -> bool:
        """End the running turn; whether there was one."""
        if self._turn is None or self._turn.done() or self._turn.cancelling():
            return False
        self._turn.cancel()
        return True

    def say_where(self) -> None:
        """Which model and session this is, and what the person must know of it."""
        here = self.conversation
        self.aside("chat.opening", model=here.route.name, session=here.session.id, folder=here.folder)
        for notice in here.notices:
            self._notice(notice)

    def say_error(self, error: VibeOSError, after: str = "") -> None:
        """What went wrong and what to do."""
        what = printable(f"{error}\n{after}".strip())
        self.put(f"{self.ink.bad(self.words.text('chat.error'))} {what}")

    def _notice(self, notice: str) -> None:
        self.put(f"! {printable(notice)}")

    async def change(self, other: Conversation) -> None:
        """Go on in another conversation; the present one's background commands end."""
        self._say_what_ends()
        await self.conversation.close(keep_model=other.model is self.conversation.model)
        self.conversation, self._answered = other, 0
        self.say_where()

    async def take_up(self) -> None:
        """Go on with what an earlier program left undone in this conversation, if it left something."""
        if await asyncio.to_thread(self.conversation.is_unfinished):
            self.aside("chat.takes_up")
            await self._begin()

    async def _heard(self, text: str) -> None:
        if not text.strip():
            return
        if text.strip() in _LEAVING:
            self.leave()
        elif (found := command_in(text)) is not None:
            await self._command(*found)
        else:
            await self._send(text)

    async def _command(self, name: str, argument: str) -> None:
        command = COMMANDS.get(name)
        if command is None:
            self.put(self.ink.faint(unknown(name, self.words)))
        elif argument and not command.takes:
            self.aside("chat.takes_nothing", name=name)
        elif command.waits_for_turn and self.is_busy:
            self.aside("chat.busy")
        else:
            try:
                await command.run(self, argument)
            except VibeOSError as error:
                self.say_error(error)

    async def _send(self, text: str) -> None:
        try:
            self.conversation.say(text)
        except VibeOSError as error:
            self.say_error(error)
            return
        if self.is_busy:
            self.aside("chat.queued")
            return
        await self._begin()

    async def _begin(self) -> None:
        """Let turns run; where nobody can type beside them, until they have ended."""
        self._turn = asyncio.create_task(self._turns())
        self._turn.add_done_callback(self._turn_ended)
        if not self._desk.is_beside:
            await asyncio.wait([self._turn])
            self._check_turn()

    async def _turns(self) -> None:
        """Turns, until nothing waits any more."""
        while await self._one_turn() and self.conversation.is_anything_waiting():
            pass

    async def _one_turn(self) -> bool:
        """Whether another may follow."""
        try:
            for notice in self.conversation.news():
                self._notice(notice)
            self._shown.begins()
            self._show_end(await self.conversation.work(self._shown, self._person))
        except asyncio.CancelledError:
            self._shown.ends()
            return self._is_interrupted()
        except NotFoundError as error:  # the session was deleted meanwhile, and the message with it
            self._shown.ends()
            self.say_error(error)
        except VibeOSError as error:
            self._shown.ends()
            self.say_error(error, self.words.text("chat.kept"))
        else:
            return True
        finally:
            self._shown.ends()
        return False

    def _is_interrupted(self) -> bool:
        """Say so; whether a message that was typed meanwhile begins the next turn."""
        self.aside("chat.interrupted")
        if not self._signal:
            self._note_interrupt()
        if self._is_leaving or not self.conversation.is_anything_waiting():
            return False
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()  # so that the next turn can be interrupted too
        self.aside("chat.takes_waiting")
        return True

    def _note_interrupt(self) -> None:
        try:
            self.conversation.note_interrupt()
        except VibeOSError as error:
            self.say_error(error)

    def _show_end(self, end: TurnEnd) -> None:
        if not self._shown.last_text.strip() and end.answer.context_seq != self._answered:
            self._shown.answer(end.answer.text)
        self._answered = end.answer.context_seq
        self._shown.ends()
        if end.note:
            self.put(self.ink.faint(end.note))

    def _turn_ended(self, turn: asyncio.Task[None]) -> None:
        """A fault of our own in a turn ends the chat, and is reported like every other."""
        if not turn.cancelled() and turn.exception() is not None:
            self._desk.leave()

    def _check_turn(self) -> None:
        if self._turn is not None and self._turn.done() and not self._turn.cancelled():
            self._turn.result()

    def _say_what_ends(self) -> None:
        from vibeos.record.registry import JobKind

        ending = self.conversation.ending()
        living = [job for job in self.conversation.living() if job.kind is JobKind.COMMAND]
        self._list("chat.these_end", ending)
        self._list("chat.these_stay", [job for job in living if job not in ending])

    def _list(self, key: str, jobs: Sequence[LivingJob]) -> None:
        if jobs:
            lines = [self.words.text(key), *(f"  {job.id}  {job.name}" for job in jobs)]
            self.put(self.ink.faint("\n".join(lines)))

    def _say_goodbye(self) -> None:
        self._say_what_ends()
        self.aside("chat.go_on_later", session=self.conversation.session.id)

    async def _stop(self) -> None:
        """End the turn that is running, if one is, and wait until it has stored what there is."""
        self._is_leaving = True
        self.interrupt()
        if self._turn is not None:
            await asyncio.wait([self._turn])

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self.interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP) if self._desk.is_beside else ():
            loop.add_signal_handler(number, self._told_to_end, number)

    def _told_to_end(self, number: int) -> None:
        self._signal, self._is_leaving = number, True
        self.interrupt()
        self._desk.leave()
