"""The tags that frame the blocks of a checkpoint, and how they are made harmless in whatever is put into one.

Only texts that are shown to a model pass through here; what is stored stays as it was written.
"""

from __future__ import annotations

import re

NAMES = (
    "checkpoint", "mind", "memo", "message", "now", "skills", "skill", "files", "running", "saved", "log",
    "not_carried", "record", "current",
)  # fmt: skip
_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(NAMES)})\b)", re.IGNORECASE)


def escaped(text: str) -> str:
    """The text with every tag of ours made harmless: `<now>` becomes `&lt;now>`."""
    return _TAG.sub("&lt;", text)


def block(name: str, text: str, /, **attributes: object) -> str:
    """A block with one of our names. `text` stands in it as it is: escape what is not ours before."""
    told = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{told}>\n{text}\n</{name}>"
