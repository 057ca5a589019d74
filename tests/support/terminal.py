"""The real program in a real terminal, typed at through tmux."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Self
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.program import Program


class Terminal:
    """A tmux session of its own server, so that nothing of the person's is touched."""

    def __init__(self, program: Program) -> None:
        self._socket = f"vibeos-test-{uuid4().hex[:8]}"
        self._program = program

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True, check=False)

    def begin_anew(self) -> None:
        """Another terminal, at once: a server that was told to end may still hold its socket."""
        self.__exit__()
        self._socket = f"vibeos-test-{uuid4().hex[:8]}"

    def tmux(self, *arguments: str, stdin: str = "") -> str:
        command = ["tmux", "-u", "-L", self._socket, "-f", "/dev/null", *arguments]
        return subprocess.run(
            command,
            env=self._program.environment,
            cwd=self._program.folder,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout

    def start(self, *arguments: str, columns: int = 100, variable: str = "") -> None:
        program = f"{variable} {sys.executable} -m vibeos {' '.join(arguments)}"
        command = f"{program}; echo ended-with-$?; exec sleep 60"
        self.tmux("new-session", "-d", "-x", str(columns), "-y", "40", command)

    def chat(self, *arguments: str, columns: int = 100, variable: str = "") -> None:
        self.start("chat", *arguments, columns=columns, variable=variable)
        self.wait_for(lambda screen: "\n>" in screen)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def paste(self, text: str) -> None:
        self.tmux("load-buffer", "-", stdin=text)
        self.tmux("paste-buffer", "-p", "-r")

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-S", "-100")

    def wait_for(self, seen: str | Callable[[str], bool], seconds: float = 30) -> str:
        until = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if seen in screen if isinstance(seen, str) else seen(screen):
                return screen
            assert time.monotonic() < until, f"{seen!r} is not on the screen:\n{screen}"
            time.sleep(0.03)

    def leave(self) -> str:
        self.press("C-d")
        return self.wait_for("ended-with-0")
