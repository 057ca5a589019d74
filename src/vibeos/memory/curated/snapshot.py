"""The frozen snapshot: Core and User as they stand in a system prompt, taken once per session.

Its bytes are stored with the session and never change inside it. An entry that fails the scan on disk is
withheld by name, a file that cannot be read is named instead of shown, and in both cases the person is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.curated.entries import DELIMITER
from vibeos.memory.curated.shown import shown_entries
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from vibeos.memory.curated.operations import Target, Usage
    from vibeos.memory.curated.service import CuratedMemory
    from vibeos.values.catalogue import Catalogue

RULE = "═" * 46


class Snapshot(NamedTuple):
    """`text` for the system prompt (empty when there is nothing), `notices` for the person."""

    text: str
    notices: tuple[str, ...] = ()


def take_snapshot(memory: CuratedMemory, catalogue: Catalogue) -> Snapshot:
    """The snapshot of every target that is on, in the catalogue's language."""
    blocks: list[str] = []
    notices: list[str] = []
    for target in memory.settings.targets:
        block, told = _block(memory, target, catalogue)
        blocks += [block] if block else []
        notices += told
    return Snapshot("\n\n".join(blocks), tuple(notices))


def _block(memory: CuratedMemory, target: Target, catalogue: Catalogue) -> tuple[str, list[str]]:
    file = target.file_name
    try:
        entries = memory.read(target).entries
    except FileAccessError as error:
        title = catalogue.text(f"snapshot.{target}")
        body = catalogue.text("snapshot.unreadable", file=file)
        return _framed(title, body), [catalogue.text("notice.unreadable", file=file, reason=str(error))]
    if not entries:
        return "", []
    usage = memory.usage(target, entries)
    shown, notices = shown_entries(entries, file, usage.limit, catalogue)
    return _framed(header(target, usage, catalogue), DELIMITER.join(shown)), notices


def header(target: Target, usage: Usage, catalogue: Catalogue) -> str:
    """`MEMORY (your personal notes) [67% — 1,474/2,200 chars]`; per cent is rounded down."""
    counts = catalogue.text("snapshot.usage", percent=usage.percent, used=usage.used, limit=usage.limit)
    return f"{catalogue.text(f'snapshot.{target}')} {counts}"


def _framed(title: str, body: str) -> str:
    return f"{RULE}\n{title}\n{RULE}\n{body}"
