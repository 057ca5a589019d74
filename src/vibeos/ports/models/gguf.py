"""What the head of a GGUF file says about the model in it: how long a context it was trained for, its chat template.

Only the head is read, and of it only what is asked for; lists (vocabularies) are passed over. What does not follow the form
is an error with the file's name, never a guess.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from vibeos.values.errors import ModelNotConfiguredError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _LIST = 8, 9
_NUMBERS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_MOST_KEYS = 10_000
_MOST_LENGTH = 2**40  # beyond all files
_MOST_TEXT = 1_000_000  # a template has some thousand characters


@dataclass(frozen=True, slots=True)
class GgufHead:
    """`trained_window` is in tokens, 0 where the file does not say; `chat_template` is empty where it has none."""

    size: int
    trained_window: int
    chat_template: str


def read_head(path: str) -> GgufHead:
    """The head of the file; raises ModelNotConfiguredError when there is none, or it is no GGUF file."""
    try:
        with open(path, "rb") as file:
            values = dict(_values(file))
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise ModelNotConfiguredError(
            f"there is no file {preview(path, 300)!r} to run as a model",
            remedy="Write the path of a GGUF file behind local:, such as local:/models/qwen3-4b-q4.gguf.",
        ) from error
    except OSError as error:
        raise ModelNotConfiguredError(
            f"{preview(path, 300)!r} cannot be read: {error.strerror}",
            remedy="Look at the file's permissions.",
        ) from error
    except (ValueError, struct.error) as error:
        raise ModelNotConfiguredError(
            f"{preview(path, 300)!r} is no whole GGUF file: {error}",
            remedy="Download it again, or name another file. Models in other formats have to be converted first.",
        ) from error
    window = values.get(f"{values.get('general.architecture')}.context_length", 0)
    template = values.get("tokenizer.chat_template", "")
    return GgufHead(
        size, window if isinstance(window, int) else 0, template if isinstance(template, str) else ""
    )


def _values(file: BinaryIO) -> Iterator[tuple[str, object]]:
    if _read(file, 4) != _MAGIC:
        raise ValueError("it does not begin like one")
    version, _, count = struct.unpack("<IQQ", _read(file, 20))
    if version not in _VERSIONS:
        raise ValueError(f"its version is {version}")
    if count > _MOST_KEYS:
        raise ValueError(f"its head claims {count} keys")
    for _ in range(count):
        key = _text(file)
        (kind,) = struct.unpack("<I", _read(file, 4))
        yield key, _value(file, kind)


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _text(file)
    if kind == _LIST:
        _pass_list(file)
        return None
    if kind not in _NUMBERS:
        raise ValueError(f"its head has a value of unknown kind {kind}")
    form = _NUMBERS[kind]
    return struct.unpack(form, _read(file, struct.calcsize(form)))[0]


def _pass_list(file: BinaryIO) -> None:
    kind, length = struct.unpack("<I", _read(file, 4))[0], _length(file)
    if kind == _STRING:
        for _ in range(length):
            file.seek(_length(file), os.SEEK_CUR)
    elif kind in _NUMBERS:
        file.seek(length * struct.calcsize(_NUMBERS[kind]), os.SEEK_CUR)
    else:
        raise ValueError(f"its head has a list of unknown kind {kind}")


def _text(file: BinaryIO) -> str:
    length = _length(file)
    if length > _MOST_TEXT:
        raise ValueError(f"its head has a text of {length} bytes")
    return _read(file, length).decode("utf-8", "replace")


def _length(file: BinaryIO) -> int:
    (length,) = struct.unpack("<Q", _read(file, 8))
    if length > _MOST_LENGTH:
        raise ValueError(f"its head has a length of {length}")
    return int(length)


def _read(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise ValueError("it ends within its head")
    return data
