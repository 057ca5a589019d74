"""The rehearsal: a deterministic model of fixed rules that really calls tools. A demonstration and a test bed."""

from __future__ import annotations

from vibeos.ports.models.rehearsal.model import RehearsalModel

__all__ = ["RehearsalModel"]
