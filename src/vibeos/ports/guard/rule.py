"""A rule of the scan, and what it finds. A rule is data: what it looks for, where, why, and examples of both outcomes.

A rule looks for phrases (see `phrases`) or is a check (a function over a `Reading`), never both. Its examples
are tests: it stops each of `stops`, and the whole scan passes each of `passes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from typing import Protocol

    from vibeos.ports.guard.normalise import Reading
    from vibeos.ports.guard.passages import Passage

    class Check(Protocol):
        """Looks at a text; gives the passage that it objects to, or nothing. Linear in the text's length."""

        def __call__(self, reading: Reading, /) -> Passage | None: ...


Severity = Literal["critical", "high", "medium"]

# What a text is about to enter: Core and User, context files, skills, board findings, archival facts.
SCOPES = ("memory", "context", "skill", "board", "archive")


class Rule(NamedTuple):
    """One row of the table. `reason` completes the sentence "The text …"."""

    id: str
    severity: Severity
    languages: tuple[str, ...]
    reason: str
    stops: tuple[str, ...]
    passes: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    check: Check | None = None
    scopes: tuple[str, ...] = SCOPES

    @property
    def kind(self) -> str:
        """The group in the table: `override`, `role`, `hide`, `exfiltrate`, `backdoor`, `invisible`."""
        return self.id.partition(".")[0]


class Finding(NamedTuple):
    """Why a text was stopped. `excerpt` is one short line around the place, safe to show anywhere."""

    rule_id: str
    reason: str
    severity: Severity
    excerpt: str
