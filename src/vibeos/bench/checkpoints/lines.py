"""A context as plain lines: what every arm gives, and all that actor and probes ever see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant", "call", "result"]


@dataclass(frozen=True, slots=True)
class Line:
    """One element of a context. A call's text is what was called, such as `process A-0012`."""

    role: Role
    text: str

    @property
    def tokens(self) -> int:
        """Estimated, as everywhere: UTF-8 bytes / 4."""
        return -(-len(self.text.encode()) // 4) + 4
