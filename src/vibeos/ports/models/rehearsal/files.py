"""What the tools' answers say about files: which there are in a folder, and one line about each by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.ports.models.rehearsal.hands import problem_in, wanted
from vibeos.ports.models.rehearsal.words import say
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.models.rehearsal.hands import Wanted
    from vibeos.ports.models.rehearsal.talk import Made
    from vibeos.ports.models.tools import ToolSpec

MOST_FILES = 100  # a turn ends after 200 requests

# The form of the read tool's answers: lines with their numbers, and remarks of its own in brackets, without a number.
_NUMBERED = r" *\d+\t"
_REMARK = r"\[.* (?:is empty|is an empty folder|with offset \d+|with bash and ls)\]"
_GOES_ON = r"\n\[.* with offset \d+\]\Z"


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a folder that are read, in their order, and the names that are left out."""

    files: tuple[str, ...]
    skipped: tuple[str, ...]


def listing_of(tools: Sequence[ToolSpec], key: str, folder: str) -> Wanted | None:
    """The call that lists the folder, when there is a tool for it."""
    return wanted(tools, key, "read", {"path": folder})


def no_folder(made: Made) -> str:
    """Why there is nothing to work through; empty when a folder was listed."""
    if re.match(_NUMBERED, made.outcome):
        return made.outcome.splitlines()[0].strip()
    return problem_in(made)


def listing_in(made: Made, *, but: str) -> Listing:
    """The names that a listing gave. Folders and hidden files are left out; `but` is our own report of another time."""
    lines = made.outcome.splitlines()
    names = [line for line in lines if line != but and not re.fullmatch(_REMARK, line)]
    files = [name for name in names if not name.endswith("/") and not name.startswith(".")]
    skipped = [name for name in names if name not in files]
    return Listing(tuple(files[:MOST_FILES]), (*skipped, *files[MOST_FILES:]))


def line_about(name: str, made: Made, language: str) -> str:
    """One line about a file that was read: its first heading or first line, its lines and words."""
    if problem := problem_in(made):
        return say(language, "file_unread", name=name, reason=preview(problem, 160))
    lines = [line for line in made.outcome.splitlines() if not re.fullmatch(_REMARK, line)]
    text = "\n".join(re.sub(_NUMBERED, "", line) for line in lines)
    is_part = re.search(_GOES_ON, made.outcome[-200:]) is not None
    return say(
        language,
        "file_part" if is_part else "file_line",
        name=name,
        first=first_line(text) or say(language, "file_blank"),
        lines=len(lines),
        words=count_words(text),
    )


def first_line(text: str) -> str:
    """The first heading, else the first line that is not blank; without the heading's marks."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    headings = (line for line in lines if re.match(r"#{1,6}\s+\S", line))
    return preview(next(headings, lines[0] if lines else "").lstrip("# "), 80)


def count_words(text: str) -> int:
    """The words of a text; in Chinese, where blanks do not part them, the characters."""
    return len(re.findall("[\u3400-\u9fff]|[^\\W\u3400-\u9fff](?:[^\\W\u3400-\u9fff]|['’-])*", text))
