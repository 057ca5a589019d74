"""The mind as a model sees it: marked, harmless, and cut where it is too long, but never in a mission."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vibeos.memory.checkpoint.limits import MindLimits
from vibeos.memory.checkpoint.mind import EMPTY, Mind, judge_mind
from vibeos.memory.checkpoint.mind_shown import cut, shown_mind
from vibeos.memory.checkpoint.mind_text import PLACEHOLDERS, PLACES, bodies_of, text_of
from vibeos.values.sizes import estimate_tokens

LIMITS = MindLimits(100, 200, 150, 150)
COPY = "/copies/mind-9.md"
NOTE = f"(cut here; the whole mind can be read in {COPY})"


class Said:
    """A person who typed one message, or nobody."""

    first_input = 1

    def __init__(self, newest: int = 5) -> None:
        self.newest = newest

    def typed(self, number: int, /) -> str | None:
        return "ship it by Friday" if number == self.newest else None


def mind_of(said: Said | None = None, /, **bodies: str) -> Mind:
    """An accepted mind with these bodies, by the words of their headings."""
    by_heading = {place.heading.strip("# ").replace(" ", "_").lower(): at for at, place in enumerate(PLACES)}
    parts = list(bodies_of(EMPTY.text)[0])
    for name, body in bodies.items():
        parts[by_heading[name]] = body
    verdict = judge_mind(text_of(parts), EMPTY, MindLimits(*[50_000] * 4), said or Said())
    assert not verdict.problems
    return verdict.mind


def shown(mind: Mind, said: Said | None = None) -> str:
    return shown_mind(mind, LIMITS, said or Said(), COPY)


def test_an_empty_mind_shows_nothing() -> None:
    assert shown(EMPTY) == ""


def test_only_what_is_noted_is_shown() -> None:
    mind = mind_of(mission="- ship (#5)", lessons="- small steps")
    assert shown(mind) == "## Goals\n\n### Mission\n- M1: ship (#5)\n\n## Lessons\n- small steps"
    assert not any(line in shown(mind) for line in PLACEHOLDERS)


def test_every_place_is_shown_in_its_order() -> None:
    mind = mind_of(
        mind="above", i_am_here="for Q", agreements="- Never push", goals="between", mission="- ship (#5)", workstreams="- w",
        key_decisions="- d", lessons="- l",
    )  # fmt: skip
    assert shown(mind) == (
        "## I am here\nabove\n\nfor Q\n\n### Agreements\n- Never push\n\n## Goals\n\n### Mission\n- M1: ship (#5)\n\n"
        "### Workstreams\nbetween\n\n- w\n\n## Key decisions\n- d\n\n## Lessons\n- l"
    )


def test_our_tags_are_harmless_wherever_they_stand() -> None:
    mind = mind_of(
        i_am_here="</mind><now>",
        agreements="- <memo>",
        mission="- <now> (#5)",
        workstreams="- </checkpoint>",
        lessons="< now>",
    )
    assert "<" not in shown(mind)
    assert "<now> (#5)" in mind.text


def test_a_mission_without_a_message_of_the_person_is_marked() -> None:
    mind = mind_of(mission="- ship (#5)\n- tidy up (#4) | active\n- test | active (#5)")
    lines = shown(mind).split("\n")
    assert "- M1: ship (#5)" in lines
    assert "- M2: tidy up (#4) | active (no message of the person is cited)" in lines
    assert "- M3: test | active (#5)" in lines
    assert "is cited" not in mind.text


def test_where_no_person_spoke_no_mission_is_marked_also_later() -> None:
    mind = mind_of(Said(0), mission="- tidy up")
    assert "is cited" not in shown(mind, Said(0))
    assert "is cited" not in shown(mind, Said(7))


@pytest.mark.parametrize(
    "status",
    ["done", "DONE", "**finished**", "✅ completed", "status: withdrawn", "replaced by M2", "cancelled", "готово", "Завершено",
     "отменена", "завершён", "完成", "已完成", "已撤回", "被取代", "取消"],
)  # fmt: skip
def test_a_finished_mission_is_shown_as_one_short_line(status: str) -> None:
    mind = mind_of(mission=f"- {'ship it all ' * 20}(#5) | {status}: {'details ' * 40}")
    line = next(line for line in shown(mind).split("\n") if line.startswith("- M1"))
    assert mind.missions[0].wording in line
    assert status in line
    assert len(line.split(" | ")[1]) <= 80


@pytest.mark.parametrize(
    "status", ["active", "not done", "done 3 of 14", "не завершено", "未完成", "doneish", "完成 3/14"]
)
def test_a_mission_under_way_keeps_its_whole_status(status: str) -> None:
    mind = mind_of(mission=f"- ship (#5) | {status}: {'details ' * 20}end")
    assert f"| {status}: {'details ' * 20}end" in shown(mind)


def test_a_section_over_its_limit_is_cut_at_a_line_and_names_the_copy() -> None:
    lessons = [f"- lesson number {number} is a principle" for number in range(60)]
    text = shown(mind_of(lessons="\n".join(lessons)))
    *kept, note = text.split("\n")[1:]
    assert note == NOTE
    assert kept == lessons[: len(kept)]
    assert 100 < estimate_tokens(text) <= LIMITS.lessons


def test_of_goals_the_workstreams_are_cut_and_never_a_mission() -> None:
    missions = [f"- M{number}: mission number {number} (#5)" for number in range(1, 41)]
    text = shown(mind_of(mission="\n".join(missions), workstreams="- w\n" * 200))
    assert all(line in text.split("\n") for line in missions)
    assert "- w\n" not in text
    assert text.endswith(f"### Workstreams\n{NOTE}")


def test_agreements_stay_longer_than_the_prose_of_their_section() -> None:
    agreements = "- Never push to main\n- Never delete tags\n- Report in English"
    text = shown(mind_of(i_am_here="I do this for the person who asked.\n" * 40, agreements=agreements))
    assert text.endswith(agreements)
    assert NOTE in text
    assert estimate_tokens(text) <= LIMITS.here


def test_agreements_that_are_too_long_alone_are_cut() -> None:
    text = shown(mind_of(agreements="- Never push to main\n" * 60))
    assert text.startswith("## I am here\n\n### Agreements\n- Never push to main\n")
    assert text.endswith(NOTE)
    assert estimate_tokens(text) <= LIMITS.here


def test_of_a_single_line_that_is_too_long_a_part_is_shown() -> None:
    text = shown(mind_of(lessons="- " + "原则" * 500))
    assert "- 原则原则" in text
    assert text.endswith(f"…\n{NOTE}")
    assert estimate_tokens(text) <= LIMITS.lessons


def test_a_section_within_its_limit_is_whole_whatever_marks_add() -> None:
    agreements = "\n".join(f"- may do {number}" for number in range(17))
    mind = mind_of(agreements=agreements)
    assert shown(mind).count("(unconfirmed") == 17
    assert NOTE not in shown(mind)


@given(st.text(max_size=300), st.integers(20, 60))
def test_a_cut_text_is_as_short_as_asked(text: str, tokens: int) -> None:
    text = text.encode("utf-8", "ignore").decode()
    result = cut(text, tokens, NOTE)
    assert result == text or result.endswith(NOTE)
    assert (result == text) == (estimate_tokens(text) <= tokens)
    assert estimate_tokens(result) <= tokens
