"""What a model is shown of entries, in the snapshot and in the tool's answers alike.

An entry that fails the scan is withheld by name, whoever wrote it into the file, and the whole is bounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vibeos.memory.curated.entries import length
from vibeos.ports.guard.scan import explain, scan

if TYPE_CHECKING:
    from vibeos.ports.guard.rule import Finding
    from vibeos.values.catalogue import Catalogue

# A store may stand over its limit when a person edits the file or lowers the limit; it is shown whole up to
# this many times its limit, so that what a model reads stays bounded whatever a file holds.
SHOWN_LIMITS = 2


class Shown(NamedTuple):
    """`entries` as a model reads them; `notices` for the person about what was withheld."""

    entries: list[str]
    notices: list[str]


def shown_entries(entries: tuple[str, ...], file: str, limit: int, catalogue: Catalogue) -> Shown:
    """The entries that a model may see, whole and in order.

    Each is scanned alone and behind those before it, so that an attack parted over entries is found too.
    """
    shown: list[str] = []
    notices: list[str] = []
    passed: tuple[str, ...] = ()
    for number, entry in enumerate(entries, start=1):
        if length((*shown, entry)) > limit * SHOWN_LIMITS:
            left, used = len(entries) - number + 1, length(entries)
            shown.append(catalogue.text("snapshot.over", count=left, file=file))
            notices.append(catalogue.text("notice.over", file=file, used=used, limit=limit, count=left))
            break
        findings = findings_in(entry) or findings_together((*passed, entry))
        if findings:
            notices.append(
                catalogue.text("notice.withheld", number=number, file=file, reason=explain(findings))
            )
            shown.append(
                catalogue.text("snapshot.withheld", number=number, file=file, rule=findings[0].rule_id)
            )
        else:
            passed = (*passed, entry)
            shown.append(entry)
    return Shown(shown, notices)


@lru_cache(maxsize=512)  # the same few entries are shown again with every answer of the tool
def findings_in(text: str) -> tuple[Finding, ...]:
    """What the scan finds in this text of the memory."""
    return scan(text, scope="memory")


def findings_together(entries: tuple[str, ...]) -> tuple[Finding, ...]:
    """What the scan finds in the entries one behind the other: an attack parted over them shows only there.

    To the scan what parts sentences does not count, so they are joined by plain signs, which it reads fastest.
    """
    return findings_in("; ".join(entries)) if len(entries) > 1 else ()
