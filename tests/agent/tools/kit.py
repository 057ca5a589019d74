"""What the tests of the tools share: a workplace, and calling a tool as the loop does."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any

from agent.left_behind import left_behind, until
from vibeos.agent.workplace import Workplace
from vibeos.ports.models.tools import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.agent.person import Question
    from vibeos.agent.toolsets import Toolset


def workplace(folder: Path) -> Workplace:
    """A workplace with a folder of its own beside VibeOS's home."""
    work, home = folder / "work", folder / "home"
    work.mkdir(parents=True, exist_ok=True)
    home.mkdir(exist_ok=True)
    return Workplace(
        session_id="20260115-120000-abcdef",
        folder=str(work),
        home=str(home),
        outputs=str(home / "outputs"),
        jobs=str(home / "jobs"),
        skills=str(home / "skills"),
        environment={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"},
    )


def watched_workplace(folder: Path) -> Iterator[Workplace]:
    """A workplace with this process's variables for a test that runs commands; none of them may outlive it."""
    session = f"test-{os.getpid()}-{folder.name}"
    yield workplace(folder)._replace(session_id=session, environment=dict(os.environ))
    assert until(lambda: not left_behind(session)), "a test left a process behind"


def answer(tool: Toolset, arguments: dict[str, Any] | str) -> str:
    """What the model is told."""
    (spec,) = tool.specs()
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    outcome = asyncio.run(tool.call(ToolCall("c1", spec.name, text)))
    assert (outcome.call_id, outcome.tool_name) == ("c1", spec.name)
    return outcome.content


def refusal(tool: Toolset, arguments: dict[str, Any] | str) -> str:
    """The error that the model is told; fails where the call was done."""
    told = json.loads(answer(tool, arguments))
    assert told["success"] is False
    return str(told["error"])


class Someone:
    """A person who is there and says what a test gives them, in its order."""

    def __init__(self, *answers: str | None) -> None:
        self._answers = list(answers)
        self.questions: list[Question] = []
        self.is_present = True

    async def ask(self, question: Question) -> str | None:
        self.questions.append(question)
        return self._answers.pop(0)
