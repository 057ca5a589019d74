"""Text as a database can hold it, and the rest beside it, so that any `str` comes back exactly.

A database's text holds neither NUL nor half of a surrogate pair. A column gets the cleaned text, and what was
changed is kept in an ASCII JSON object under the column's name: as a string, or as a list of strings to be joined,
because JSON would read two halves that stand together as one character. Most rows need no such object.
"""

from __future__ import annotations

import json
import re
from typing import Any

from vibeos.values.text import is_well_formed, well_formed

_ILL_FORMED = "[\x00\ud800-\udfff]"
_BETWEEN_HALVES = "(?<=[\ud800-\udbff])(?=[\udc00-\udfff])"

Details = dict[str, Any]


def details_of(columns: dict[str, str], more: dict[str, str]) -> str | None:
    """The JSON of what the columns cannot hold, and of `more` where it is not empty; None when there is nothing."""
    details: Details = {name: json_text(text) for name, text in columns.items() if not _holds(text)}
    details |= {name: json_text(text) for name, text in more.items() if text}
    return json.dumps(details) if details else None


def details_in(stored: str | None) -> Details:
    """The object that `details_of` wrote."""
    return json.loads(stored) if stored else {}


def exact(name: str, stored: str, details: Details) -> str:
    """A text exactly as it was given: from the details if it is there, else as its column holds it."""
    return "".join(details.get(name, stored)) if details else stored


def json_text(text: str) -> str | list[str]:
    """A text as a value that comes back from JSON exactly, when it is joined."""
    parts = [text] if text.isascii() else re.split(_BETWEEN_HALVES, text)
    return parts[0] if len(parts) == 1 else parts


def safe_json(payload: str) -> str:
    """A JSON text with the same value that a database can hold: such characters stand only inside its strings.

    (But two halves of a surrogate pair that stand together become the character that they mean.)
    """
    if _holds(payload):
        return payload
    return re.sub(_ILL_FORMED, lambda match: f"\\u{ord(match[0]):04x}", payload)


def cleaned(text: str) -> str:
    """The text as far as a column can hold it."""
    return text if _holds(text) else well_formed(text)


def _holds(text: str) -> bool:
    return (text.isascii() and "\0" not in text) or is_well_formed(text)
