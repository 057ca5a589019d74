"""How long a model is waited for, and how often it is asked again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds: for a connection, for a silence before or within an answer, for one whole answer.

    `retries` is how often a request that may succeed later is sent again, `longest_wait` the longest that a provider
    may ask to wait for it; who asks for more is not waited for.
    """

    connect: float = 10
    answer: float = 600
    total: float = 3_600
    retries: int = 4
    longest_wait: float = 60


PATIENT = Patience()
