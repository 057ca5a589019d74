"""The texts that a model reads at a checkpoint are product: each change of them is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint.taking_notes import route_of
from vibeos.memory.checkpoint.assembly import FRAMING_VERSION
from vibeos.memory.checkpoint.checklist import checklist
from vibeos.memory.checkpoint.limits import limits_of
from vibeos.memory.checkpoint.memo import Candidate, Pick
from vibeos.memory.checkpoint.mind import TEMPLATE
from vibeos.memory.checkpoint.problems import Part, Problem
from vibeos.memory.checkpoint.request import (
    MOST_SHOWN,
    REQUEST_VERSION,
    Files,
    checkpoint_request,
    refusal,
    repair_request,
)
from vibeos.values.sizes import estimate_tokens

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

LIST = checklist((Candidate(1, "oldest first", Pick(1)), Candidate(4, "go on")), message_limit=300)
FILES = Files("/h/scratch/s/mind.md", "/h/scratch/s/memo.md", TEMPLATE, LIST)
LIMITS = limits_of(route_of())


def test_the_request(snapshot: SnapshotAssertion) -> None:
    assert REQUEST_VERSION == 1
    assert checkpoint_request(FILES, LIMITS, rounds=5, is_partial=False) == snapshot


def test_the_request_for_an_older_part(snapshot: SnapshotAssertion) -> None:
    text = checkpoint_request(FILES, LIMITS, rounds=5, is_partial=True)
    assert text.partition("\n\n")[0] == snapshot


def test_the_repair(snapshot: SnapshotAssertion) -> None:
    problems = [Problem(Part.MIND, "M1 is weaker."), Problem(Part.NOW, "It is too short.")]
    assert repair_request(problems, rounds=2, has_now=False) == snapshot
    assert repair_request(problems[:1], rounds=1, has_now=True) == snapshot


def test_the_refusal(snapshot: SnapshotAssertion) -> None:
    assert refusal(FILES) == snapshot


def test_the_request_is_short_beside_what_it_asks_for() -> None:
    assert estimate_tokens(checkpoint_request(FILES, LIMITS, rounds=5, is_partial=False)) < 1_600
    assert FRAMING_VERSION == 1


def test_of_a_file_too_long_to_show_only_its_size_stands_there() -> None:
    files = Files(FILES.mind_path, FILES.memo_path, "x" * (MOST_SHOWN + 1), LIST)
    text = checkpoint_request(files, LIMITS, rounds=5, is_partial=False)
    assert "(it has 40,001 characters: read it)" in text
