"""An answer that is still being written is cut only where it will not change any more."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vibeos.surfaces.cli.talk.blocks import Block, Blocks

LINES = st.sampled_from(
    [
        "", "", "words", "  deeper", "    deeper still", "- item", "  - inner", "1. first", "# Title", "> said",
        "```python", "```", "~~~", "x = 1", "| a | b |", "---", "你好", "\\",
    ]
)  # fmt: skip
ANSWERS = st.lists(LINES, max_size=60).map("\n".join)


def cut(text: str, places: list[int]) -> list[Block]:
    blocks, ends = Blocks(), sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    done = [block for begin, end in pairwise(ends) for block in blocks.feed(text[begin:end])]
    return done + blocks.finish()


def written(blocks: list[Block]) -> list[str]:
    """The lines that are not blank and no fences, which are doubled where long code is cut."""
    lines = [line for block in blocks for line in block.text.split("\n")]
    return [line for line in lines if line.strip() and "```" not in line and "~~~" not in line]


@given(ANSWERS, st.lists(st.integers(0, 10_000)))
@example("a\n\n- one\n\n\n- two\n  more\n\nend", [3, 4, 5])
def test_the_blocks_do_not_depend_on_the_pieces_in_which_the_text_came(text: str, places: list[int]) -> None:
    assert cut(text, places) == cut(text, [])


@given(ANSWERS)
def test_no_line_is_lost_or_doubled(text: str) -> None:
    assert written(cut(text, [])) == written([Block(text, apart=False)])


@given(ANSWERS)
def test_what_stands_in_no_block_yet_is_the_tail(text: str) -> None:
    blocks = Blocks()
    done = blocks.feed(text)
    left = Block(blocks.tail, apart=False)
    assert written([*done, left]) == written([Block(text, apart=False)])


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# Title\nwords", ["# Title", "words"]),
        ("- a\n- b\n  more\n- c", ["- a", "- b\n  more", "- c"]),
        ("- a\n  - inner\n- b", ["- a\n  - inner", "- b"]),
        ("- a\n\n  still a\n\nwords", ["- a\n\n  still a", "words"]),
        ("```\na\n\nb\n```\nwords", ["```\na\n\nb\n```", "words"]),
        ("see ```x``` here\n```y```\nwords", ["see ```x``` here\n```y```\nwords"]),
        ("````\n```\n````", ["````\n```\n````"]),
        ("a\r\n\r\nb\r\n", ["a", "b"]),
    ],
)
def test_an_answer_is_cut_between_its_blocks(text: str, blocks: list[str]) -> None:
    assert [block.text for block in cut(text, [])] == blocks


def test_long_code_is_shown_before_it_ends_and_every_part_is_code() -> None:
    code = [f"line {number}" for number in range(100)]
    blocks = Blocks()
    early = blocks.feed("\n".join(["```python", *code[:50], ""]))
    assert len(early) == 2
    done = [*early, *blocks.feed("\n".join([*code[50:], "```", ""])), *blocks.finish()]
    assert [line for block in done for line in block.text.split("\n")[1:-1]] == code
    assert {block.text.split("\n")[0] for block in done} == {"```python"}
    assert {block.text.split("\n")[-1] for block in done} == {"```"}
    assert not any(block.apart for block in done)


def test_blank_lines_between_blocks_are_remembered() -> None:
    assert [block.apart for block in cut("- a\n- b\n\n- c\n\nend\n# T", [])] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_after_its_end_another_text_may_begin() -> None:
    blocks = Blocks()
    blocks.feed("```\nopen")
    blocks.finish()
    assert blocks.tail == ""
    assert [block.text for block in blocks.feed("words\n\n")] == ["words"]
