"""Real processes: many writers at once, and a writer killed at every call that changes the disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from vibeos.memory.curated.operations import Action, Applied, Operation, Target
from vibeos.memory.curated.service import CuratedMemory
from vibeos.ports.guard.approval import Origin

if TYPE_CHECKING:
    from vibeos.values.home import Scope

WRITER = """
import sys
from pathlib import Path
from pathlib import Path
from vibeos.memory.curated.operations import Action, Applied, Operation, Target
from vibeos.memory.curated.service import CuratedMemory
from vibeos.ports.guard.approval import Origin
from vibeos.values.home import Scope

memory = CuratedMemory(Scope(Path(sys.argv[1])))
for number in range(5):
    content = f"writer {sys.argv[2]} entry {number}"
    if isinstance(memory.apply(Target.MEMORY, [Operation(Action.ADD, content)], Origin.AGENT), Applied):
        print(content, flush=True)
"""

# Ends the process, as a kill would, just before the n-th call that changes the disk.
KILLED = """
import os, sys
left = int(sys.argv[2])

def dying(name):
    real = getattr(os, name)
    def call(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os._exit(9)
        return real(*args, **kwargs)
    setattr(os, name, call)

for name in ("write", "fsync", "replace"):
    dying(name)

from pathlib import Path
from vibeos.memory.curated.operations import Action, Operation, Target
from vibeos.memory.curated.service import CuratedMemory
from vibeos.ports.guard.approval import Origin
from vibeos.values.home import Scope

memory = CuratedMemory(Scope(Path(sys.argv[1])))
memory.apply(Target.MEMORY, [Operation(Action.REPLACE, "new text", "old text"), Operation(Action.ADD, "more")], Origin.AGENT)
"""


def test_entries_of_eight_writers_at_once_are_all_in_the_file(scope: Scope) -> None:
    command = [sys.executable, "-c", WRITER, str(scope.home)]
    writers = [subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, text=True) for n in range(8)]
    answered = [line for writer in writers for line in writer.communicate(timeout=60)[0].splitlines()]
    assert len(answered) == 40
    assert sorted(CuratedMemory(scope).read(Target.MEMORY).entries) == sorted(answered)


def test_a_replace_by_one_program_keeps_what_another_added_meanwhile(scope: Scope) -> None:
    first, second = CuratedMemory(scope), CuratedMemory(scope)
    first.apply(Target.MEMORY, [Operation(Action.ADD, "start")], Origin.AGENT)
    assert second.read(Target.MEMORY).entries == ("start",)
    for number in range(3):
        first.apply(Target.MEMORY, [Operation(Action.ADD, f"added {number}")], Origin.AGENT)
    result = second.apply(Target.MEMORY, [Operation(Action.REPLACE, "changed", "start")], Origin.AGENT)
    assert isinstance(result, Applied)
    assert result.entries == ("changed", "added 0", "added 1", "added 2")


# The write, its two flushes and its replacement, then the counters' write and replacement; then the end.
STEPS = 6


@pytest.mark.parametrize("step", range(1, STEPS + 2))
def test_a_writer_killed_at_any_step_leaves_the_old_file_or_the_new_one(scope: Scope, step: int) -> None:
    old, new = "old text\n§\nother", "new text\n§\nother\n§\nmore"
    for entry in ("old text", "other"):
        CuratedMemory(scope).apply(Target.MEMORY, [Operation(Action.ADD, entry)], Origin.AGENT)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(scope.home), str(step)], check=False)
    assert ended.returncode == (9 if step <= STEPS else 0)
    assert Path(scope.core_file).read_text() == (old if step <= 3 else new)
    survivor = CuratedMemory(scope).apply(Target.MEMORY, [Operation(Action.ADD, "after")], Origin.AGENT)
    assert isinstance(survivor, Applied)
    assert not list(Path(scope.memories).glob(".MEMORY.md.tmp"))
