"""The head of a `SKILL.md`: YAML between two lines of `---`, with `name` and `description`.

People write it by hand, so nothing in it is an error: what cannot be understood is left out and named as a problem.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import yaml12

from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_FENCED = r"(?sm)\A\s*^---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
_OPENED = r"\s*---[ \t]*(?:\n|\Z)"
_LINE = r"(?m)^(name|description):[ \t]+(\S.*)$"
_ANCHOR, _ALIAS = r"(?<!\w)&\S", r"(?<!\w)\*\S"
_LONGEST = 20_000
_MOST_ALIASES = 16  # each may double what stands before it, and the YAML reader writes them all out


class FrontMatter(NamedTuple):
    """What stands in a `SKILL.md`; name and description are empty where it does not say them."""

    name: str
    description: str
    body: str
    problems: tuple[str, ...]


def read_front_matter(text: str) -> FrontMatter:
    """Head and body of a text whose lines end in `\\n`."""
    match = re.match(_FENCED, text)
    if match is None:
        begun = re.match(_OPENED, text) is not None
        problem = "its front matter has no end, a line ---" if begun else "it has no front matter"
        return FrontMatter("", "", text, (problem, *_missing({})))
    values, problem = _values(match[1])
    texts = {key: value.strip() for key, value in values.items() if isinstance(value, str) and value.strip()}
    problems = (problem, *_missing(texts)) if problem else _missing(texts)
    return FrontMatter(
        texts.get("name", ""), texts.get("description", ""), text[match.end() :].lstrip("\n"), problems
    )


def _missing(texts: Mapping[Any, str]) -> tuple[str, ...]:
    problems = {
        "name": "it says no name (as text), so its folder's is used",
        "description": "it says no description (as text), so a model cannot tell when to use it",
    }
    return tuple(problem for key, problem in problems.items() if key not in texts)


def _values(head: str) -> tuple[Mapping[Any, Any], str]:
    """What the YAML sets, and what is wrong with it."""
    if len(head) > _LONGEST:
        return {}, f"its front matter has more than {_LONGEST:,} characters and is not read"
    if re.search(_ANCHOR, head) and len(re.findall(_ALIAS, head)) > _MOST_ALIASES:
        return _by_lines(head), f"its front matter has more than {_MOST_ALIASES} YAML aliases"
    try:
        data: Any = yaml12.parse_yaml(head)
    except ValueError as error:
        return _by_lines(
            head
        ), f"its front matter is no YAML ({preview(str(error), 200)}); put texts in quotes"
    if data is not None and not isinstance(data, dict):
        return {}, "its front matter is not made of keys and values"
    return data or {}, ""


def _by_lines(head: str) -> dict[str, str]:
    """Name and description where they stand on a line each: the usual fault is a colon in a text without quotes."""
    return {key: value.strip().strip("\"'") for key, value in re.findall(_LINE, head)}
