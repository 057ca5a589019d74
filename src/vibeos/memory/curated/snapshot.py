"""The frozen snapshot: Core and User as they stand in a system prompt, taken once per session.

Its bytes are stored with the session and never change inside it. An entry that fails the scan on disk is
withheld by name, a file that cannot be read is named instead of shown, and in both cases the person is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from vibeos.memory.curated.entries import DELIMITER, join, length
from vibeos.ports.guard.scan import explain, scan
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from vibeos.memory.curated.operations import Target, Usage
    from vibeos.memory.curated.service import CuratedMemory
    from vibeos.ports.guard.rule import Finding
    from vibeos.values.catalogue import Catalogue

RULE = "═" * 46

# A store may stand over its limit when a person edits the file or lowers the limit; it is shown whole up to
# this many times its limit, so that a prompt stays bounded whatever a file holds.
_SHOWN_LIMITS = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
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
    shown, notices = _shown(entries, file, usage, catalogue)
    return _framed(header(target, usage, catalogue), DELIMITER.join(shown)), notices


def header(target: Target, usage: Usage, catalogue: Catalogue) -> str:
    """`MEMORY (your personal notes) [67% — 1,474/2,200 chars]`; per cent is rounded down."""
    counts = catalogue.text("snapshot.usage", percent=usage.percent, used=usage.used, limit=usage.limit)
    return f"{catalogue.text(f'snapshot.{target}')} {counts}"


def _framed(title: str, body: str) -> str:
    return f"{RULE}\n{title}\n{RULE}\n{body}"


def _shown(
    entries: tuple[str, ...], file: str, usage: Usage, catalogue: Catalogue
) -> tuple[list[str], list[str]]:
    """The entries as the prompt shows them, and what the person must be told.

    Each entry is scanned, alone and behind those before it, so that an attack parted over entries is found too.
    """
    shown: list[str] = []
    notices: list[str] = []
    passed: tuple[str, ...] = ()
    for number, entry in enumerate(entries, start=1):
        if length((*shown, entry)) > usage.limit * _SHOWN_LIMITS:
            left = len(entries) - number + 1
            shown.append(catalogue.text("snapshot.over", count=left, file=file))
            notices.append(
                catalogue.text("notice.over", file=file, used=usage.used, limit=usage.limit, count=left)
            )
            break
        findings = findings_in(entry) or findings_in(join((*passed, entry)))
        if findings:
            notices.append(
                catalogue.text("notice.withheld", number=number, file=file, reason=explain(findings))
            )
            shown.append(withheld(number, file, findings, catalogue))
        else:
            passed = (*passed, entry)
            shown.append(entry)
    return shown, notices


def entries_for_model(entries: tuple[str, ...], file: str, limit: int, catalogue: Catalogue) -> list[str]:
    """The entries as the tool's answers show them to a model: what fails the scan withheld, the rest bounded."""
    shown: list[str] = []
    room = limit * _SHOWN_LIMITS
    for number, entry in enumerate(entries, start=1):
        room -= len(entry)
        if room < 0:
            shown.append(catalogue.text("snapshot.over", count=len(entries) - number + 1, file=file))
            break
        findings = findings_in(entry)
        shown.append(withheld(number, file, findings, catalogue) if findings else entry)
    return shown


def withheld(number: int, file: str, findings: tuple[Finding, ...], catalogue: Catalogue) -> str:
    """What stands in the place of an entry that a model must not see."""
    return catalogue.text("snapshot.withheld", number=number, file=file, rule=findings[0].rule_id)


@lru_cache(maxsize=512)  # the same few entries are shown again with every answer of the tool
def findings_in(text: str) -> tuple[Finding, ...]:
    """What the scan finds in this text of the memory."""
    return scan(text, scope="memory")
