"""A plain answer as a stored response, made without loading a model library."""

from __future__ import annotations

import json

from vibeos.values.text import well_formed


def plain_response(*texts: str) -> str:
    """The payload of a response that is just these texts, a part each, as `load_response` reads it. It carries no clock."""
    parts = [{"content": well_formed(text), "part_kind": "text"} for text in texts]
    return json.dumps({"parts": parts, "timestamp": "1970-01-01T00:00:00Z", "kind": "response"})
