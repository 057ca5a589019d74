"""Which desk and which ink this terminal gets, and the talk at it from beginning to end."""

from __future__ import annotations

import asyncio
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING

from vibeos.surfaces.cli.talk.commands import candidates
from vibeos.surfaces.cli.talk.ink import Ink, PlainInk, RichInk
from vibeos.surfaces.cli.talk.talking import Desk, Talk

if TYPE_CHECKING:
    from vibeos.app.conversation import Conversation
    from vibeos.app.environment import Environment

_CANNOT_MOVE = ("", "dumb", "unknown")


def can_draw(environment: Environment) -> bool:
    """Whether standard output is a terminal that can move its cursor."""
    return sys.stdout is not None and sys.stdout.isatty() and environment.get("TERM") not in _CANNOT_MOVE


def ink_of(environment: Environment) -> Ink:
    """Colours and Markdown for a terminal, plain text for everything else."""
    return RichInk(colour=not environment.get("NO_COLOR")) if can_draw(environment) else PlainInk()


def talk(conversation: Conversation, *, goes_on: bool) -> int:
    """Talk until the person leaves; the exit code. `goes_on`: the last messages are shown first."""
    environment = conversation.app.environment
    threading.Thread(target=conversation.warm_up, name="warming up", daemon=True).start()
    ink = ink_of(environment)
    if not can_draw(environment):
        return asyncio.run(Talk(conversation, ink, _lines).run(goes_on=goes_on))
    from prompt_toolkit.patch_stdout import patch_stdout

    talking = Talk(conversation, ink, partial(_keyboard, environment))
    with patch_stdout(raw=True):  # for what a library may print
        return asyncio.run(talking.run(goes_on=goes_on))


def _lines(talking: Talk) -> Desk:
    from vibeos.surfaces.cli.talk.plain import Lines

    return Lines(interrupt=talking.interrupt, hint=talking.hint)


def _keyboard(environment: Environment, talking: Talk) -> Desk:
    from vibeos.surfaces.cli.talk.keyboard import Keyboard

    return Keyboard(
        before=talking.app.chat.typed_before,
        candidates=partial(candidates, talking),
        interrupt=talking.interrupt,
        hint=talking.hint,
        term=environment.get("TERM"),
        colour=not environment.get("NO_COLOR"),
    )
