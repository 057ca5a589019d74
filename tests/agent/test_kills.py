"""A program that dies in the middle of a turn, at any write, goes on as if it had not."""

from __future__ import annotations

import json
import os
from contextlib import chdir
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

import vibeos
from agent.seeded_runs import dumps, run
from store.crashing import CRASHED, FINISHED, crashes
from vibeos.memory.checkpoint.context import compose
from vibeos.testing import ScriptedModel, call, reply
from vibeos.values.envelopes import Envelope

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.ports.models import ModelRequest
    from vibeos.testing import Step
    from vibeos.testing.scripted_model import ScriptedRequest

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

# Every write of the turn takes a minute; the suite dies at each eleventh, `make test-slow` at all of them.
STRIDE = 1 if os.environ.get("VIBEOS_TEST_SLOW") else 11
PERSON = Envelope.person("test")
ROUNDS = 3
INPUTS = ["look through everything", "and then say what there is"]


def next_step(request: ScriptedRequest) -> Step | str:
    """What the model says follows from the conversation alone, as if it remembered nothing of the death."""
    kinds = [_kind(one) for one in request.messages if one.kind == "request"]
    results = kinds.count("results")
    if kinds[-ROUNDS:] == ["results"] * ROUNDS:
        return f"answer after {results}"
    name = f"n{results}"
    calls = [
        call("memory", {"action": "add", "target": "memory", "content": name}, f"m{results}"),
        call("session_search", {"query": name}, f"s{results}"),
        call("write", {"path": f"{name}.txt", "content": name}, f"w{results}"),
        call(
            "edit",
            {"path": f"{name}.txt", "edits": [{"old_text": name, "new_text": name * 2}]},
            f"e{results}",
        ),
        call("bash", {"command": f"cat {name}.txt"}, f"b{results}"),
        call("ask", {"question": f"Is {name} right?"}, f"a{results}"),
    ]
    return reply(f"step {results}", calls=calls)


def _kind(element: ModelRequest) -> str:
    return "results" if element.parts[0].part_kind == "tool-return" else "input"


def work(folder: Path) -> None:
    """Say what has not been said, and let the model answer."""
    log = folder / "requests.jsonl"

    def step(request: ScriptedRequest) -> Step | str:
        with log.open("a") as lines:
            lines.write(json.dumps([request.system, *dumps(request.messages)]) + "\n")
        return next_step(request)

    with chdir(folder), vibeos.open_home(folder / "home") as home:
        (session,) = home.record.sessions.list()
        conversation = home.chat.resume(session.id, source="test", model=ScriptedModel([step] * 40))
        for number, text in enumerate(INPUTS):
            home.record.inbox.deliver(conversation.session.id, PERSON, text, key=f"input-{number}")
            while conversation.is_anything_waiting() or not _is_answered(home, conversation.session.id):
                conversation.turn()


def _is_answered(home: vibeos.VibeOS, session_id: str) -> bool:
    said = home.record.messages.of_session(session_id)
    return bool(said) and said[-1].type == "assistant" and said[-1].text.startswith("answer")


def test_a_turn_that_died_at_any_write_goes_on_with_the_same_elements(tmp_path: Path) -> None:
    template = tmp_path / "template"
    with vibeos.open_home(template / "home") as home:
        home.chat.begin(source="test", model=ScriptedModel())
    codes = []
    for code in crashes(template, tmp_path / "work", work, stride=STRIDE):
        codes.append(code)
        folder = tmp_path / "work"
        if code == CRASHED:
            work(folder)
        check(folder)
    assert codes.count(CRASHED) > 10
    assert codes[-1] == FINISHED


def check(folder: Path) -> None:
    with vibeos.open_home(folder / "home") as home:
        (session,) = home.record.sessions.list()
        said = home.record.messages.of_session(session.id)
        assert [one.text for one in said if one.type == "user"] == INPUTS
        assert [one.context_seq for one in said] == list(range(1, len(said) + 1))
        answers = [one.text for one in said if one.text.startswith("answer")]
        assert len(answers) == len(set(answers)) == len(INPUTS)
        requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
        for earlier, later in pairwise(requests):
            assert later[: len(earlier)] == earlier
        elements = dumps(compose(home.record.context.rows(session.id)))
        assert elements[: len(requests[-1]) - 1] == requests[-1][1:]


@pytest.mark.parametrize("seed", range(8))
def test_faults_interrupts_and_deaths_in_any_order_lose_nothing(tmp_path: Path, seed: int) -> None:
    kills = run(tmp_path, seed)
    assert kills >= 0  # what must hold is checked in the run
