"""Where curated entries are kept: a Protocol of four methods with an explicit scope, and its file adapter.

The file adapter never overwrites a file that it could not read, replaces files whole, and can tell when
another program changed one since it last wrote it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from vibeos.memory.curated.entries import NotTextError, decode, join, parse
from vibeos.memory.curated.operations import Target
from vibeos.ports.guard.files import atomic_write, read_bytes
from vibeos.ports.guard.lock import locked_folder
from vibeos.values.errors import FileAccessError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from vibeos.values.home import Scope


_MOST_BYTES = 4_000_000  # a file of this size is no store of small facts, and reading it is no use to anybody


class Stored(NamedTuple):
    """What a store holds. `fingerprint` changes with the bytes; empty when there is nothing yet."""

    entries: tuple[str, ...]
    fingerprint: str = ""


class CuratedTextError(FileAccessError):
    """A curated file does not hold UTF-8 text."""


class CuratedStore(Protocol):
    """Keeps the entries of each target of each scope."""

    def load(self, scope: Scope, target: Target) -> Stored:
        """What the store holds; raises `FileAccessError` (never "empty") when it cannot be read."""
        ...

    def save(self, scope: Scope, target: Target, entries: tuple[str, ...]) -> Stored:
        """Replace what the store holds, whole or not at all."""
        ...

    def exclusive(self, scope: Scope) -> AbstractContextManager[None]:
        """Keep every other writer of this scope out."""
        ...

    def backup(self, scope: Scope, target: Target) -> str:
        """Copy the store's present bytes aside and give the place."""
        ...


class FileStore:
    """`MEMORY.md` and `USER.md` in the scope's folders."""

    def load(self, scope: Scope, target: Target) -> Stored:
        path = path_of(scope, target)
        data = read_bytes(path, most=_MOST_BYTES)
        if data is None:
            return Stored(())
        try:
            return Stored(parse(decode(data)), fingerprint_of(data))
        except NotTextError as error:
            raise CuratedTextError(
                f"{path!r} is not UTF-8 text ({error})",
                remedy="Save the file as UTF-8 text, then try again.",
            ) from error

    def save(self, scope: Scope, target: Target, entries: tuple[str, ...]) -> Stored:
        data = join(entries).encode()
        atomic_write(path_of(scope, target), data)
        return Stored(entries, fingerprint_of(data))

    @contextmanager
    def exclusive(self, scope: Scope) -> Iterator[None]:
        with locked_folder(scope.memories):
            yield

    def backup(self, scope: Scope, target: Target) -> str:
        path = path_of(scope, target)
        data = read_bytes(path) or b""
        # The name comes from the bytes: a refusal repeated a hundred times leaves one copy.
        copy = f"{path}.{fingerprint_of(data)}.bak"
        if read_bytes(copy) != data:
            atomic_write(copy, data)
        return copy


def path_of(scope: Scope, target: Target) -> str:
    """The file of this target in this scope."""
    return scope.core_file if target is Target.MEMORY else scope.user_file


def fingerprint_of(data: bytes) -> str:
    """Length and checksum: enough to notice a change, not a proof against a forger (the scan is)."""
    from zlib import crc32  # noqa: PLC0415 - hashlib costs 3 ms of start-up

    return f"{len(data):x}-{crc32(data):08x}"
