"""What checkpoints need from whoever runs the conversation: values and a few small functions, given once a turn."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from vibeos.ports.models.model import Model
    from vibeos.ports.models.tools import ToolCall, ToolOutcome, ToolSpec
    from vibeos.record import SkillLoad
    from vibeos.record.registry import LivingJob

_HOW_TO_LOOK = """\
My own messages and the person's, in order: vibe {home}data query --sql "SELECT context_seq, type, substr(content_text,1,300) \
FROM messages WHERE session_id='{session}' ORDER BY context_seq LIMIT 50" --format text
The person's alone: vibe {home}data query --sql "SELECT context_seq, substr(content_text,1,300) FROM messages WHERE \
session_id='{session}' AND type='user' ORDER BY context_seq LIMIT 50" --format text
One message whole, such as #12: vibe {home}data query --sql "SELECT content_text FROM messages WHERE session_id='{session}' AND \
context_seq=12" --format text"""


def how_to_look(session: str, home: str = "") -> str:
    """How to query the record with the command, as lines for a model. `home`: its folder, where it is not the usual one."""
    return _HOW_TO_LOOK.format(session=session, home=f"--home {quote(home)} " if home else "")


def no_jobs() -> tuple[LivingJob, ...]:
    """Nothing runs."""
    return ()


def no_skill(load: SkillLoad) -> str | None:  # noqa: ARG001 - the shape of `Host.skill`
    """There are no skills."""
    return None


def no_log(line: str) -> None:
    """Nobody keeps it."""


@dataclass(frozen=True, slots=True)
class Host:
    """`system` and `tools` are those of the conversation's own requests, byte for byte.

    `scratch`: a folder for the turn's two files. `copies`: a folder for whole minds. `lookup`: how to query the record, as
    lines for the model. `read`: answers a call of `read` in a checkpoint turn. `living`: what runs for the session.
    `skill`: a skill's present text. `log`: takes a line about each attempt.
    """

    model: Model
    system: str
    tools: tuple[ToolSpec, ...]
    scratch: str
    copies: str
    lookup: str
    read: Callable[[ToolCall], Awaitable[ToolOutcome]] | None = None
    living: Callable[[], Sequence[LivingJob]] = no_jobs
    skill: Callable[[SkillLoad], str | None] = no_skill
    log: Callable[[str], None] = no_log
