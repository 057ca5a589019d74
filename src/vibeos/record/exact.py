"""Text as a database can hold it, and the rest beside it, so that any `str` comes back exactly.

A database's text holds neither NUL nor half of a surrogate pair. A column gets the cleaned text, and what was
changed is kept in an ASCII JSON object under the column's name. Most rows need no such object.
"""

from __future__ import annotations

import json
import re
from typing import Any

from vibeos.values.text import is_well_formed, well_formed

_ILL_FORMED = re.compile("[\x00\ud800-\udfff]")

Details = dict[str, Any]


def details_of(columns: dict[str, str], **more: str) -> str | None:
    """The JSON of what the columns cannot hold, and of `more` where it is not empty; None when there is nothing."""
    details = {name: text for name, text in columns.items() if not is_well_formed(text)}
    details |= {name: text for name, text in more.items() if text}
    return json.dumps(details) if details else None


def details_in(stored: str | None) -> Details:
    """The object that `details_of` wrote."""
    return json.loads(stored) if stored else {}


def exact(column: str, stored: str, details: Details) -> str:
    """A column's text exactly as it was given."""
    return str(details.get(column, stored)) if details else stored


def safe_json(payload: str) -> str:
    """A JSON text with the same value that a database can hold: such characters stand only inside its strings."""
    return _ILL_FORMED.sub(lambda match: f"\\u{ord(match[0]):04x}", payload)


def cleaned(text: str) -> str:
    """For names and labels, where a replacement character does no harm."""
    return well_formed(text)
