"""The approval gate: whether a change may be written now.

A gate is asked after the scan and before the lock. A person's own command needs no approval; what a model
wants to write does when approval is on. `ClosedGate` is the gate of a place where nobody can be asked: it
refuses, and says how the change can be made all the same.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol


class Origin(StrEnum):
    """Who wants a change: decided by the code path, never by a text."""

    PERSON = "person"
    AGENT = "agent"
    REVIEW = "review"


class Verdict(NamedTuple):
    """The gate's answer. `reason` names, as a catalogue key, why a change was not admitted."""

    admitted: bool
    reason: str = ""


class Gate(Protocol):
    """Decides whether a change of this origin may be written."""

    def admit(self, origin: Origin) -> Verdict: ...


class OpenGate:
    """Approval is off: everything that passed the scan may be written."""

    def admit(self, origin: Origin) -> Verdict:  # noqa: ARG002 - the same for all
        return Verdict(admitted=True)


class ClosedGate:
    """Approval is on, and nobody can be asked: only the person's own changes are written."""

    def admit(self, origin: Origin) -> Verdict:
        if origin is Origin.PERSON:
            return Verdict(admitted=True)
        return Verdict(admitted=False, reason="memory.needs_approval")
