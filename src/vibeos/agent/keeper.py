"""The process that keeps one background command: its parent, its reader, and the only writer of what is known of it.

It outlives VibeOS, so after a crash the command runs on, its output is still bounded, and its exit status is not lost.
It runs as a file of its own with the standard library alone. The order comes as JSON on standard input: `state` and
`log` (paths), `shell`, `most` (bytes of the log) and `known` (what stands in the state besides the end). One line
goes back, empty when the command has been started, else the reason why not.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress

_LOOK = 0.1  # seconds between two looks at a command that prints nothing
_CHUNK = 65_536


class Keeper:
    """One command while it runs."""

    def __init__(self, order: dict[str, object]) -> None:
        self._state = str(order["state"])
        self._known: dict[str, object] = dict(order["known"])  # type: ignore[call-overload]  # our own order
        self._room = int(str(order["most"]))
        self._began = time.monotonic()
        self._log = os.open(str(order["log"]), os.O_WRONLY | os.O_APPEND)
        self._command = subprocess.Popen(
            [str(order["shell"]), "-c", f" {self._known['command']}"],  # a blank: it may begin with "-"
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )
        self.note()

    def keep(self) -> None:
        """Read to the end of the output; the command's own end is noted when it comes, which may be earlier."""
        assert self._command.stdout is not None
        pipe = self._command.stdout.fileno()
        while True:
            if "status" not in self._known and self._command.poll() is not None:
                self.note()
            if select.select([pipe], [], [], _LOOK)[0]:
                data = os.read(pipe, _CHUNK)
                if not data:
                    break
                self._write(data)
        self._command.wait()
        self._known["seconds"] = round(time.monotonic() - self._began, 3)
        self.note()

    def note(self) -> None:
        """Put what is known in the state's place, whole or not at all."""
        status = self._command.returncode
        if status is not None:
            self._known["status"] = status if status >= 0 else 128 - status
        neighbour = f"{self._state}.tmp"
        try:
            descriptor = os.open(neighbour, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(self._known, file)
            os.replace(neighbour, self._state)
        except (
            OSError
        ):  # a full disk, or a session that was deleted: the command must still be read to its end
            return

    def _write(self, data: bytes) -> None:
        view = memoryview(data)[: self._room]
        try:
            while view:
                written = os.write(self._log, view)
                self._room -= written
                view = view[written:]
        except OSError:
            self._room = 0


def _say(line: str) -> None:
    """Answer whoever ordered, who may be gone, and let go of them."""
    with suppress(OSError):
        os.write(1, f"{line}\n".encode())
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(
            number, lambda *_: None
        )  # meant for the command; an ignored signal would be handed on to it
    order = sys.stdin.buffer.read()
    if not order:
        return
    try:
        keeper = Keeper(json.loads(order))
    except OSError as error:
        _say((error.strerror or type(error).__name__).lower())
        return
    _say("")
    keeper.keep()


if __name__ == "__main__":
    main()
