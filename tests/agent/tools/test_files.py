"""read, write and edit: any file, any bytes, nothing lost, and our own home out of reach."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.tools.kit import answer, refusal, workplace
from vibeos.agent.tools.edit import EditTool
from vibeos.agent.tools.outputs import kept_whole
from vibeos.agent.tools.read import ReadTool
from vibeos.agent.tools.write import WriteTool

if TYPE_CHECKING:
    from vibeos.agent.workplace import Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return workplace(tmp_path)


def put(place: Workplace, name: str, content: str | bytes) -> Path:
    path = Path(place.folder, name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_lines_come_with_their_numbers_and_go_on_where_the_note_says(place: Workplace) -> None:
    put(place, "a.txt", "".join(f"line {number}\n" for number in range(1, 8)))
    first = answer(ReadTool(place), {"path": "a.txt", "limit": 3})
    assert first.splitlines() == [
        "     1\tline 1", "     2\tline 2", "     3\tline 3", "[the file goes on; read on with offset 4]",
    ]  # fmt: skip
    rest = answer(ReadTool(place), {"path": "a.txt", "offset": 4})
    assert rest.splitlines()[0] == "     4\tline 4"
    assert rest.splitlines()[-1] == "     7\tline 7"
    assert "has 7 lines; there is no line 8" in refusal(ReadTool(place), {"path": "a.txt", "offset": 8})


def test_byte_order_marks_line_ends_and_control_characters_do_no_harm(place: Workplace) -> None:
    put(place, "a.txt", b"\xef\xbb\xbfone\r\ntwo\x1b[2J\r\n\xff three")
    assert answer(ReadTool(place), {"path": "a.txt"}) == (
        "     1\tone\n     2\ttwo\\x1b[2J\n     3\t\ufffd three"
    )


def test_what_is_no_text_is_named_and_not_shown(place: Workplace) -> None:
    put(place, "a.bin", b"PK\0\x01" * 50)
    assert "a binary file of 200 bytes" in refusal(ReadTool(place), {"path": "a.bin"})
    put(place, "b.txt", "text".encode("utf-16"))
    assert "UTF-16" in refusal(ReadTool(place), {"path": "b.txt"})
    put(place, "c.txt", "")
    assert answer(ReadTool(place), {"path": "c.txt"}) == "[c.txt is empty]"


def test_a_pipe_keeps_nobody_waiting(place: Workplace) -> None:
    os.mkfifo(Path(place.folder, "pipe"))
    assert "is a pipe" in refusal(ReadTool(place), {"path": "pipe"})
    assert "is a pipe" in refusal(ReadTool(place), {"path": "/dev/zero"})


def test_a_file_of_any_size_and_a_line_of_any_length_are_read_in_bounded_room(place: Workplace) -> None:
    path = put(place, "huge.txt", "first\n")
    with path.open("r+b") as file:
        file.truncate(5_000_000_000)  # a hole: no room on the disk
        file.seek(6)
        file.write(b"x" * 3_000_000 + b"\nthird\n")
    shown = answer(ReadTool(place), {"path": "huge.txt", "limit": 3}).splitlines()
    assert shown[0] == "     1\tfirst"
    assert shown[1].endswith("[this line is longer; cut here]")
    assert len(shown[1]) < 2_100
    assert shown[2] == "     3\tthird"


def test_a_folder_is_listed_and_a_missing_file_is_answered_with_near_names(place: Workplace) -> None:
    Path(place.folder, "src").mkdir()
    put(place, "readme.md", "")
    assert answer(ReadTool(place), {"path": "."}).splitlines() == ["readme.md", "src/"]
    assert "Did you mean 'readme.md'?" in refusal(ReadTool(place), {"path": "readm.md"})
    assert "no folder" in refusal(ReadTool(place), {"path": "nowhere/a.txt"})


@pytest.mark.parametrize(
    "arguments", [{}, {"path": ""}, {"path": 3}, {"path": "a\0b"}, {"path": ".", "limit": 0}]
)
def test_a_malformed_call_is_answered_with_what_is_wrong(
    place: Workplace, arguments: dict[str, object]
) -> None:
    put(place, "a.txt", "x")
    told = refusal(ReadTool(place), arguments | ({"path": "a.txt"} if "limit" in arguments else {}))
    assert "must be" in told


def test_a_file_is_written_whole_with_its_folders_and_keeps_its_mode(place: Workplace) -> None:
    assert "Wrote new/deep/a.sh: 2 lines" in answer(
        WriteTool(place), {"path": "new/deep/a.sh", "content": "a\nb"}
    )
    path = Path(place.folder, "new/deep/a.sh")
    path.chmod(0o755)
    assert "Wrote over" in answer(WriteTool(place), {"path": str(path), "content": "c\n"})
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("c\n", 0o755)
    assert "is a folder" in refusal(WriteTool(place), {"path": "new", "content": "x"})
    assert "surrogate" in refusal(WriteTool(place), '{"path": "b.txt", "content": "\\ud800"}')


@pytest.mark.parametrize("way", ["straight", "dots", "link to the folder", "link to the file", "new folder"])
def test_our_own_home_is_out_of_reach_whichever_way_leads_there(place: Workplace, way: str) -> None:
    secret = Path(place.home, "config.yaml")
    secret.write_text("model: {}\n")
    Path(place.folder, "folder").symlink_to(place.home)
    Path(place.folder, "file").symlink_to(secret)
    path = {
        "straight": str(secret),
        "dots": "../home/config.yaml",
        "link to the folder": "folder/config.yaml",
        "link to the file": "file",
        "new folder": "folder/skills/mine/SKILL.md",
    }[way]
    assert "VibeOS's own home" in refusal(WriteTool(place), {"path": path, "content": "x"})
    edit = {"path": path, "edits": [{"old_text": "model", "new_text": "x"}]}
    assert "VibeOS's own home" in refusal(EditTool(place), edit)
    assert secret.read_text() == "model: {}\n"


def edits(*pairs: tuple[str, str], everywhere: bool = False) -> list[dict[str, object]]:
    more: dict[str, object] = {"replace_all": True} if everywhere else {}
    return [{"old_text": old, "new_text": new, **more} for old, new in pairs]


def test_several_edits_are_done_in_their_order_or_none_is(place: Workplace) -> None:
    path = put(place, "a.py", "one\ntwo\nthree\n")
    told = answer(EditTool(place), {"path": "a.py", "edits": edits(("one", "1"), ("1\ntwo", "1\n2"))})
    assert told == "Edited a.py: 2 of 2 edits done, at line 1, 1."
    assert path.read_text() == "1\n2\nthree\n"
    refused = refusal(EditTool(place), {"path": "a.py", "edits": edits(("three", "3"), ("four", "4"))})
    assert "edit 2 does not stand in the file" in refused
    assert path.read_text() == "1\n2\nthree\n"


def test_a_text_that_stands_several_times_is_refused_with_its_lines_unless_all_are_meant(
    place: Workplace,
) -> None:
    path = put(place, "a.py", "x = 1\ny = 2\nx = 1\n")
    assert "2 times in the file, at lines 1, 3" in refusal(
        EditTool(place), {"path": "a.py", "edits": edits(("x = 1", "x = 2"))}
    )
    answer(EditTool(place), {"path": "a.py", "edits": edits(("x = 1", "x = 2"), everywhere=True)})
    assert path.read_text() == "x = 2\ny = 2\nx = 2\n"


def test_a_text_that_differs_by_white_space_only_is_pointed_at(place: Workplace) -> None:
    put(place, "a.py", "def f():\n\treturn 1\n")
    told = refusal(EditTool(place), {"path": "a.py", "edits": edits(("    return 1", "    return 2"))})
    assert "like line 2, but for white space" in told


def test_a_file_that_is_no_utf8_is_not_edited(place: Workplace) -> None:
    path = put(place, "a.txt", "слово".encode("cp1251"))
    assert "no UTF-8 text" in refusal(EditTool(place), {"path": "a.txt", "edits": edits(("a", "b"))})
    assert path.read_bytes() == "слово".encode("cp1251")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.text("abc \u0416中", max_size=5), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
    place_of=st.integers(0, 5),
)
def test_an_edit_changes_nothing_but_what_it_names(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, mark: bool, place_of: int
) -> None:
    place = workplace(tmp_path_factory.mktemp("edit"))
    wanted = place_of % len(lines)
    lines = [*lines[:wanted], "the only one", *lines[wanted:]]
    before = ("\ufeff" if mark else "") + end.join(lines)
    path = put(place, "a.txt", before)
    answer(EditTool(place), {"path": "a.txt", "edits": edits(("the only one", "another\nand more"))})
    assert path.read_bytes().decode() == before.replace(
        "the only one", f"another{end if end in before else chr(10)}and more"
    )


def test_a_long_output_shows_its_ends_and_is_kept_whole(place: Workplace) -> None:
    text = "".join(f"{number}\n" for number in range(5_000))
    shown = kept_whole(text, place.outputs, 1_000)
    assert shown.startswith("0\n1\n")
    assert shown.endswith("4998\n4999\n")
    assert len(shown) < 1_200
    path = shown.partition("the whole is in ")[2].partition(" …]")[0]
    assert Path(path).read_text() == text
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert kept_whole("short", place.outputs) == "short"
    assert kept_whole(text, place.outputs, 1_000) != shown  # the first file is not written over
