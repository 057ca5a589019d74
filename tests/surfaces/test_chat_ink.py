"""What the terminal is given: no word swallowed, no control character obeyed, no colour where none is wanted."""

from __future__ import annotations

import io
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from vibeos.surfaces.cli.talk.ink import PlainInk, RichInk
from vibeos.surfaces.cli.talk.keyboard import last_rows
from vibeos.surfaces.cli.talk.markdown import Renderer
from vibeos.surfaces.cli.talk.wrapping import columns_of, wrapped

OURS = re.compile(r"\x1b\[[0-9;]*m")


def renderer(width: int = 60, *, colour: bool = True) -> Renderer:
    made = Renderer(colour=colour)
    made._console = Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system="standard", no_color=not colour
    )
    return made


def plain(text: str) -> str:
    return OURS.sub("", text)


@pytest.mark.parametrize(
    "text",
    [
        "a <b>bold</b> word and Vec<String>",
        "<div>\nblock\n</div>",
        "[1]: http://example.com/x",
        "2 < 3 & 4",
        "`a *b* c`",
        "snake_case_name and *args",
    ],
)
def test_markdown_swallows_no_word(text: str) -> None:
    shown = plain(renderer().render(text))
    assert re.findall(r"\w+", shown) == re.findall(r"\w+", text)


def test_markdown_is_rendered() -> None:
    shown = renderer().render("**strong**\n\n- one\n\n```python\nx = 1\n```")
    assert "\x1b[1mstrong\x1b[0m" in shown
    assert plain(shown) == "strong\n\n • one\n\n  x = 1"


def test_the_lines_of_a_paragraph_stay_lines() -> None:
    assert plain(renderer().render("one\ntwo")) == "one\ntwo"


def test_an_address_is_seen_and_not_hidden_behind_a_word() -> None:
    assert "http://example.com/x" in renderer().render("[harmless](http://example.com/x)")
    assert "\x1b]8" not in renderer().render("[harmless](http://example.com/x)")


def test_no_colour_leaves_bold_alone() -> None:
    shown = renderer(colour=False).render("**strong** `code`\n\n```python\nimport os\n```\n\n> said")
    codes = {code for found in OURS.findall(shown) for code in found[2:-1].split(";")}
    assert "1" in codes
    assert not codes & {str(number) for number in (*range(30, 50), *range(90, 108))}
    assert RichInk(colour=False).bad("✗") == "✗"


@given(st.text(st.characters(codec="utf-8"), max_size=200), st.integers(1, 30))
def test_only_our_own_escape_codes_reach_the_terminal(text: str, width: int) -> None:
    for shown in (RichInk(colour=True).faint(text), PlainInk().markdown(text)):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", plain(shown))


@pytest.mark.parametrize("text", ["\x1b]0;title\x07", "\x1b[2J", "\u009b31m", "&#x202e;abc", "&#27;[31m"])
def test_a_model_cannot_move_the_cursor_or_turn_the_line_around(text: str) -> None:
    ink = RichInk(colour=True)
    ink._renderer = renderer()
    for written in (text, f"`{text}`", f"```\n{text}\n```", f"# {text}", f"- {text}", f"|{text}|\n|-|"):
        shown = plain(ink.markdown(written))
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown), written


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 20])
def test_a_window_may_be_narrower_than_a_word(width: int) -> None:
    text = (
        "# Überschrift\n\nunbreakablewords 你好世界\n\n- item\n\n```\ncode here\n```\n\n|a|b|\n|-|-|\n|c|d|"
    )
    shown = plain(renderer(width).render(text)).replace("\n", "").replace(" ", "")
    assert "unbreakablewords" in shown
    assert "你好世界" in shown


def test_what_is_copied_from_the_screen_has_no_blanks_at_the_ends_of_its_lines() -> None:
    shown = plain(renderer().render("```python\ndef f():\n\n    return 1\n```\n\n> quote"))
    assert [line for line in shown.split("\n") if line != line.rstrip()] == []


@given(st.text("ab 你\n\t", max_size=300), st.integers(1, 20), st.integers(1, 8))
def test_the_tail_that_is_drawn_anew_fits_the_window_and_is_the_texts_end(
    text: str, columns: int, most: int
) -> None:
    rows = last_rows(text, columns, most)
    assert len(rows) <= most
    assert all(len(row) <= columns for row in rows)
    assert text.expandtabs(4).replace("\n", "").endswith("".join(rows))


@given(st.lists(st.text("ab你", min_size=1, max_size=4), max_size=30), st.integers(10, 30))
def test_the_tail_breaks_no_word_that_fits(words: list[str], columns: int) -> None:
    rows = last_rows(" ".join(words), columns, 100)
    assert " ".join(rows).split() == words


@given(st.text("ab 你é\u0301\n\t", max_size=200), st.integers(1, 30))
def test_a_wrapped_text_has_all_its_words_and_no_line_that_could_have_been_broken(
    text: str, columns: int
) -> None:
    shown = wrapped(text, columns)
    assert shown.split() == text.split()
    assert shown.count("\n") >= text.count("\n")
    for line in shown.split("\n"):
        assert columns_of(line) <= columns or len(line.split()) < 2
    if all(columns_of(line) <= columns for line in text.split("\n")):
        assert shown == text


def test_what_stands_beside_the_conversation_is_broken_at_blanks_and_its_colours_take_no_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((20, 24)))
    ink = RichInk(colour=True)
    assert plain(ink.faint("one two three four five six")) == "one two three four\nfive six"
    assert plain(ink.plain("  indented words stay\nso")) == "  indented words\nstay\nso"
    fitting = f"{ink.bad('one')} {ink.good('two')} {ink.faint('three four')}"
    assert ink.fitted(fitting) == fitting
    assert plain(ink.fitted(f"{fitting} five")) == "one two three four\nfive"


def test_a_blank_that_holds_words_together_is_kept() -> None:
    assert wrapped("ab cd\u00a0ef", 6) == "ab\ncd\u00a0ef"


def test_what_is_read_by_a_program_is_never_broken() -> None:
    line = "word " * 100
    assert PlainInk().faint(line) == PlainInk().fitted(line) == PlainInk().plain(line) == line
