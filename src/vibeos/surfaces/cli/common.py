"""What the commands share: opening the home, JSON output, text that is safe to print."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vibeos.app.vibeos import VibeOS

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")

PIPE_PATIENCE = 1.0  # seconds
_CONTROLS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


@contextmanager
def opened(ctx: click.Context, *, model: str = "") -> Iterator[VibeOS]:
    """The home that the command line names, closed at the end."""
    from vibeos.app.vibeos import open_home
    from vibeos.values.home import DEFAULT_PROFILE

    options = ctx.find_root().obj
    if options["home"] == "":
        raise click.UsageError("--home is empty; leave it out for the usual home folder.")
    with open_home(options["home"] or "", profile=options["profile"] or DEFAULT_PROFILE, model=model) as app:
        yield app


def print_json(value: Any) -> None:
    """One JSON document, characters as they are."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "surrogatepass"))


def printable(text: str) -> str:
    """Text from a record or a file as a terminal may be given it: control characters shown, not obeyed."""
    return re.sub(_CONTROLS, lambda match: f"\\x{ord(match.group()):02x}", text)


def has_terminal() -> bool:
    """Whether a person can be asked on standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


def as_meant(text: str) -> str:
    """An argument as the UTF-8 text that was typed, also where the locale is of another encoding."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def text_argument(text: str | None) -> str:
    """An argument, or standard input where it is `-`, as the UTF-8 text that was meant whatever the locale is."""
    if text != "-":
        return as_meant(text or "")
    if sys.stdin is None:
        raise click.UsageError("Standard input is closed; give the text as an argument.")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def text_beside() -> str | None:
    """What was piped in beside an argument; None where standard input is a pipe that stays open and silent.

    Only a file and a pipe are read, and a pipe only once something has come or its other end is closed: whoever starts
    us may have handed on a pipe of their own, in which nothing is meant for us and which nobody closes.
    """
    import stat

    if sys.stdin is None:
        return ""
    try:
        kind = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return ""
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
        if not _has_something(sys.stdin.fileno()):
            return None
    elif not stat.S_ISREG(kind):
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _has_something(descriptor: int) -> bool:
    """Whether there is something to read, or the end, within the time that a program before us may take to begin."""
    import select

    if not hasattr(select, "poll"):
        return False
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(PIPE_PATIENCE * 1_000))
