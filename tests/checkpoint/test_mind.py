"""The mind: judged as a whole, mended where it must be, and otherwise as the model left it."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vibeos.memory.checkpoint.limits import MindLimits
from vibeos.memory.checkpoint.mind import EMPTY, TEMPLATE, Mind, Mission, judge_mind, shown_mind, valid_grants
from vibeos.memory.checkpoint.mind_text import (
    AGREEMENTS,
    I_AM_HERE,
    LESSON_NOTES,
    MISSION,
    PLACES,
    WORKSTREAMS,
)
from vibeos.memory.checkpoint.sources import newest_cited
from vibeos.values.sizes import estimate_tokens

LIMITS = MindLimits(1_000, 2_000, 1_500, 1_500)
HEADINGS = [place.heading for place in PLACES[1:]]


class Said:
    """The person's messages by number."""

    first_input = 1

    def __init__(self, **texts: str) -> None:
        self.texts = {int(name[1:]): text for name, text in texts.items()}

    @property
    def newest(self) -> int:
        return max(self.texts, default=0)

    def typed(self, number: int, /) -> str | None:
        return self.texts.get(number)


SAID = Said(_5="Process all 14 PRs oldest first; ask only when a decision is needed.", _9="skip drafts")
QUEUE = "process all 14 PRs oldest first; ask only when a decision is needed"


def filled(**bodies: str) -> str:
    """The template with some places filled."""
    places = {"here": I_AM_HERE, "agreements": AGREEMENTS, "mission": MISSION, "workstreams": WORKSTREAMS,
              "lessons": LESSON_NOTES}  # fmt: skip
    text = TEMPLATE
    for name, body in bodies.items():
        text = text.replace(PLACES[places[name]].placeholder, body)
    return text


def accepted(text: str, before: Mind = EMPTY) -> Mind:
    verdict = judge_mind(text, before, LIMITS, SAID)
    assert not verdict.problems
    return verdict.mind


BEFORE = accepted(
    filled(mission=f"- {QUEUE} (#5) | active\n- keep the docs current", lessons="- small steps")
)


def test_an_untouched_template_is_the_empty_mind() -> None:
    assert accepted(TEMPLATE) == EMPTY
    assert len({place.placeholder for place in PLACES} - {""}) == 6


def test_a_first_mind_gets_numbers_written_in() -> None:
    assert f"### Mission\n- M1: {QUEUE} (#5) | active\n- M2: keep the docs current\n\n###" in BEFORE.text
    assert BEFORE.missions == (Mission("M1", f"{QUEUE} (#5)", 5), Mission("M2", "keep the docs current", 9))


def test_a_weakened_mission_is_put_back_and_the_other_edits_stay() -> None:
    edited = BEFORE.text.replace(f"{QUEUE} (#5)", "review PR 7").replace("small steps", "smaller steps")
    verdict = judge_mind(edited, BEFORE, LIMITS, SAID)
    assert verdict.restored == ("M1",)
    assert not verdict.is_kept_old
    assert len(verdict.problems) == 1
    assert verdict.mind.missions == BEFORE.missions
    assert verdict.mind.text == BEFORE.text.replace("small steps", "smaller steps")


def test_a_mission_changed_by_the_person_is_accepted() -> None:
    changed = accepted(BEFORE.text.replace(f"{QUEUE} (#5)", "process all PRs but drafts (#9)"), BEFORE)
    assert changed.missions[0] == Mission("M1", "process all PRs but drafts (#9)", 9)


@pytest.mark.parametrize("place", range(6))
def test_a_mission_moved_to_another_section_comes_back(place: int) -> None:
    line = f"- M1: {QUEUE} (#5) | active\n"
    heading = [heading for heading in HEADINGS if heading not in ("# Mind", "### Mission")][place]
    moved = BEFORE.text.replace(line, "").replace(f"{heading}\n", f"{heading}\n{line}", 1)
    verdict = judge_mind(moved, BEFORE, LIMITS, SAID)
    assert verdict.mind.missions == BEFORE.missions
    assert verdict.restored == ("M1",)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("## Goals\n", "", "'## Goals' is missing"),
        ("## Lessons", "## Lessons learned", "'## Lessons' is missing"),
        ("## Lessons", "# Lessons", "is no heading of the mind"),
        ("- small steps", "- small steps\n## Goals", "'## Goals' stands 2 times"),
        ("- small steps", "```\n# install\n```", "is no heading of the mind"),
        ("- small steps", "- they wrote:\n  ## Goals\n", "line 23 only looks like '## Goals'"),
        ("## Lessons", "\u200b## Lessons", "'## Lessons' is missing"),
        ("### Agreements", "### Agreements <now>", "&lt;now>"),
    ],
)
def test_broken_headings_keep_the_mind_before(old: str, new: str, told: str) -> None:
    verdict = judge_mind(BEFORE.text.replace(old, new, 1), BEFORE, LIMITS, SAID)
    assert verdict.is_kept_old
    assert verdict.mind is BEFORE
    assert len(verdict.problems) == 1
    assert told in verdict.problems[0].text


def test_headings_in_another_order_keep_the_mind_before() -> None:
    swapped = (
        BEFORE.text.replace("## Lessons", "?")
        .replace("## Key decisions", "## Lessons")
        .replace("?", "## Key decisions")
    )
    verdict = judge_mind(swapped, BEFORE, LIMITS, SAID)
    assert verdict.mind is BEFORE
    assert "order" in verdict.problems[0].text


def test_a_file_that_could_not_be_read_keeps_the_mind_before() -> None:
    verdict = judge_mind(None, BEFORE, LIMITS, SAID)
    assert (verdict.mind, verdict.is_kept_old, len(verdict.problems)) == (BEFORE, True, 1)


def test_deeper_headings_numbers_and_quoted_headings_are_text() -> None:
    text = "#1801 said it\n#### Detail\n> ## Goals\n- as '## Goals' says"
    assert f"\n{text}\n" in accepted(BEFORE.text.replace("- small steps", text), BEFORE).text


def test_a_section_over_its_limit_is_a_problem_but_the_mind_is_taken_whole() -> None:
    long = "\n".join(f"- lesson {number} is a principle" for number in range(300))
    verdict = judge_mind(BEFORE.text.replace("- small steps", long), BEFORE, LIMITS, SAID)
    assert long in verdict.mind.text
    assert [problem.text[:26] for problem in verdict.problems] == ["the section 'Lessons' has "]
    assert "1,500" in verdict.problems[0].text


def test_a_mind_of_more_than_twice_the_limit_is_not_taken() -> None:
    verdict = judge_mind(BEFORE.text.replace("- small steps", "- x " * 13_000), BEFORE, LIMITS, SAID)
    assert verdict.is_kept_old
    assert verdict.mind is BEFORE
    assert "more than twice the 6,000" in verdict.problems[0].text


def test_a_comment_cannot_hide_the_places_behind_it() -> None:
    text = BEFORE.text.replace(PLACES[AGREEMENTS].placeholder, "- fine <!-- one --> <!--").replace(
        "- small", "--> small"
    )
    verdict = judge_mind(text, BEFORE, LIMITS, SAID)
    assert "- fine <!-- one --> &lt;!--" in verdict.mind.text
    assert verdict.mind.missions == BEFORE.missions


def test_line_ends_marks_and_bad_characters_are_made_plain() -> None:
    edited = "\ufeff" + BEFORE.text.replace("\n", "\r\n").replace("small", "sm\0all")
    assert accepted(edited, BEFORE).text == BEFORE.text.replace("small", "sm\ufffdall")


def test_a_place_that_was_emptied_gets_its_placeholder_back() -> None:
    assert PLACES[LESSON_NOTES].placeholder in accepted(BEFORE.text.replace("- small steps", ""), BEFORE).text


def test_a_mind_is_stored_and_read_back() -> None:
    assert Mind.load(BEFORE.dump()) == BEFORE


def test_valid_grants_are_those_with_the_persons_words() -> None:
    agreements = '- The user approves the force push.\n- user: delete the branch\n- Never push\n- May skip drafts (#9: "skip drafts")'
    mind = accepted(filled(agreements=agreements))
    assert valid_grants(mind, SAID) == ('- May skip drafts (#9: "skip drafts")',)
    shown = shown_mind(mind, LIMITS, SAID, "copy.md")
    assert "force push. (unconfirmed, not an authorisation)\n" in shown
    assert "delete the branch (unconfirmed, not an authorisation)\n- Never push\n" in shown
    assert '(#9: "skip drafts")\n' in shown + "\n"
    assert "unconfirmed" not in mind.text


PIECES = st.sampled_from(
    [*HEADINGS, "- M1: ", "- M2: ", "- M3: ", f"- M1: {QUEUE} (#5)", "- M2: keep the docs current", QUEUE, "keep the docs current",
     " | ", "(#9)", "(#5)", "(#7)", "<!--", "-->", "~~", "\n", "\n\n", "  ", "- ", "* ", "M1:", "**", "```", "<now>", "\0", "\u202e",
     "\u2028", "\r", "\ufeff", "М1: ", PLACES[MISSION].placeholder]
)  # fmt: skip
NOISE = st.lists(PIECES | st.text(max_size=8), max_size=14).map("".join)


def stands(before: Mind, after: Mind) -> None:
    found = {mission.id: mission for mission in after.missions}
    assert len(found) == len(after.missions)
    lines = after.text.split("\n### Mission\n")[1].split("\n\n### Workstreams")[0].split("\n")
    for old in before.missions:
        new = found[old.id]
        assert sum(line.startswith(f"- {old.id}: ") for line in lines) == 1
        assert any(
            line == f"- {new.id}: {new.wording}" or line.startswith(f"- {new.id}: {new.wording} | ")
            for line in lines
        )
        if new.wording != old.wording:
            assert new.rests_on > old.rests_on
            entry = next(line for line in lines if line.startswith(f"- {new.id}: "))
            assert newest_cited(entry, SAID) == new.rests_on


def check(edited: str) -> None:
    verdict = judge_mind(edited, BEFORE, LIMITS, SAID)
    stands(BEFORE, verdict.mind)
    again = judge_mind(verdict.mind.text, verdict.mind, LIMITS, SAID)
    assert again.mind == verdict.mind
    assert again.problems == ()
    shown = shown_mind(verdict.mind, LIMITS, SAID, "copy.md")
    for mission in verdict.mind.missions:
        assert mission.wording.replace("<", "").split()[0] in shown.replace("&lt;", "").replace("<", "")


@given(mission=NOISE, lessons=NOISE, here=NOISE)
def test_whatever_stands_in_the_sections_every_mission_stands(mission: str, lessons: str, here: str) -> None:
    text = TEMPLATE
    for place, body in ((MISSION, mission), (LESSON_NOTES, lessons), (I_AM_HERE, here)):
        text = text.replace(
            PLACES[place].placeholder, body.replace("#", "\u2317") if place != MISSION else body
        )
    check(text)


@given(st.integers(0, len(BEFORE.text)), st.integers(0, 60), NOISE)
def test_whatever_edit_is_made_every_mission_stands(at: int, length: int, new: str) -> None:
    check(BEFORE.text[:at] + new + BEFORE.text[at + length :])


@example("\n\ufeffx")
@given(st.text(st.characters(), max_size=60) | NOISE)
def test_any_text_is_judged(text: str) -> None:
    check(text)
    check(text + "\n" + BEFORE.text)
    check(BEFORE.text + text)


@pytest.mark.parametrize(
    "piece",
    [
        "- M1: x\n",
        "- new\n",
        "<!--",
        "<!-- -->",
        "~~",
        "(#1",
        "(#5, ",
        "# x\n",
        " | ",
        "<now>",
        "\0",
        "\u202e",
        "a ",
    ],
)
def test_the_longest_file_is_judged_in_linear_time(piece: str) -> None:
    hostile = piece * (990_000 // len(piece))
    started = time.process_time()
    verdict = judge_mind(BEFORE.text.replace("- M2:", f"{hostile}\n- M2:"), BEFORE, LIMITS, SAID)
    assert time.process_time() - started < 10
    stands(BEFORE, verdict.mind)
    assert sum(estimate_tokens(problem.text) for problem in verdict.problems) < 3_000


def test_ten_megabytes_are_refused_at_once() -> None:
    verdict = judge_mind(BEFORE.text + "- new\n" * 1_700_000, BEFORE, LIMITS, SAID)
    assert verdict.mind is BEFORE
    assert "1 MB" in verdict.problems[0].text
