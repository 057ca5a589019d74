"""GGUF heads for tests, written as the format's description has them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value_of(value: object) -> bytes:
    match value:
        case str():
            return struct.pack("<I", 8) + text(value)
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case list():
            words = b"".join(text(str(one)) for one in value)
            return struct.pack("<IIQ", 9, 8, len(value)) + words
    raise TypeError(value)


def head(values: dict[str, object], *, version: int = 3) -> bytes:
    keys = b"".join(text(key) + value_of(value) for key, value in values.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + keys


def small_model(path: Path, *, window: int = 4_096, template: str = CHATML) -> Path:
    """A file with the head of a model and nothing behind it."""
    path.write_bytes(
        head(
            {
                "general.architecture": "llama",
                "general.alignment": 32,
                "llama.context_length": window,
                "llama.rope.scale": 1.5,
                "tokenizer.ggml.tokens": ["a", "b", "сс"],
                "tokenizer.ggml.add_bos": True,
                "tokenizer.chat_template": template,
            }
        )
    )
    return path
