"""Where things stand in a YAML text: its nodes with their places, and what is wrong with its form.

Only the careful way of reading and the editing of a file load this module, because the library behind it is
slow to start. Values are read elsewhere; this knows lines, styles and places, counted in characters. Of the
form, wrong are: more than one document, a top level that is no mapping, a key that stands twice, a tag, an
alias without end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from vibeos.values.home import StrPath

    ValuePath = tuple[str, ...]

_DEEPEST = 50
_HEAVIEST = 10_000
_NULLS = {"", "~", "null", "Null", "NULL"}
_KINDS = {AliasEvent: "alias", ScalarEvent: "scalar", MappingStartEvent: "map", SequenceStartEvent: "list"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a line of the file; line 0 is unknown."""

    line: int
    message: str


@dataclass(slots=True)
class Node:
    """A piece of the text, from `start` up to `end`, tag and anchor included, blanks behind it not.

    `kind` is `scalar`, `map`, `list` or `alias`. `text` and `style` (`'`, `"`, `|`, `>`, or empty) are those of
    a scalar. A value that is not there is a scalar of no length behind its key. `weight` counts the nodes in
    it, with each alias written out.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    text: str = ""
    style: str = ""
    tag: str = ""
    flow: bool = False
    weight: int = 1
    entries: list[tuple[Node, Node]] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    @property
    def is_absent(self) -> bool:
        """Whether nothing stands there."""
        return self.kind == "scalar" and self.start == self.end

    @property
    def is_null(self) -> bool:
        """Whether nothing stands there, or a word that means nothing."""
        return self.kind == "scalar" and not self.style and self.text in _NULLS

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """The entry of a mapping that has this key."""
        return next((pair for pair in self.entries if pair[0].text == name), None)

    def find(self, path: ValuePath) -> tuple[Node, Node] | None:
        """The entry at this path below the mapping."""
        pair = self.entry(path[0])
        return pair if pair is None or len(path) == 1 else pair[1].find(path[1:])


def read_nodes(text: str, *, origin: StrPath) -> list[Node]:
    """The root of each document of a text. Raises ConfigError if it is not YAML."""
    try:
        return _Builder(text).documents()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        problem = Problem(mark.line + 1 if mark else 0, f"this is not YAML: {what}")
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = Problem(line, f"YAML does not allow the character U+{error.character:04X}")
    except _HopelessError as error:
        problem = error.problem
    raise problems_error([problem], origin=origin)


def document_problem(documents: list[Node]) -> Problem | None:
    """Why nothing can be read from a text at all, or None."""
    if not documents:
        return None
    root = documents[0]
    if len(documents) > 1:
        return Problem(documents[1].line, "a second document begins here; a configuration is one")
    if root.weight > _HEAVIEST:
        return Problem(root.line, f"its aliases stand for more than {_HEAVIEST:,} values")
    if root.kind != "map" and not root.is_null:
        what = "a list" if root.kind == "list" else f"the text {root.text[:40]!r}"
        return Problem(root.line, f"the top level is {what}, but must be sections, as in 'memory:'")
    return None


def entry_problems(documents: list[Node]) -> list[Problem]:
    """What is wrong with the form of entries: tags, and keys that stand twice."""
    return [problem for root in documents for problem in _problems_in(root, ())]


def problems_error(problems: Iterable[Problem], *, origin: StrPath) -> ConfigError:
    """The one error that lists all problems of a file in the order of their lines."""
    ordered = sorted(set(problems), key=lambda one: (one.line, one.message))
    lines = [f"line {one.line}: {one.message}" if one.line else one.message for one in ordered]
    name = repr(str(origin))
    return ConfigError(
        f"{name}, {lines[0]}"
        if len(lines) == 1
        else "\n  ".join([f"{name} has {len(lines)} problems:", *lines]),
        remedy="Correct that in an editor and try again. A key whose line is deleted has its default.",
    )


def find_entry(documents: list[Node], path: ValuePath) -> tuple[Node, Node] | None:
    """The entry at this path of the first document."""
    return documents[0].find(path) if documents and path else None


def line_of(documents: list[Node], path: ValuePath) -> int:
    """The line of the key at this path, or of the nearest section above it; 0 if there is none."""
    pair = find_entry(documents, path)
    if pair is not None:
        return pair[0].line
    return line_of(documents, path[:-1]) if path else 0


def _problems_in(node: Node, path: ValuePath) -> Iterator[Problem]:
    if node.tag:
        yield Problem(node.line, f"the tag {node.tag!r} is not understood; write the value without it")
    first: dict[str, int] = {}
    for key, value in node.entries:
        here = (*path, key.text)
        if key.kind == "scalar" and key.text in first:
            yield Problem(key.line, f"{'.'.join(here)!r} stands in line {first[key.text]} already")
        first.setdefault(key.text, key.line)
        yield from _problems_in(key, path)
        yield from _problems_in(value, here)
    for item in node.items:
        yield from _problems_in(item, path)


class _HopelessError(Exception):
    """Carries a problem out of the building of nodes."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.problem = Problem(line, message)


class _Builder:
    """Builds nodes from the events of the YAML library."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._events = iter(YAML(typ="safe", pure=True).parse(text))
        self._weights: dict[str, int] = {}

    def documents(self) -> list[Node]:
        roots = []
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                self._weights.clear()
                roots.append(self._node(next(self._events), depth=0))
                if len(roots) > 1:
                    roots[-1].line = event.start_mark.line + 1
        return roots

    def _node(self, event: Any, *, depth: int) -> Node:
        start, end = event.start_mark, event.end_mark
        if depth > _DEEPEST:
            raise _HopelessError(start.line + 1, f"this is nested more than {_DEEPEST} deep")
        node = Node(_KINDS[type(event)], start.index, end.index, start.line + 1, start.column)
        if isinstance(event, AliasEvent):
            if event.anchor not in self._weights:
                raise _HopelessError(
                    node.line, f"the alias {'*' + event.anchor!r} stands for nothing before it"
                )
            node.weight = self._weights[event.anchor]
            return node
        node.tag = event.tag or ""
        if isinstance(event, ScalarEvent):
            node.text, node.style = event.value, event.style or ""
            node.end = self._without_blanks(node)
        elif isinstance(event, MappingStartEvent):
            self._fill_map(node, flow=event.flow_style, depth=depth + 1)
        else:
            self._fill_list(node, flow=event.flow_style, depth=depth + 1)
        if event.anchor:
            self._weights[event.anchor] = node.weight
        return node

    def _without_blanks(self, node: Node) -> int:
        """The end of a scalar; that of a block scalar is told with the empty lines behind it."""
        return node.start + len(self._text[node.start : node.end].rstrip())

    def _fill_map(self, node: Node, *, flow: bool, depth: int) -> None:
        node.flow = flow
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._node(event, depth=depth)
            value = self._node(next(self._events), depth=depth)
            if value.is_absent:
                value.start = value.end = key.end
            node.entries.append((key, value))
            node.weight += key.weight + value.weight
        node.end = event.end_mark.index if flow else node.entries[-1][1].end

    def _fill_list(self, node: Node, *, flow: bool, depth: int) -> None:
        node.flow = flow
        while not isinstance(event := next(self._events), SequenceEndEvent):
            node.items.append(self._node(event, depth=depth))
            node.weight += node.items[-1].weight
        node.end = event.end_mark.index if flow else node.items[-1].end
