"""The `bash` tool: one command in the workplace's folder, in the foreground with a time limit or in the background.

A command that could do lasting harm runs only with a yes of the person, or where they allowed such commands for good.
"""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.agent.person import Approval, Question
from vibeos.agent.tools.places import INSTEAD_OF_HOME, is_withheld
from vibeos.agent.toolsets import failure
from vibeos.ports.models.tools import ToolOutcome, ToolSpec
from vibeos.values.errors import VibeOSError
from vibeos.values.text import is_well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.agent.commands import CommandJobs
    from vibeos.agent.person import Person
    from vibeos.agent.running import Ended
    from vibeos.agent.workplace import Workplace
    from vibeos.ports.guard.danger import Danger
    from vibeos.ports.models.tools import ToolCall

TIMEOUT = 120
MOST_TIMEOUT = 3_600

DESCRIPTION = f"""\
Run a command with bash in the working folder. You get its exit status and what it printed, errors included; a long \
output is cut in the middle and kept whole in a file. Each call is a shell of its own: a `cd` or a variable does not \
last. There is no terminal and no input, so use options like -y instead of prompts, and no editors or pagers. After \
'timeout' seconds (default {TIMEOUT}) it is ended with all that it started. What should go on running, such as a server, \
needs "background": true instead of `&`; you get an id at once and look at it with the jobs tool. It ends with this conversation."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": "string"},
        "timeout": {"type": "number", "minimum": 1, "maximum": MOST_TIMEOUT, "description": "Seconds."},
        "background": {
            "type": "boolean",
            "description": "Run it beside the conversation, without a time limit.",
        },
    },
    "required": ["command"],
    "additionalProperties": False,
}


class _Order(NamedTuple):
    command: str
    timeout: float
    background: bool


class BashTool:
    """Runs commands for the agent. `dangerous` is the setting `tools.dangerous_commands`: ask, refuse or allow."""

    side_by_side = False

    def __init__(self, place: Workplace, jobs: CommandJobs, person: Person, dangerous: str) -> None:
        self._place = place
        self._jobs = jobs
        self._person = person
        self._dangerous = dangerous

    def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec("bash", DESCRIPTION, PARAMETERS),)

    async def call(self, call: ToolCall) -> ToolOutcome:
        arguments = call.parsed()
        if arguments is None:
            return failure(
                call, "The arguments are not one JSON object. Send the call again with valid JSON."
            )
        try:
            return ToolOutcome(call.call_id, call.name, await self._done(_order(arguments)))
        except VibeOSError as error:
            return failure(call, str(error))

    async def _done(self, order: _Order) -> str:
        await self._check(order.command)
        if order.background:
            job = await asyncio.to_thread(self._jobs.start, order.command)
            return f'Started in the background as {job}. Look at it with jobs: {{"action": "look", "id": "{job}"}}.'
        return await _run(order, self._place)

    async def _check(self, command: str) -> None:
        """Raises VibeOSError where the command is dangerous and nobody allows it."""
        if self._dangerous == "allow":
            return
        from vibeos.ports.guard.danger import danger_of  # noqa: PLC0415 - its table is for commands only

        danger = danger_of(
            command,
            folder=self._place.folder,
            home=self._place.home,
            person=self._place.environment.get("HOME", ""),
            refuses=self._withholds,
        )
        if danger is None:
            return
        if self._dangerous != "ask" or not self._person.is_present:
            raise VibeOSError(
                f"Not run: the command {danger.reason}, and nobody is there who could allow it."
                if self._dangerous == "ask"
                else f"Not run: the command {danger.reason}, and such commands are refused here.",
                remedy=_remedy(danger),
            )
        answer = await self._person.ask(_question(command, danger))
        if (answer or "").strip().lower() != "yes":
            raise VibeOSError(
                f"Not run: the command {danger.reason}. The person was asked and did not say yes.",
                remedy="Do not try the same in another way. Go on without it, or ask what they want.",
            )

    def _withholds(self, inner: str) -> bool:
        """Whether `read` would refuse this path below our home; below a profile's own, if a command may mean that."""
        roots = {self._place.home, self._place.environment.get("VIBEOS_HOME", self._place.home)}
        return all(is_withheld(self._place, os.path.join(root, inner)) for root in roots)


def _remedy(danger: Danger) -> str:
    from vibeos.ports.guard.danger.rules import OWN_READ  # noqa: PLC0415 - beside the table that it comes from

    instead = INSTEAD_OF_HOME if danger.id == OWN_READ else "Find a way without it."
    return (
        f"{instead} If it must be done, tell the person the exact command: they can run it themselves, or set "
        "tools.dangerous_commands: allow in config.yaml."
    )


def _question(command: str, danger: Danger) -> Question:
    approval = Approval(visible(command), (danger.reason,), (danger.id,))
    return Question(
        f"The agent wants to run a command that {danger.reason}:\n\n{approval.command}\n\nRun it?",
        ("yes", "no"),
        approval,
    )


def visible(command: str) -> str:
    """The whole command with nothing hidden: every character that shows nothing or moves the line is spelled out."""
    return "".join(
        one if one in {"\n", " "} or (one.isprintable() and not _is_blank(one)) else _spelled(one)
        for one in command
    )


def _is_blank(character: str) -> bool:
    from vibeos.values.text import without_invisible  # noqa: PLC0415 - beside its only use

    return not without_invisible(character) or character.isspace()


def _spelled(character: str) -> str:
    return "\\t" if character == "\t" else "\\r" if character == "\r" else f"\\u{{{ord(character):x}}}"


def _order(arguments: Mapping[str, Any]) -> _Order:
    command, timeout, background = (arguments.get(name) for name in ("command", "timeout", "background"))
    timeout = TIMEOUT if timeout is None else timeout  # some models send every field
    background = False if background is None else background
    if not isinstance(command, str) or not command.strip():
        raise VibeOSError("'command' must be a command line.")
    if not is_well_formed(command):
        raise VibeOSError("'command' has a NUL or half a character in it, which no shell takes.")
    if type(timeout) not in (int, float) or not 0 < timeout <= MOST_TIMEOUT:
        raise VibeOSError(
            f"'timeout' must be seconds, more than 0 and at most {MOST_TIMEOUT:,}.",
            remedy='What takes longer can run with "background": true.',
        )
    if not isinstance(background, bool):
        raise VibeOSError("'background' must be true or false.")
    return _Order(command, float(timeout), background)


async def _run(order: _Order, place: Workplace) -> str:
    """Run it and tell what came of it. Cancelling ends the command first.

    Each command has a thread of its own: the loop's common threads would be used up by a few long commands.
    """
    import threading  # noqa: PLC0415 - start-up is a feature
    from concurrent.futures import Future  # noqa: PLC0415 - the same

    from vibeos.agent.collected import Collected  # noqa: PLC0415 - the same
    from vibeos.agent.running import Running  # noqa: PLC0415 - the same

    output = Collected(place.outputs)
    answer: Future[Ended] = Future()
    running = Running(order.command, place, order.timeout, output)
    threading.Thread(target=running.watch, args=(answer,), name="command", daemon=True).start()
    ending = asyncio.wrap_future(answer)
    try:
        ended = await asyncio.shield(ending)
    except asyncio.CancelledError:
        running.stop()
        await _settled(ending)
        raise
    return f"[{_told(ended, order.timeout)}]\n{await asyncio.to_thread(output.shown) or '(no output)'}"


async def _settled(ending: asyncio.Future[Ended]) -> None:
    """Wait for the end, which comes in seconds, also when the wait is cancelled again."""
    while not ending.done():
        try:
            await asyncio.wait({ending})
        except asyncio.CancelledError:
            continue


def _told(ended: Ended, timeout: float) -> str:
    said = f"exit status {ended.status}{_signal(ended.status)}, {ended.seconds:.1f} s"
    if ended.reached_limit:
        said = (
            f"time limit of {timeout:g} s reached: it was ended, {said}; give a longer 'timeout' or "
            'use "background": true'
        )
    if ended.leaves:
        said += "; something that it started still runs, and its further output is not read"
        said += f" (`kill -- -{ended.group}` ends it)" if ended.group else ""
    return said


def _signal(status: int) -> str:
    """The signal that a shell's exit status stands for."""
    try:
        return f" ({signal.Signals(status - 128).name})" if status > 128 else ""
    except ValueError:
        return ""
