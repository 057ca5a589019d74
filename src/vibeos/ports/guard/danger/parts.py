"""The parts of a shell command, and how many of them are read: the effort is limited, whatever the text is."""

from __future__ import annotations

from dataclasses import dataclass, field

DOWNLOADS = frozenset({"curl", "wget", "fetch", "aria2c", "lwp-download", "http", "https"})
DECODES = frozenset({"base64", "base32", "xxd", "openssl", "uudecode"})
MARKED = (*sorted(DOWNLOADS), *sorted(DECODES), "mktemp", "pwd")  # what a mark in a word names


class TooMuchError(Exception):
    """The command has more parts, or deeper ones, than are read."""


@dataclass(slots=True)
class Effort:
    """How many parts may still be read. One for a whole command, however often pieces of it are read again."""

    left: int

    def spend(self, parts: int = 1) -> None:
        self.left -= parts
        if self.left < 0:
            raise TooMuchError


@dataclass(slots=True, eq=False)
class Simple:
    """One simple command. `before` feeds it through a pipe; `fed` is what stands in its here-documents."""

    words: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    fed: list[str] = field(default_factory=list)
    before: Simple | None = None
    depth: int = 0  # of the brackets that it stands in
    origins: frozenset[str] = frozenset()  # the downloads and decoders at work earlier in its pipe
