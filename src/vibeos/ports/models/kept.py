"""What a model keeps from one event loop to the next, so that a new turn does not begin from nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vibeos.ports.models.mapped import MappedElements

if TYPE_CHECKING:
    from ssl import SSLContext


@dataclass(slots=True)
class Kept:
    """`trust` is the certificates as they were read (35 ms); `mapped` a cache for each way to map elements."""

    trust: SSLContext | None = None
    mapped: dict[str, MappedElements[Any]] = field(default_factory=dict)

    def mapped_as(self, way: str) -> MappedElements[Any]:
        """The cache of one way."""
        return self.mapped.setdefault(way, MappedElements())
