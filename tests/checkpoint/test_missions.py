"""Missions keep their number and their wording, whatever a model makes of the file."""

from __future__ import annotations

import pytest

from vibeos.memory.checkpoint.missions import JudgedMissions, Mission, entries_in, judge_missions


class Said:
    """The person's messages by number."""

    def __init__(self, *numbers: int, first_input: int = 1) -> None:
        self.numbers = numbers
        self.first_input = first_input

    @property
    def newest(self) -> int:
        return max(self.numbers, default=0)

    def typed(self, number: int, /) -> str | None:
        return f"message {number}" if number in self.numbers else None


SAID = Said(2, 5, 9)
QUEUE = Mission("M1", "process all 14 PRs oldest first; ask only when a decision is needed", 5)
DOCS = Mission("M2", "keep the docs current (#5)", 5)
BEFORE = (QUEUE, DOCS)
BODY = f"- M1: {QUEUE.wording} | active\n- M2: {DOCS.wording} | waiting"


def judge(body: str, before: tuple[Mission, ...] = BEFORE, said: Said = SAID) -> JudgedMissions:
    return judge_missions(body, before, BODY, said)


def test_entries_as_they_were_have_no_problem() -> None:
    assert judge(BODY) == JudgedMissions(BEFORE, BODY, (), ())


def test_the_status_is_free_and_white_space_does_not_count() -> None:
    body = f"* **M1:**  {QUEUE.wording.replace(' ', '  ')}\n  | done: 3 | 4 left\n\n- M2：{DOCS.wording}"
    judged = judge(body)
    assert judged.problems == ()
    assert judged.missions == BEFORE
    assert judged.body == f"- M1: {QUEUE.wording} | done: 3 | 4 left\n- M2: {DOCS.wording}"


@pytest.mark.parametrize(
    "wording",
    [
        "review PR 7",
        f"{QUEUE.wording}, except drafts",
        QUEUE.wording.replace("14", "4"),
        f"~~{QUEUE.wording}~~",
        f"{QUEUE.wording} (#4)",  # no message of the person
        "process the rest (#5)",  # not newer than what it rests on
        "process the rest; see PR #9",  # a number that is no citation
        "",
    ],
)
def test_a_weakened_wording_is_named_and_put_back_with_its_new_status(wording: str) -> None:
    judged = judge(f"- M1: {wording} | at PR 7\n- M2: {DOCS.wording}\n- write release notes (#9)")
    assert len(judged.problems) == 1
    assert "M1" in judged.problems[0]
    assert QUEUE.wording in judged.problems[0]
    assert wording in judged.problems[0]
    assert "above 5" in judged.problems[0]
    assert judged.missions == (*BEFORE, Mission("M3", "write release notes (#9)", 9))
    assert judged.body.startswith(f"- M1: {QUEUE.wording} | at PR 7\n")
    assert judged.mended == ("M1",)


@pytest.mark.parametrize(
    ("entry", "wording"),
    [
        ("process all PRs but drafts (#9) | active", "process all PRs but drafts (#9)"),
        ("process all PRs but drafts | active (#2, #9)", "process all PRs but drafts"),
        (
            'process all PRs but drafts（#9："skip drafts"）',
            'process all PRs but drafts（#9："skip drafts"）',
        ),
    ],
)
def test_a_newer_message_of_the_person_changes_a_wording(entry: str, wording: str) -> None:
    judged = judge(f"- M1: {entry}\n- M2: {DOCS.wording}")
    assert judged.problems == ()
    assert judged.missions == (Mission("M1", wording, 9), DOCS)


def test_a_changed_wording_rests_on_the_message_that_changed_it() -> None:
    changed = (Mission("M1", "process all PRs but drafts (#9)", 9), DOCS)
    again = judge(f"- M1: process nothing (#9)\n- M2: {DOCS.wording}", changed)
    assert again.missions == changed
    assert again.mended == ("M1",)


@pytest.mark.parametrize(
    "first",
    ["", f"- ~~M1: {QUEUE.wording} | x~~", f"<!-- - M1: {QUEUE.wording} -->", f"<!--\n- M1: {QUEUE.wording}",
     f"- <del>M1: {QUEUE.wording}</del>", f"> - M1: {QUEUE.wording}"],
)  # fmt: skip
def test_a_mission_that_is_gone_struck_or_commented_out_comes_back_at_its_place(first: str) -> None:
    judged = judge(f"- M2: {DOCS.wording} | new\n{first}")
    assert any(
        problem.startswith("M1 is missing") and QUEUE.wording in problem for problem in judged.problems
    )
    assert judged.missions[:2] == BEFORE
    assert judged.body.startswith(f"- M1: {QUEUE.wording} | active\n- M2: {DOCS.wording}")


def test_a_mission_in_the_middle_comes_back_behind_the_one_before_it() -> None:
    three = (*BEFORE, Mission("M3", "third", 5))
    judged = judge(f"- M3: third\n- M1: {QUEUE.wording}\n- fourth", three)
    assert [mission.id for mission in judged.missions] == ["M3", "M1", "M2", "M4"]


def test_a_mission_that_stands_twice_stands_once() -> None:
    judged = judge(f"{BODY}\n- M1: {QUEUE.wording} | again\n- M1: review PR 7\n- {DOCS.wording}")
    assert judged.missions == BEFORE
    assert judged.body == BODY
    assert [problem[:27] for problem in judged.problems] == [
        "M1 stands more than once un", "M1 stands more than once un", "M2 stands more than once un",
    ]  # fmt: skip


def test_missions_that_swapped_numbers_get_them_back() -> None:
    judged = judge(f"- M2: {QUEUE.wording} | a\n- M1: {DOCS.wording} | b")
    assert judged.missions == BEFORE
    assert judged.body == f"- M1: {QUEUE.wording} | a\n- M2: {DOCS.wording} | b"
    assert judged.mended == ("M1", "M2")


def test_a_mission_whose_number_was_taken_by_the_next_is_not_lost() -> None:
    judged = judge(f"- M1: {DOCS.wording} | b")
    assert judged.missions == BEFORE
    assert set(judged.mended) == {"M1", "M2"}


def test_an_entry_without_a_number_that_repeats_a_wording_is_that_mission() -> None:
    judged = judge(f"- {QUEUE.wording} | here\n- M2: {DOCS.wording}")
    assert judged.problems == ()
    assert judged.body.startswith(f"- M1: {QUEUE.wording} | here")


def test_new_missions_get_numbers_that_were_never_used() -> None:
    judged = judge("- one (#2)\n- M9: two\n\nthree in plain\nwords", (Mission("M7", "seven", 5),))
    assert [(mission.id, mission.wording, mission.rests_on) for mission in judged.missions] == [
        ("M7", "seven", 5), ("M8", "one (#2)", 2), ("M9", "two", 9), ("M10", "three in plain words", 9),
    ]  # fmt: skip
    assert [problem[:13] for problem in judged.problems] == ["M7 is missing"]


def test_a_number_that_a_model_made_up_is_named_and_replaced() -> None:
    judged = judge("- M7: first", ())
    assert judged.missions == (Mission("M1", "first", 9),)
    assert judged.problems == ("M7 is no number of a mission: write new ones without a number.",)


def test_a_mission_that_no_person_began_rests_on_the_first_input() -> None:
    assert judge("- tidy up", (), Said(first_input=3)).missions == (Mission("M1", "tidy up", 3),)


def test_a_citation_added_later_does_not_touch_the_wording() -> None:
    judged = judge(f"- M1: {QUEUE.wording} (#2) | active\n- M2: keep the docs current")
    assert judged.problems == ()
    assert judged.missions == BEFORE
    assert judged.body == f"- M1: {QUEUE.wording} | active (#2)\n- M2: {DOCS.wording}"


def test_the_same_new_entry_twice_is_one_mission() -> None:
    assert judge("- a | x\n- a | y", ()).body == "- M1: a | x"


def test_what_has_no_wording_is_no_entry() -> None:
    assert judge("```\n- | done\n---\n-\n", ()).missions == ()


def test_quoted_entries_and_entries_with_boxes_are_entries() -> None:
    entries = entries_in("> - M1: a\n\n- [ ] M2: b\n- [x] c", {})
    assert [str(entry) for entry in entries] == ["- M1: a", "- M2: b", "- : c"]


def test_continuation_lines_belong_to_their_entry() -> None:
    entries = entries_in("- M1: a\n  b | c\n\n  d\n  - M2: e\nf", {})
    assert [str(entry) for entry in entries] == ["- M1: a b | c d", "- M2: e f"]


def test_many_problems_are_told_in_few_lines() -> None:
    judged = judge("", tuple(Mission(f"M{number}", f"w{number}", 1) for number in range(1, 101)))
    assert len(judged.problems) == 21
    assert judged.problems[-1] == "80 more missions have such problems."
    assert len(judged.missions) == 100
