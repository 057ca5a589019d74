"""Edits config.yaml so that only the lines of the key change: comments, order and quoting stay as they are.

The YAML library tells where things stand; the edit itself replaces, inserts or removes a few characters there.
Before anything is written the result is read again: it must hold what the file held, this one key aside, and
be a valid configuration. Otherwise nothing is written. Two edits at once need a lock around the call.

The library is slow to load, so import this module only to edit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.app.config_splices import insertion, removal, rendered, replacement
from vibeos.values.config import parse_config, read_config_text
from vibeos.values.config_names import checked, find_key, is_section
from vibeos.values.config_reading import read_data
from vibeos.values.config_source import document_problem, find_entry, problems_error, read_nodes
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.app.config_splices import Splice
    from vibeos.values.config_keys import Key, Value
    from vibeos.values.config_source import Node
    from vibeos.values.home import StrPath

    Write = Callable[[str, bytes], None]
    ValuePath = tuple[str, ...]
    Data = Mapping[object, object]

_HEADER = "# Settings of VibeOS. `vibeos config show` lists every key with its value.\n"
_MARK = "\ufeff"
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def set_value(path: StrPath, name: str, text: str, *, write: Write) -> bool:
    """Sets a key to what `text` means; a file that is not there is made. Returns whether the file changed.

    `write` replaces the bytes of a file in one step, follows a link and keeps the mode, as `atomic_write` does.
    Raises ConfigError, with nothing changed, when there is no such key, when it may not be that, or when the
    result would not be a valid configuration.
    """
    key, value = find_key(name), checked(name, text)
    file = _File.read(path)
    where = tuple(name.split("."))
    if _means(key, _get(file.data, where), value):
        parse_config(file.text, origin=path)
        return False
    entry = find_entry(file.documents, where)
    new = rendered(value, style=entry[1].style if entry else "", is_word=key.kind == "choice")
    splice = replacement(file.text, *entry, new) if entry else insertion(file.text, file.root, where, new)
    file.rewrite(
        splice, _with(file.data, where, value), write=write, by_hand=f"write {new} there for {name!r}"
    )
    return True


def unset_value(path: StrPath, name: str, *, write: Write) -> bool:
    """Takes a key out of the file, so that it has its default. Returns whether the file changed.

    A key that VibeOS does not know can be taken out too. `write` and errors are those of `set_value`.
    """
    file = _File.read(path)
    where = tuple(name.split("."))
    if is_section(name) or not _is_in(file.data, where):
        find_key(name)
        parse_config(file.text, origin=path)
        return False
    entry = find_entry(file.documents, where)
    parent = file.parent_of(where)
    splice = removal(file.text, parent, *entry) if entry and parent else None
    file.rewrite(splice, _without(file.data, where), write=write, by_hand=f"delete {name!r} there")
    return True


@dataclass(frozen=True, slots=True)
class _File:
    """The file as it is before the edit: its text behind the byte-order mark, what YAML reads in it, its nodes."""

    path: StrPath
    exists: bool
    mark: str
    text: str
    data: Data
    documents: list[Node]

    @classmethod
    def read(cls, path: StrPath) -> _File:
        """The file, or an empty one with a line of comment. Raises ConfigError if it is not YAML."""
        raw = read_config_text(path)
        text = _HEADER if raw is None else raw.removeprefix(_MARK)
        documents = read_nodes(text, origin=path)
        hopeless = document_problem(documents)
        if hopeless:
            raise problems_error([hopeless], origin=path)
        mark = _MARK if raw and raw.startswith(_MARK) else ""
        return cls(path, raw is not None, mark, text, read_data(text, origin=path), documents)

    @property
    def root(self) -> Node | None:
        return self.documents[0] if self.documents else None

    def parent_of(self, where: ValuePath) -> Node | None:
        """The mapping in which an entry stands."""
        entry = find_entry(self.documents, where[:-1])
        return entry[1] if entry else self.root

    def rewrite(self, splice: Splice | None, wanted: Data, *, write: Write, by_hand: str) -> None:
        """Writes the spliced text if it reads as `wanted` and is valid."""
        after = splice.apply(self.text) if splice else ""
        if not splice or not self._is_good(after, wanted):
            parse_config(self.text, origin=self.path)  # what is wrong with the file as it is, says it better
            raise ConfigError(
                f"{os.fspath(self.path)!r} is written in a way that cannot be edited safely; nothing was changed",
                remedy=f"Open it in an editor and {by_hand}.",
            )
        if self.exists and not os.stat(self.path).st_mode & _ANY_WRITE:
            raise ConfigError(
                f"{os.fspath(self.path)!r} is read-only; nothing was changed",
                remedy="Make it writable first.",
            )
        write(os.fspath(self.path), (self.mark + after).encode())

    def _is_good(self, after: str, wanted: Data) -> bool:
        try:
            parse_config(after, origin=self.path)
            return _pruned(read_data(after, origin=self.path)) == _pruned(wanted)
        except ConfigError:
            return False


def _means(key: Key, given: object, value: Value) -> bool:
    try:
        return key.accept(given) == value
    except ValueError:
        return False


# What YAML reads, seen as a tree of values.


def _is_in(data: object, where: ValuePath) -> bool:
    if not isinstance(data, Mapping) or where[0] not in data:
        return False
    return len(where) == 1 or _is_in(data[where[0]], where[1:])


def _get(data: object, where: ValuePath) -> object:
    """What stands at a path, or None."""
    for part in where:
        data = data.get(part) if isinstance(data, Mapping) else None
    return data


def _with(data: object, where: ValuePath, value: Value) -> Data:
    """The tree with another value at a path."""
    old = data if isinstance(data, Mapping) else {}
    head, rest = where[0], where[1:]
    return {**old, head: _with(old.get(head), rest, value) if rest else value}


def _without(data: object, where: ValuePath) -> Data:
    """The tree with nothing at a path."""
    old = data if isinstance(data, Mapping) else {}
    head, rest = where[0], where[1:]
    kept = {key: value for key, value in old.items() if key != head}
    return {**kept, head: _without(old.get(head), rest)} if rest else kept


def _pruned(data: object) -> object:
    """The tree without the sections and keys that hold nothing; what is the same then means the same."""
    if not isinstance(data, Mapping):
        return data
    kept = {key: _pruned(value) for key, value in data.items()}
    return {key: value for key, value in kept.items() if value is not None and value != {}}
