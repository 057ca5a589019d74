"""Where a note in the mind comes from: the messages of the person that it cites.

A mission cites in parentheses, `(#1801)`, because `PR #45` in a wording is no citation. What stands in the record decides
whether a number is a message of the person; no text can.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER = r"#\d{1,15}(?!\d)"
_AND = r"(?:[,;，、；]|and|и|和|及)"
_LIST = re.compile(rf"[(（] ?({_NUMBER}(?: ?{_AND} ?{_NUMBER})*)(?= ?[)）:：,，\"“„«「『'‘])")
_ANYWHERE = re.compile(r"(?<![\w&#])#(\d{1,15})(?!\d)")


class Sources(Protocol):
    """The person's own messages, as a checkpoint sees them."""

    @property
    def newest(self) -> int:
        """The number of the person's newest message known at this checkpoint; 0 if no person spoke."""
        ...

    @property
    def first_input(self) -> int:
        """The number of the input that began the conversation, whoever sent it."""
        ...

    def typed(self, number: int, /) -> str | None:
        """The text of the person's message with that number; None if there is none or it is no person's."""
        ...


def cited(text: str) -> tuple[int, ...]:
    """The numbers that a text on one line cites in parentheses: `(#12)`, `(#12, #15)`, `(#12: "words")`."""
    return tuple(
        int(number[1:]) for found in _LIST.finditer(text) for number in re.findall(_NUMBER, found[1])
    )


def newest_cited(text: str, source: Sources) -> int:
    """The newest message of the person that a text cites in parentheses; 0 if it cites none."""
    return max((number for number in cited(text) if source.typed(number) is not None), default=0)


def mentioned(text: str) -> Iterator[int]:
    """The numbers that a text names anywhere, `#12`, each once."""
    yield from dict.fromkeys(int(number) for number in _ANYWHERE.findall(text))


def joined(text: str) -> str:
    """The text on one line: every run of white space is one blank."""
    return " ".join(text.split())
