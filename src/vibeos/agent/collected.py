"""What a command prints, in bounded memory: its two ends for the model, the whole up to a limit in a file.

It takes any amount of any bytes. What a terminal would obey (colours, cursor, bells) is taken out or made visible.
"""

from __future__ import annotations

import os
import re

from vibeos.agent.tools.outputs import SHOWN, keep, new_file
from vibeos.values.errors import FileAccessError

MOST_KEPT = 50_000_000  # bytes of one output in its file
_HEAD, _TAIL = 18_000, 12_000  # characters shown of a long output; together `outputs.SHOWN`
_LONGEST = 4  # bytes of a character
_IN_MEMORY = SHOWN * _LONGEST

_SEQUENCES = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-WYZ`-~]|[^\n]\x08"
)
_CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"


def harmless(text: str) -> str:
    """The text without terminal sequences; other control characters become visible signs, and returns line ends."""
    text = re.sub(_SEQUENCES, "", text).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(_CONTROLS, _sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found.group())
    return "\u2421" if code == 0x7F else chr(0x2400 + code) if code < 0x20 else "\ufffd"


class Collected:
    """One command's output while it comes. `folder` is where a long one is kept."""

    def __init__(self, folder: str) -> None:
        self.size = 0
        self._folder = folder
        self._head = bytearray()
        self._tail = bytearray()
        self._path = ""
        self._descriptor = -1
        self._kept = 0
        self._trouble = ""

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        if not self.size > _IN_MEMORY and self.size + len(data) > _IN_MEMORY:
            self._open()
        self.size += len(data)
        self._head += data[: max(_IN_MEMORY - len(self._head), 0)]
        self._tail += data
        if len(self._tail) > 2 * _IN_MEMORY:
            del self._tail[: -_TAIL * _LONGEST]
        if self._descriptor >= 0:
            self._write(data)

    def close(self) -> None:
        """Nothing more comes."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def shown(self) -> str:
        """The output as a model reads it, with a note where it is cut."""
        if self.size <= _IN_MEMORY:
            text = harmless(self._head.decode("utf-8", "replace"))
            if len(text) <= SHOWN:
                return text
            self._keep_all()
            return f"{text[:_HEAD]}{self._note()}{text[-_TAIL:]}"
        head = harmless(self._head.decode("utf-8", "replace"))
        tail = harmless(self._tail[-_TAIL * _LONGEST :].decode("utf-8", "replace"))
        return f"{head[:_HEAD]}{self._note()}{tail[-_TAIL:]}"

    def _note(self) -> str:
        where = f"the whole is in {self._path}"
        if self._trouble:
            where = f"it could not be kept: {self._trouble}"
        elif self._kept < self.size:
            where = f"its first {self._kept:,} bytes are in {self._path}"
        return f"\n\n[… cut: {self.size:,} bytes were printed; {where} …]\n\n"

    def _keep_all(self) -> None:
        try:
            self._path = keep(bytes(self._head), self._folder)
        except FileAccessError as error:
            self._trouble = error.message
        self._kept = self.size

    def _open(self) -> None:
        """Begin the file; what came before, all of which is in memory, goes into it."""
        try:
            self._path, self._descriptor = new_file(self._folder)
        except FileAccessError as error:
            self._trouble = error.message
            return
        self._write(bytes(self._head))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)[: max(MOST_KEPT - self._kept, 0)]
        try:
            while view:
                written = os.write(self._descriptor, view)
                self._kept += written
                view = view[written:]
        except OSError as error:  # a full disk must not keep the command from being read to its end
            self._trouble = (error.strerror or type(error).__name__).lower()
            self.close()
