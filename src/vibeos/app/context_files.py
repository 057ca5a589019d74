"""The person's own files for the prompt: `SOUL.md` of the home, `AGENTS.md` of the project, each only if it passes.

What must not or cannot be shown to a model is withheld, and the person is told.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from vibeos.agent.prompt import ContextFile
    from vibeos.record import Session
    from vibeos.values.home import Scope

MOST_CONTEXT_BYTES = 500_000  # a prompt shows 20,000 characters of a file; more is no instruction file


@dataclass(frozen=True, slots=True)
class ContextFiles:
    """What goes into the prompt, and what the person must be told about it."""

    soul: str = ""
    shown: tuple[ContextFile, ...] = ()
    notices: tuple[str, ...] = ()


def context_files(scope: Scope, session: Session) -> ContextFiles:
    """The files as they are now."""
    from vibeos.agent.prompt import ContextFile

    soul, notices = read_scanned(scope.soul_file, inside=os.fspath(scope.home))
    if not session.project:
        return ContextFiles(soul, (), notices)
    path = os.path.join(session.project, "AGENTS.md")
    text, more = read_scanned(path, inside=session.project)
    return ContextFiles(soul, (ContextFile(path, text),) if text else (), notices + more)


def read_scanned(path: str, *, inside: str) -> tuple[str, tuple[str, ...]]:
    """The file's text; empty, with a word for the person, where it must not or cannot be shown to a model.

    A link out of its folder is not followed: a project from elsewhere must not choose which file is sent away.
    """
    from vibeos.ports.guard.files import leads_out, read_bytes
    from vibeos.ports.guard.scan import explain, scan

    if leads_out(path, inside):
        return "", (f"{path} is withheld from the model: it is a link out of {inside}",)
    try:
        data = read_bytes(path, most=MOST_CONTEXT_BYTES)
    except FileAccessError as error:
        return "", (f"{path} is withheld from the model: {error.message}",)
    text = (data or b"").decode("utf-8-sig", "replace")
    if findings := scan(text, scope="context"):
        return "", (f"{path} is withheld from the model: {explain(findings)}",)
    return text, ()
