"""read, write and edit: any file, any bytes, nothing lost, and our own home out of reach."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.tools.kit import answer, refusal, workplace
from vibeos.agent.tools import read
from vibeos.agent.tools.edit import EditTool
from vibeos.agent.tools.outputs import keep
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
        "     1\tone\n     2\ttwo\\x1b[2J\n     3\t\ufffd three\n"
        "[some bytes are no UTF-8 and are shown as \ufffd; `file` may tell the encoding, iconv converts it]\n"
        "[its lines end in CRLF; edit keeps them so]"
    )


@pytest.mark.parametrize("character", ["a", "\u00e9", "\u4e2d", "\U0001f600"])
@pytest.mark.parametrize("length", [2_000, 2_001, 5_000, 20_000])
@pytest.mark.parametrize("end", ["", "\n", "\nb", "\nb\n"])
def test_a_line_is_never_cut_in_silence(place: Workplace, character: str, length: int, end: str) -> None:
    put(place, "a.txt", character * length + end)
    shown = answer(ReadTool(place), {"path": "a.txt", "limit": 1}).splitlines()
    is_cut, goes_on = length > 2_000, end.startswith("\nb")
    assert shown[0] == f"     1\t{character * 2_000}{' [this line is longer; cut here]' * is_cut}"
    assert ("for the rest of line 1 use bash" in shown[1]) if is_cut else len(shown) == 1 + goes_on
    assert (shown[-1] == "[the file goes on; read on with offset 2]") is goes_on


def test_a_line_without_an_end_shows_its_beginning(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "_SKIPPED_BYTES", 1_000_000)  # a smaller file is as good
    put(place, "a.json", "first\n" + "{" * 3_000_000 + "\nlast\n")
    shown = answer(ReadTool(place), {"path": "a.json"})
    assert shown.startswith("     1\tfirst\n     2\t{")
    assert "more than 500 MB into the file" in shown.splitlines()[-1]
    assert "Line 3 lies more than 500 MB" in refusal(ReadTool(place), {"path": "a.json", "offset": 3})


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
    Path(place.folder, "loop").symlink_to("loop")
    Path(os.fsdecode(os.fsencode(place.folder) + b"/odd\xff\n")).write_text("")
    assert answer(ReadTool(place), {"path": "."}).splitlines() == ["loop", "odd\ufffd?", "readme.md", "src/"]
    assert "Did you mean 'readme.md'?" in refusal(ReadTool(place), {"path": "readm.md"})
    assert "no folder" in refusal(ReadTool(place), {"path": "nowhere/a.txt"})


@pytest.mark.parametrize(
    "arguments",
    [{}, {"path": ""}, {"path": 3}, {"path": "a\0b"}, {"path": "\ud800"}, {"path": ".", "limit": 0}],
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


def test_a_write_touches_no_neighbour_and_leaves_none(place: Workplace) -> None:
    put(place, ".a.txt.tmp", "the person's own")
    put(place, "a.txt", "old")
    longest = "n" * 255
    for name in ("a.txt", longest):
        answer(WriteTool(place), {"path": name, "content": "new"})
    answer(EditTool(place), {"path": "a.txt", "edits": edits(("new", "newer"))})
    told = {path.name: path.read_text() for path in Path(place.folder).iterdir()}
    assert told == {".a.txt.tmp": "the person's own", "a.txt": "newer", longest: "new"}


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_gets_the_mode_that_new_files_get(place: Workplace, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        answer(WriteTool(place), {"path": "a.txt", "content": "x"})
    finally:
        os.umask(before)
    assert Path(place.folder, "a.txt").stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_keeps_its_owner(place: Workplace) -> None:
    path = put(place, "a.txt", "old")
    os.chown(path, 1234, 1234)
    answer(WriteTool(place), {"path": "a.txt", "content": "new"})
    assert (path.stat().st_uid, path.stat().st_gid, path.read_text()) == (1234, 1234, "new")


@pytest.mark.parametrize("tool", [ReadTool, WriteTool, EditTool])
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("loop", "Links lead in a circle"),
        ("file/x", "A part of the path is a file"),
        ("x" * 300, "Give a shorter name"),
        ("folder", "is a folder"),
        ("pipe", "is a pipe"),
        ("/proc/self/mem", "/proc/self/mem"),
    ],
)
def test_what_the_system_refuses_is_told_with_what_to_do(
    place: Workplace, tool: type[ReadTool | WriteTool | EditTool], path: str, told: str
) -> None:
    Path(place.folder, "loop").symlink_to("loop")
    put(place, "file", "x")
    Path(place.folder, "folder").mkdir()
    os.mkfifo(Path(place.folder, "pipe"))
    if (tool, path) == (ReadTool, "folder"):
        path, told = "folder/x", "no file"  # a folder itself is listed
    error = refusal(tool(place), {"path": path, "content": "y", "edits": edits(("x", "y"))})
    assert told in error
    assert "doctor" not in error
    assert "VIBEOS_HOME" not in error


@given(arguments=st.dictionaries(
    st.sampled_from(["path", "content", "edits", "offset", "limit", "x"]),
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_size=5,
))  # fmt: skip
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_model_sends_gets_an_answer(
    tmp_path_factory: pytest.TempPathFactory, arguments: dict[str, object]
) -> None:
    place = workplace(tmp_path_factory.mktemp("any"))
    for tool in (ReadTool(place), EditTool(place)):
        assert answer(tool, json.dumps(arguments))
    path = arguments.get("path")
    if not isinstance(path, str) or not path.startswith(("/", "..")):
        assert answer(WriteTool(place), json.dumps(arguments))


def test_a_tilde_is_the_persons_home_or_nothing(place: Workplace, tmp_path: Path) -> None:
    answer(WriteTool(place), {"path": "~/a.txt", "content": "x"})
    assert (tmp_path / "a.txt").read_text() == "x"
    nobodys = place._replace(environment={})
    assert "'~' means nothing here" in refusal(WriteTool(nobodys), {"path": "~/b.txt", "content": "x"})


@pytest.mark.parametrize(
    "way", ["straight", "dots", "dots behind a link", "link to the folder", "link to the file", "new folder"]
)
def test_our_own_home_is_out_of_reach_whichever_way_leads_there(place: Workplace, way: str) -> None:
    secret = Path(place.home, "config.yaml")
    secret.write_text("model: {}\n")
    Path(place.folder, "folder").symlink_to(place.home)
    Path(place.folder, "file").symlink_to(secret)
    path = {
        "straight": str(secret),
        "dots": "../home/config.yaml",
        "dots behind a link": "folder/../home/config.yaml",
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
    assert told == "Edited a.py: edit 1 at line 1; edit 2 at line 1."
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
    told = answer(EditTool(place), {"path": "a.py", "edits": edits(("x = 1", "x =\n2"), everywhere=True)})
    assert told == "Edited a.py: edit 1 at 2 places, lines 1, 3 (each from 1 to 2 lines)."
    assert path.read_text() == "x =\n2\ny = 2\nx =\n2\n"


def test_a_file_of_mixed_line_ends_keeps_each(place: Workplace) -> None:
    path = put(place, "a.txt", b"a\r\nb\r\nc\nd\n")
    answer(EditTool(place), {"path": "a.txt", "edits": edits(("a\nb", "A\nB"), ("c\nd", "C\nD"))})
    assert path.read_bytes() == b"A\r\nB\r\nC\nD\n"


def test_an_edit_that_would_fill_the_memory_is_refused(place: Workplace) -> None:
    path = put(place, "a.txt", "a" * 50_000)
    call = {"path": "a.txt", "edits": edits(("a", "b" * 50_000), everywhere=True)}
    assert "Nothing was changed" in refusal(EditTool(place), call)
    assert path.read_text() == "a" * 50_000


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


def test_an_output_is_kept_whole_in_a_file_of_its_owner_and_no_file_is_written_over(place: Workplace) -> None:
    first, second = keep(b"one", place.outputs), keep(b"two", place.outputs)
    assert (Path(first).read_bytes(), Path(second).read_bytes()) == (b"one", b"two")
    assert Path(first).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("way", ["straight", "dots", "link", "folder", "another session's outputs"])
def test_what_others_keep_in_our_home_is_not_read(place: Workplace, way: str) -> None:
    for name in ("memories/users/abc/USER.md", "outputs/USER.md", "other/USER.md"):
        file = Path(place.home, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("somebody's")
    Path(place.folder, "link").symlink_to(Path(place.home, "memories"))
    path = {
        "straight": f"{place.home}/memories/users/abc/USER.md",
        "dots": f"{place.outputs}/../memories/users/abc/USER.md",
        "link": "link/users/abc/USER.md",
        "folder": f"{place.home}/memories",
        "another session's outputs": f"{place.home}/other/USER.md",
    }[way]
    assert "VibeOS's own home" in refusal(ReadTool(place), {"path": path})
    assert "somebody's" in answer(ReadTool(place), {"path": f"{place.outputs}/USER.md"})
