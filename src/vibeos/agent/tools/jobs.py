"""The `jobs` tool: what runs in the background, what it has printed, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vibeos.agent.collected import harmless
from vibeos.agent.toolsets import SyncTool
from vibeos.ports.models.tools import ToolSpec
from vibeos.values.errors import VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.agent.command_files import CommandJob
    from vibeos.agent.commands import CommandJobs, CommandPage

DESCRIPTION = """\
See and end the commands that you started with bash in the background. "list" names them all with their state; "look" \
shows what one has printed, its end or from the byte 'offset' on (an answer says where to go on); "stop" ends one with \
all that it started. Do not look again and again while it works: do something else first, or sleep with bash."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["list", "look", "stop"]},
        "id": {"type": "string", "description": "As bash gave it, such as c1; for look and stop."},
        "offset": {
            "type": "integer",
            "minimum": 0,
            "description": "For look: the first byte of the output to show.",
        },
    },
    "required": ["action"],
    "additionalProperties": False,
}

MOST_LISTED = 50


class JobsTool(SyncTool):
    """Tells of background commands, and stops them."""

    def __init__(self, jobs: CommandJobs) -> None:
        super().__init__(ToolSpec("jobs", DESCRIPTION, PARAMETERS))
        self._jobs = jobs

    def run(self, arguments: Mapping[str, Any]) -> str:
        match arguments.get("action"):
            case "list":
                return _list(self._jobs.listed())
            case "look":
                return _page(self._jobs.look(_id(arguments), _offset(arguments)))
            case "stop":
                return _stopped(self._jobs, _id(arguments))
        raise VibeOSError('\'action\' must be "list", "look" or "stop".')


def _id(arguments: Mapping[str, Any]) -> str:
    id_ = arguments.get("id")
    if not isinstance(id_, str):
        raise VibeOSError("'id' must be the id of a background command, such as c1.")
    return id_


def _offset(arguments: Mapping[str, Any]) -> int | None:
    offset = arguments.get("offset")
    if offset is not None and (type(offset) is not int or offset < 0):
        raise VibeOSError("'offset' must be a whole number from 0.")
    return offset


def _list(jobs: tuple[CommandJob, ...]) -> str:
    if not jobs:
        return "No command was started in the background in this session."
    lines = [_line(job) for job in jobs[-MOST_LISTED:]]
    if len(jobs) > MOST_LISTED:
        lines.insert(0, f"[{len(jobs) - MOST_LISTED} older ones are not listed]")
    return "\n".join(lines)


def _stopped(jobs: CommandJobs, id_: str) -> str:
    had_ended = not jobs.look(id_).job.runs
    line = _line(jobs.stop(id_))
    return f"It had ended before. {line}" if had_ended else line


def _line(job: CommandJob) -> str:
    return f"{job.id}: {_state(job)}: {preview(job.command)}"


def _state(job: CommandJob) -> str:
    started = f"started {job.started_at}"
    if job.runs:
        if job.status is None:
            return f"running, {started}"
        return f"ended with exit status {job.status}, but something that it started still runs, {started}"
    if job.status is None:
        return f"ended, nobody knows how, {started}"
    return f"ended with exit status {job.status}, {started}, ended {job.ended_at}"


def _page(page: CommandPage) -> str:
    if not page.size:
        return (
            f"[{_line(page.job)}]\n(no output yet)" if page.job.runs else f"[{_line(page.job)}]\n(no output)"
        )
    where = f"bytes {page.start:,} to {page.end:,} of {page.size:,}"
    if page.end < page.size:
        where += f"; go on with offset {page.end}"
    elif page.job.runs:
        where += f"; what comes next begins at offset {page.end}"
    if page.is_cut:
        where += "; the log is full, and what was printed after it is lost"
    return f"[{_line(page.job)}]\n[{where}]\n{harmless(page.text)}"
