"""Sizes in tokens, estimated without a tokenizer: UTF-8 bytes / 4 (characters / 4 undercounts Chinese)."""

from __future__ import annotations

BYTES_PER_TOKEN = 4
IMAGE_TOKENS = 1_600


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text, rounded up; 0 for the empty text."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)
