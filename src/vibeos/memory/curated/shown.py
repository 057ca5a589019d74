"""What a model is shown of entries, in the snapshot and in the tool's answers alike.

An entry that fails the scan is withheld by name, whoever wrote it into the file, and the whole is bounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from vibeos.ports.guard.scan import scan

if TYPE_CHECKING:
    from vibeos.ports.guard.rule import Finding
    from vibeos.values.catalogue import Catalogue

# A store may stand over its limit when a person edits the file or lowers the limit; it is shown whole up to
# this many times its limit, so that what a model reads stays bounded whatever a file holds.
SHOWN_LIMITS = 2


def entries_for_model(entries: tuple[str, ...], file: str, limit: int, catalogue: Catalogue) -> list[str]:
    """The entries as the tool's answers show them to a model: what fails the scan withheld, the rest bounded."""
    shown: list[str] = []
    room = limit * SHOWN_LIMITS
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
