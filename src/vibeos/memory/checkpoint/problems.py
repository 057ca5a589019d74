"""What is wrong with a part of a checkpoint, in words that the one repair request can carry."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """The parts of a checkpoint that a model has a hand in."""

    MIND = "mind"
    MEMO = "memo"
    NOW = "now"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `text` tells the model what is wrong, where, and what to do about it: one or two sentences."""

    part: Part
    text: str
