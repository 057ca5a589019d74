"""From the text of config.yaml to checked values, in YAML 1.2, where `on` and `off` are words.

There are two ways with one outcome. Nearly every file is plain: each entry begins a line or stands in a simple
`{…}`. The YAML reader does not notice a key that stands twice, but for a plain text the number of entries that
its lines can make proves that none does. Everything else, and whatever is wrong, goes the careful way, which
loads a slower library that knows lines and forms.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import yaml12

from vibeos.values.config_keys import plain_text
from vibeos.values.config_names import cut, find_key, is_section, match_key, refusal, section_refusal, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from vibeos.values.config_keys import Value
    from vibeos.values.home import StrPath

    ValuePath = tuple[str, ...]
    Shown = Callable[[ValuePath, object], str]

# Patterns are compiled where they are used: without a file they are not needed.
_NOT_PLAIN = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|\r(?!\n)"
_PLAIN_LINE = (
    r""" *(?:#.*|---|(?P<key>[A-Za-z_][\w.-]*|"[^"\\]*"|'[^']*'):"""
    r"""(?: +(?:[\w./~+-][^{}\[\],"'#]*|"[^"\\]*"|'[^']*'|(?P<flow>\{[^"'#&*!]*\})))?"""
    r""" *(?: #.*)?)?\r?"""
)
_FLOW_ENTRY = r"[{,](?! *[},])"


class Finding(NamedTuple):
    """A key's value, or a complaint about what stands at `path`."""

    path: ValuePath
    value: Value = None
    complaint: str = ""


def read_values(text: str, *, origin: StrPath) -> dict[str, Value]:
    """The value of each key that a text sets. Raises ConfigError that lists every problem of `origin`."""
    text = text.removeprefix("\ufeff")
    data = _plain_data(text)
    if data is not None:
        found = list(_findings(data, (), shown=_shown))
        if not any(one.complaint for one in found):
            return _values(found)
    return _read_with_care(text, origin)


def _values(found: list[Finding]) -> dict[str, Value]:
    return {".".join(one.path): one.value for one in found}


# What the values mean.


def _findings(data: Mapping[object, object], above: ValuePath, *, shown: Shown) -> Iterator[Finding]:
    """What a mapping sets, and what is wrong with it. `above` is where it stands, `shown` displays a value."""
    for key, value in data.items():
        path = (*above, str(_as_written(key)))
        name = ".".join(path)
        if not isinstance(key, str):
            yield Finding(path, complaint=f"the key {_as_written(key)!r} is not text")
        elif "." in key:
            yield Finding(path, complaint=_dotted(key, name))
        elif match_key(name):
            yield from _finding(path, value, shown=shown)
        elif not is_section(name):
            yield Finding(path, complaint=unknown(name))
        elif isinstance(value, dict):
            yield from _findings(value, path, shown=shown)
        elif value is not None:
            yield Finding(path, complaint=section_refusal(name, shown(path, value)))


def _finding(path: ValuePath, value: object, *, shown: Shown) -> Iterator[Finding]:
    """What one key is set to; nothing for null, which means the default."""
    if value is None:
        return
    name = ".".join(path)
    key = find_key(name)
    try:
        yield Finding(path, key.accept(value))
    except ValueError:
        yield Finding(path, complaint=refusal(key, name, shown(path, value)))


def _dotted(key: str, name: str) -> str:
    if match_key(name) is None:
        return unknown(name)
    *sections, last = [f"{part}:" for part in key.split(".")]
    return f"{key!r} has no dots in the file: write {' and indented below it '.join(map(repr, [*sections, last]))}"


def _shown(_path: ValuePath, value: object) -> str:
    """A value in a complaint, where its place in the text is not known."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "a section"
    return cut(repr(_as_written(value)))


def _as_written(value: object) -> object:
    if isinstance(value, yaml12.Yaml):
        return value.value
    if value is None:
        return "null"
    return plain_text(value) if isinstance(value, bool) else value


# The quick way.


def _plain_data(text: str) -> Mapping[object, object] | None:
    """What a plain text holds; None if it is not plain, or if anything about it is wrong."""
    entries = _plain_entries(text)
    if entries is None:
        return None
    try:
        documents = yaml12.parse_yaml(text, multi=True)
    except ValueError:
        return None
    data: Any = documents[0] if documents else None
    if data is None:
        data = {}
    if len(documents) > 1 or not isinstance(data, dict) or _entries(data) != entries:
        return None
    return data


def _plain_entries(text: str) -> int | None:
    """How many entries the mappings of a plain text have at most, doubles included; None if it is not plain.

    Every entry of a plain text begins a line, or stands behind a `{` or `,` of its own.
    """
    if re.search(_NOT_PLAIN, text):
        return None
    entries = 0
    plain_line = re.compile(_PLAIN_LINE)
    for line in text.split("\n"):
        match = plain_line.fullmatch(line)
        if match is None:
            return None
        entries += match["key"] is not None
        entries += len(re.findall(_FLOW_ENTRY, match["flow"] or ""))
    return entries


def _entries(data: Mapping[object, object]) -> int:
    """How many entries a mapping and those below it have when each key stands once."""
    return len(data) + sum(_entries(value) for value in data.values() if isinstance(value, dict))


# The careful way.


def _read_with_care(text: str, origin: StrPath) -> dict[str, Value]:
    """The same for any text, with lines: the values, or the error that lists every problem."""
    from vibeos.values import config_source as source  # noqa: PLC0415 - the library behind it is slow to start

    documents = source.read_nodes(text, origin=origin)
    hopeless = source.document_problem(documents)
    if hopeless:
        raise source.problems_error([hopeless], origin=origin)

    def shown(path: ValuePath, value: object) -> str:
        entry = source.find_entry(documents, path)
        return cut(repr(entry[1].text)) if entry and entry[1].kind == "scalar" else _shown(path, value)

    found = list(_findings(read_data(text, origin=origin), (), shown=shown))
    problems = source.entry_problems(documents) + [
        source.Problem(source.line_of(documents, one.path), one.complaint) for one in found if one.complaint
    ]
    if problems:
        raise source.problems_error(problems, origin=origin)
    return _values(found)


def read_data(text: str, *, origin: StrPath) -> Mapping[object, object]:
    """What YAML reads in a text of one document whose top level is a mapping or nothing."""
    from vibeos.values.config_source import Problem, problems_error  # noqa: PLC0415 - the same

    try:
        data: Any = yaml12.parse_yaml(text)
    except ValueError as error:
        raise problems_error([Problem(0, str(error))], origin=origin) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise problems_error([Problem(1, "the top level is not made of sections")], origin=origin)
    return data
