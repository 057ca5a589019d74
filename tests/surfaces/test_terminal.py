"""The chat in a real terminal: typed at, interrupted, ended."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from vibeos.testing import StrictServer, call, reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.program import Program

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A tmux session of its own server, so that nothing of the person's is touched."""

    def __init__(self, program: Program) -> None:
        self._socket = f"vibeos-test-{uuid4().hex[:8]}"
        self._program = program

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self._socket, "-f", "/dev/null", *arguments]
        return subprocess.run(
            command,
            env=self._program.environment,
            cwd=self._program.folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def start(self, *arguments: str) -> None:
        command = f"{sys.executable} -m vibeos {' '.join(arguments)}; echo ended-with-$?; sleep 60"
        self.tmux("new-session", "-d", "-x", "100", "-y", "40", command)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-S", "-100")

    def wait_for(self, seen: Callable[[str], bool], seconds: float = 30) -> str:
        until = time.monotonic() + seconds
        while not seen(self.screen()):
            assert time.monotonic() < until, f"not seen on the screen:\n{self.screen()}"
            time.sleep(0.1)
        return self.screen()


@pytest.fixture
def terminal(program: Program) -> Iterator[Terminal]:
    opened = Terminal(program)
    yield opened
    subprocess.run(["tmux", "-L", opened._socket, "kill-server"], capture_output=True, check=False)


def test_a_conversation_at_the_prompt(program: Program, terminal: Terminal) -> None:
    fact = {"action": "add", "target": "user", "content": "likes tea"}
    with StrictServer(
        [reply("Let me note that.", calls=[call("memory", fact)]), reply("Noted: tea."), reply("Tea.")]
    ) as server:
        program.variables |= {"VIBEOS_MODEL": "openai:test", "VIBEOS_BASE_URL": server.base_url}
        terminal.start("chat")
        terminal.wait_for(lambda screen: "\n>" in screen)
        terminal.type("I like tea")
        screen = terminal.wait_for(lambda screen: "Noted: tea." in screen)
        assert "· memory add user likes tea ✓" in screen
        assert "Let me note that." in screen
        terminal.type("/help")
        terminal.wait_for(lambda screen: "Ctrl-C interrupts" in screen)
        terminal.press("C-c")
        terminal.type("What do I like?")
        terminal.wait_for(lambda screen: "\nTea." in screen)
        terminal.press("C-d")
        screen = terminal.wait_for(lambda screen: "ended-with-0" in screen)
        assert "Go on later with: vibeos chat --resume" in screen


def test_an_interrupted_turn_keeps_what_was_said_and_the_conversation_goes_on(
    program: Program, terminal: Terminal
) -> None:
    with StrictServer([reply("Too late.", delay=20), reply("Here I am.")]) as server:
        program.variables |= {"VIBEOS_MODEL": "openai:test", "VIBEOS_BASE_URL": server.base_url}
        terminal.start("chat")
        terminal.wait_for(lambda screen: "\n>" in screen)
        terminal.type("A slow question")
        terminal.wait_for(lambda _: len(server.requests) == 1)
        terminal.press("C-c")
        terminal.wait_for(lambda screen: "interrupted; what was said so far is kept" in screen)
        terminal.type("Are you there?")
        terminal.wait_for(lambda screen: "Here I am." in screen)
        said = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "user"]
        assert said == ["A slow question", "Are you there?"]
        terminal.press("C-d")
        terminal.wait_for(lambda screen: "ended-with-0" in screen)
