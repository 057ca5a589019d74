"""Entries as text: what is written reads back, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vibeos.memory.curated.documents import is_document, split_document
from vibeos.memory.curated.entries import (
    DELIMITER,
    NotTextError,
    clean,
    decode,
    fault_of,
    join,
    length,
    parse,
)

pieces = st.sampled_from(
    ["§", "\n", "\r\n", " ", "a", "ё", "е\u0308", "\ufeff", "\u200b", "#", "- ", "用", "\t", "\x85", "\u2028"]
)
texts = st.one_of(st.text(max_size=40), st.lists(pieces, max_size=12).map("".join))


@given(st.lists(texts, max_size=6))
def test_every_entry_that_may_be_written_reads_back_as_exactly_that_entry(raw: list[str]) -> None:
    entries = tuple(dict.fromkeys(entry for entry in map(clean, raw) if not fault_of(entry)))
    assert parse(decode(join(entries).encode())) == entries


@given(texts)
def test_cleaning_twice_is_cleaning_once(raw: str) -> None:
    assert clean(clean(raw)) == clean(raw)


@given(st.lists(texts, max_size=6))
def test_length_is_the_number_of_code_points_of_the_joined_text(raw: list[str]) -> None:
    entries = tuple(map(clean, raw))
    assert length(entries) == sum(map(len, entries)) + len(DELIMITER) * max(0, len(entries) - 1)


@given(st.text(max_size=200))
def test_reading_never_fails_on_text_and_never_gives_an_entry_that_could_not_be_written(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    try:
        entries = parse(decode(data))
    except NotTextError:
        return
    assert all(not fault_of(entry) for entry in entries)


@pytest.mark.parametrize("data", [b"caf\xe9", b"\xff\xfea\x00", b"\x00" * 64, b"one\x00two"])
def test_bytes_that_are_no_text_are_an_error_and_never_an_empty_store(data: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(data)


@pytest.mark.parametrize(
    ("data", "entries"),
    [
        ("one\r\n§\r\ntwo\r\n".encode(), ("one", "two")),
        ("\ufeffone\n§\ntwo".encode(), ("one", "two")),
        ("one\n  § \n two \n".encode(), ("one", "two")),
        ("§\none\n§\n§\n".encode(), ("one",)),
        ("one\n§\none\n§\ntwo".encode(), ("one", "two")),
        ("price § 5\nand § 6".encode(), ("price § 5\nand § 6",)),
        (b"", ()),
        (b"\n \n", ()),
    ],
)
def test_files_of_other_systems_and_hands_are_read(data: bytes, entries: tuple[str, ...]) -> None:
    assert parse(decode(data)) == entries


@pytest.mark.parametrize("entry", ["a\n§\nb", "a\n§", "§\nb", "§", "a\n \t§ \nb"])
def test_an_entry_may_not_hold_the_line_that_separates_entries(entry: str) -> None:
    assert fault_of(clean(entry)) == "memory.delimiter"


@pytest.mark.parametrize("entry", ["x\ud800y", "x\0y"])
def test_text_that_no_file_can_hold_is_no_entry(entry: str) -> None:
    assert fault_of(clean(entry)) == "memory.ill_formed"


@pytest.mark.parametrize("entry", ["", " \n\t", "\ufeff"])
def test_blanks_are_no_entry(entry: str) -> None:
    assert fault_of(clean(entry)) == "memory.empty_content"


@pytest.mark.parametrize(
    "entry",
    ["# Notes\nuse tabs", "- a\n- b\n- c", "one\n\ntwo\n\nthree", "1. a\n2. b\n3. c"],
)
def test_notes_written_by_hand_are_told_from_entries(entry: str) -> None:
    assert is_document(entry)


@pytest.mark.parametrize("entry", ["# one line", "two\nlines", "a\n\nb", "- a\n- b"])
def test_plain_entries_are_no_documents(entry: str) -> None:
    assert not is_document(entry)


def test_a_document_splits_into_entries_that_name_their_heading() -> None:
    document = "# Build\n- use make\n- run the tests\n  twice\n\n## Server\nPort 2222.\n\nKeys are in ~/.ssh."
    assert split_document(document) == (
        "Build: use make",
        "Build: run the tests\n  twice",
        "Build / Server: Port 2222.",
        "Build / Server: Keys are in ~/.ssh.",
    )


@pytest.mark.parametrize(
    ("document", "entries"),
    [
        ("# A\ntext\n# B\n# C\nmore", ("A: text", "B", "C: more")),
        ("# P\n## Build\n- a\n- b\n## Secrets\n# End", ("P / Build: a", "P / Build: b", "P: Secrets", "End")),
        ("Run:\n```\n# install first\napt install x\n\n- not a list\n```\nThen go.",
         ("Run:\n```\n# install first\napt install x\n\n- not a list\n```\nThen go.",)),
    ],
)  # fmt: skip
def test_no_heading_and_no_fence_is_lost_in_a_split(document: str, entries: tuple[str, ...]) -> None:
    assert split_document(document) == entries


@given(st.lists(st.sampled_from(["# A", "## B", "- c", "d", "", "```", "  e", "1. f"]), max_size=14))
def test_every_line_of_a_document_is_in_its_entries(lines: list[str]) -> None:
    entries = "\n".join(split_document("\n".join(lines)))
    for line in lines:
        assert line.strip().lstrip("#-").strip() in entries
