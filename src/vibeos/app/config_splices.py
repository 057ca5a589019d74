"""Where in a YAML text one entry is replaced, inserted or removed, as splices of its characters.

Each function looks at one entry and leaves everything else alone. None means that there is no simple splice. In
a strange text a splice may still come out wrong: whoever applies it reads the result again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml12

from vibeos.values.config_keys import plain_text

if TYPE_CHECKING:
    from vibeos.values.config_keys import Value
    from vibeos.values.config_source import Node

    ValuePath = tuple[str, ...]

_SAFE_TEXT = re.compile(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./@+-]|:(?!$))*")
_TRUTH_ELSEWHERE = {"y", "n", "yes", "no", "on", "off"}  # YAML 1.1 tools take them for true and false
_REST_OF_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")
_NOTHING_MORE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|$)")
_COLON = re.compile(r"[ \t]*:")
_COMMA = re.compile(r"\s*,[ \t]*")


@dataclass(frozen=True, slots=True)
class Splice:
    """Puts `text` in the place of what stands from `start` up to `end`."""

    start: int
    end: int
    text: str = ""

    def apply(self, text: str) -> str:
        return text[: self.start] + self.text + text[self.end :]


def rendered(value: Value, *, style: str = "", is_word: bool = False) -> str:
    """A value as YAML, in quotes of the old value's style, or where it would not be read as text without.

    `is_word`: one of a key's own words, which stands without quotes even if it is `on` or `off`.
    """
    text = plain_text(value)
    if not isinstance(value, str):
        return text
    if style == '"':
        return json.dumps(text, ensure_ascii=False)
    if style != "'" and (is_word or _is_safe(text)):
        return text
    return "'" + text.replace("'", "''") + "'"


def _is_safe(text: str) -> bool:
    if not _SAFE_TEXT.fullmatch(text) or text.casefold() in _TRUTH_ELSEWHERE:
        return False
    return bool(yaml12.parse_yaml(text) == text)


def replacement(text: str, key: Node, value: Node, new: str) -> Splice | None:
    """Gives an entry the value `new`; None if the old one is a section or a list on lines of its own."""
    if value.is_absent:
        colon = _behind_colon(text, key)
        return Splice(colon, colon, f" {new}")
    if value.kind in {"map", "list"} and not value.flow:
        return None
    return Splice(value.start, value.end, new)


def removal(text: str, parent: Node, key: Node, value: Node) -> Splice | None:
    """Removes an entry with its lines, or its part of a `{…}`; None if something else begins its first line."""
    end = _end(text, key, value)
    start = max(text.rfind("\n", 0, key.start), text.rfind("\r", 0, key.start)) + 1
    begins_line = not text[start : key.start].strip()
    if not parent.flow:
        return Splice(start, _next_line(text, end)) if begins_line else None
    comma = _COMMA.match(text, end)
    behind = comma.end() if comma else end
    if begins_line and _NOTHING_MORE.match(text, behind):
        return Splice(start, _next_line(text, behind))
    place = parent.entries.index((key, value))
    if place and (not comma or not begins_line):
        return Splice(_end(text, *parent.entries[place - 1]), end)
    return Splice(key.start, behind)


def insertion(text: str, root: Node | None, path: ValuePath, new: str) -> Splice | None:
    """Adds an entry that is not there, with the sections that it needs; None if a section above is a value."""
    if root is None or root.is_absent:
        return _new_lines(text, len(text), _Block(path, new, column=0, step=2))
    if root.kind != "map":
        return None
    return _insertion_below(text, root, path, new, step=_step(root), is_top=True)


def _insertion_below(
    text: str, parent: Node, path: ValuePath, new: str, *, step: int, is_top: bool = False
) -> Splice | None:
    pair = parent.entry(path[0])
    if pair is None and parent.flow:
        return _into_flow(text, parent, path, new)
    if pair is None:
        return _behind_entries(
            text, parent, _Block(path, new, column=_column(parent), step=step), at_end=is_top
        )
    key, section = pair
    if section.kind == "map":
        return _insertion_below(text, section, path[1:], new, step=step)
    if not section.is_null:
        return None
    if section.is_absent and not parent.flow:
        below = _Block(path[1:], new, column=key.column + step, step=step)
        return _new_lines(text, _behind_colon(text, key), below)
    return replacement(text, key, section, "{" + _flow(path[1:], new) + "}")


@dataclass(frozen=True, slots=True)
class _Block:
    """An entry on lines of its own, with the sections above it that are new."""

    path: ValuePath
    new: str
    column: int
    step: int

    def lines(self, newline: str) -> str:
        *sections, last = self.path
        lines = [*(f"{section}:" for section in sections), f"{last}: {self.new}"]
        return "".join(
            f"{' ' * (self.column + self.step * depth)}{line}{newline}" for depth, line in enumerate(lines)
        )


def _flow(path: ValuePath, new: str) -> str:
    """An entry within braces."""
    *sections, last = path
    return "".join(f"{section}: {{" for section in sections) + f"{last}: {new}" + "}" * len(sections)


def _into_flow(text: str, parent: Node, path: ValuePath, new: str) -> Splice:
    if parent.entries:
        end = _end(text, *parent.entries[-1])
        return Splice(end, end, f", {_flow(path, new)}")
    brace = text.index("{", parent.start) + 1
    return Splice(brace, brace, _flow(path, new))


def _behind_entries(text: str, parent: Node, block: _Block, *, at_end: bool) -> Splice:
    """Behind the last entry; a new section goes behind the comments at the end of the file too."""
    end = _end(text, *parent.entries[-1])
    rest = text[_next_line(text, end) :].splitlines()
    if at_end and all(line.lstrip().startswith("#") or not line.strip() for line in rest):
        end = len(text)
    return _new_lines(text, end, block)


def _new_lines(text: str, place: int, block: _Block) -> Splice:
    """Lines below the one in which `place` is."""
    newline = "\r\n" if "\r\n" in text else "\n"
    start = _next_line(text, place)
    gap = newline if start and text[start - 1] not in "\r\n" else ""
    return Splice(start, start, gap + block.lines(newline))


def _next_line(text: str, place: int) -> int:
    rest = _REST_OF_LINE.match(text, place)
    return rest.end() if rest else place


def _behind_colon(text: str, key: Node) -> int:
    colon = _COLON.match(text, key.end)
    return colon.end() if colon else key.end


def _end(text: str, key: Node, value: Node) -> int:
    return _behind_colon(text, key) if value.is_absent else value.end


def _column(parent: Node) -> int:
    """Where the entries begin; a key behind a `?` stands further right than the entry does."""
    return min(key.column for key, _ in parent.entries)


def _step(root: Node) -> int:
    """By how many blanks the file indents what is below a section."""
    for key, value in root.entries:
        if value.kind == "map" and not value.flow and _column(value) > key.column:
            return _column(value) - key.column
    return 2
