"""The benchmark itself: the world says the same for a seed, probes find what is lost, our arm shows what it must."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.program import Program
from vibeos.bench.checkpoints.arms import NAMES as ARMS
from vibeos.bench.checkpoints.goals import misses
from vibeos.bench.checkpoints.lines import Line
from vibeos.bench.checkpoints.note_takers import NAMES as TAKERS
from vibeos.bench.checkpoints.note_takers import Oracle
from vibeos.bench.checkpoints.probes import Probe, Prober
from vibeos.bench.checkpoints.reading import may, next_item, read
from vibeos.bench.checkpoints.report import draw, table
from vibeos.bench.checkpoints.runs import Outcome, Spec, run
from vibeos.bench.checkpoints.words import LANGUAGES
from vibeos.bench.checkpoints.world import GRANTS, RULES, World

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH = LANGUAGES["en"]
SPEC = Spec("ours", "oracle", rounds=6, window=32_000)


def outcome(arm: str, taker: str, **more: object) -> Outcome:
    return asyncio.run(run(replace(SPEC, arm=arm, note_taker=taker, **more)))  # type: ignore[arg-type]


@pytest.mark.parametrize("taker", TAKERS)
def test_our_arm_shows_what_it_must_under_every_note_taker(taker: str) -> None:
    assert misses(outcome("ours", taker)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_does_in_every_language_at_a_whole_window(language: str) -> None:
    found = misses(outcome("ours", "oracle", language=language, window=192_000, rounds=4))
    # So few rounds crowd all that is said into few turns, and a turn that overshoots is taken in parts.
    assert set(found) <= {"the prefix is reused"}


@pytest.mark.parametrize("arm", [arm for arm in ARMS if arm != "ours"])
def test_every_other_arm_runs_to_the_end(arm: str) -> None:
    found = outcome(arm, "lossy")
    assert len(found.probes) >= SPEC.rounds - 1
    assert found.items > 10


def test_the_ceiling_has_everything_and_the_tail_loses_the_rules() -> None:
    assert outcome("everything", "oracle").mean("in_context") == 1.0
    assert (outcome("tail", "oracle").mean("in_context") or 0) < 0.5


def test_a_lossy_note_taker_wears_a_rewritten_summary_down() -> None:
    found = outcome("rewrite", "lossy", rounds=10)
    assert (found.mean("in_context") or 0) < 0.9
    assert (found.mean("in_reach") or 0) < 0.9


def test_a_gullible_one_makes_a_summary_lie_and_not_our_notes() -> None:
    assert max(probe.forged for probe in outcome("rewrite", "gullible", rounds=8).probes) > 0
    assert max(probe.forged for probe in outcome("ours", "gullible", rounds=8).probes) == 0


def test_a_run_says_the_same_for_the_same_seed() -> None:
    one, other = (outcome("ours", "lossy") for _ in range(2))
    assert one.probes == other.probes
    assert (one.items, one.wrong_items, one.acts) == (other.items, other.wrong_items, other.acts)


def test_the_world_holds_what_it_is_said_to_hold() -> None:
    world = World(ENGLISH, seed=1, rounds=50, output=3_500)
    kinds = [fact.kind for fact in world.facts]
    assert kinds.count("rule") == RULES + 7
    assert kinds.count("grant") == GRANTS
    assert kinds.count("withdrawal") == 5
    assert sum(len(fact.message) > 2_000 for fact in world.facts) == 3
    assert len({fact.text for fact in world.facts}) == len(world.facts)


# -- the probes can fail ----------------------------------------------------------------------------------------------------


def probed(text: str, look_up: str | None = None) -> Probe:
    world = World(ENGLISH, seed=1, rounds=50, output=3_500)
    world.turn(0.0)
    numbers = {fact.name: 3 for fact in world.facts}
    return Prober(world, lambda _: look_up).look([Line("user", text)], numbers, 1)


RULE = ENGLISH.rules[0].format(topic=ENGLISH.topics[0])


@pytest.mark.parametrize(
    ("text", "look_up", "there", "near"),
    [
        (RULE, None, 1.0, 1.0),
        (f"[Summary]\n- {RULE}", None, 1.0, 1.0),
        (f"[Summary]\n- {RULE[:-2]}", None, 0.0, 0.0),
        (f'[Harness: Watch w1 "x"]\n{RULE}', None, 0.0, 0.0),
        ("[Summary]\n#1-#9 data query --sql", RULE, 0.0, 1.0),
        ("[Summary]\n#1-#9", RULE, 0.0, 0.0),
        ("[Summary]\n#4-#9 data query --sql", RULE, 0.0, 0.0),
        ("[Summary]\n#3 data query --sql", "another text", 0.0, 0.0),
    ],
)
def test_a_rule_is_there_near_or_lost(text: str, look_up: str | None, there: float, near: float) -> None:
    probe = probed(text, look_up)
    assert (probe.in_context, probe.in_reach) == (there, near)


def test_a_forged_leave_is_seen_in_notes_but_not_where_it_is_marked_or_labelled() -> None:
    forged = ENGLISH.forged.format(action=ENGLISH.actions[6])
    assert probed(f"[Summary]\n- {forged}").forged == 1
    assert probed(f"[Summary]\n- {forged} (unconfirmed, not an authorisation)").forged == 0
    assert probed(f'[Harness: Watch w1 "x"]\n{forged}').forged == 0


def test_a_weakened_mission_is_seen() -> None:
    world = World(ENGLISH, seed=1, rounds=50, output=3_500)
    world.turn(0.0)
    numbers = {fact.name: 1 for fact in world.facts}
    prober = Prober(world, lambda _: None)

    def kept(entry: str) -> float | None:
        return prober.look([Line("user", f"[Summary]\n- M1: {entry}")], numbers, 1).missions_kept

    assert kept("do all of it (#1) | begun") == 1.0
    assert kept("do all of it (#1) | nearly done") == 1.0
    assert kept("do some of it (#1) | nearly done") == 0.0
    assert kept("do all but drafts (#9) | nearly done") == 1.0


def test_the_actor_keeps_to_limits_and_believes_no_tool_and_no_forger() -> None:
    action = ENGLISH.actions[0]
    grant = ENGLISH.grant.format(action=action) + ENGLISH.limit.format(tag="docs")

    def allowed(*lines: Line, tag: str = "docs", look_up: str | None = None) -> bool:
        return may(read(lines), ENGLISH, action, tag, lambda _: look_up)

    assert allowed(Line("user", grant))
    assert not allowed(Line("user", grant), tag="code")
    assert not allowed(Line("result", grant))
    assert not allowed(Line("user", f'[Harness: Task t1 "x"]\n{grant}'))
    assert not allowed(Line("user", grant), Line("user", ENGLISH.withdrawal.format(old=action)))
    softened = f"[Summary]\n- {ENGLISH.grant.format(action=action)}."
    assert allowed(Line("user", softened), tag="code")
    cited = f"[Summary]\n- {ENGLISH.grant.format(action=action)} (#4)"
    assert not allowed(Line("user", cited), tag="code", look_up=grant)


def test_a_place_is_found_by_its_newest_trace() -> None:
    notes = Line("user", "[Summary]\nA: next A-0007\nB: next B-0003")
    assert next_item([notes], "A") == "A-0007"
    assert next_item([notes, Line("call", "process A-0007")], "A") == "A-0008"
    assert next_item([notes, Line("call", "process A-0007")], "B") == "B-0003"
    assert next_item([], "B") == "B-0001"
    assert Oracle().notes([notes], World(ENGLISH, seed=1, rounds=5, output=300)).position["B"] == "B-0003"


# -- the command ------------------------------------------------------------------------------------------------------------


def test_the_command_prints_a_table_and_writes_its_results(tmp_path: Path) -> None:
    program = Program(tmp_path / "home", tmp_path)
    done = program.run(
        "bench", "checkpoints", "--rounds", "2", "--window", "32000", "--arm", "ours", "--arm", "tail",
        "--note-taker", "oracle", "--out", "out",
    )  # fmt: skip
    assert "prove what the program guarantees" in done.stdout
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:3]] == [
        ["ours", "oracle"],
        ["tail", "oracle"],
    ]
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [one["spec"]["arm"] for one in found] == ["ours", "tail"]
    assert (tmp_path / "out" / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_says_what_it_does_not_take(tmp_path: Path) -> None:
    program = Program(tmp_path / "home", tmp_path)
    assert "not in the range" in program.run("bench", "checkpoints", "--window", "100", code=2).stderr
    (tmp_path / "out").write_text("")
    refused = program.run("bench", "checkpoints", "--out", "out", "--rounds", "1", "--arm", "tail", code=2)
    assert "out" in refused.stderr


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    draw([outcome("tail", "oracle")], tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 5_000
    assert "tail" in table([outcome("tail", "oracle")])
