"""Nothing outside the two files is ever read or written, whatever happens to the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vibeos.memory.checkpoint.scratch import MEMO_FILE, MIND_FILE, MOST_BYTES, Scratch
from vibeos.values.errors import FileAccessError


def test_what_is_written_is_read_back_and_goes_with_the_turn(tmp_path: Path) -> None:
    folder = tmp_path / "scratch" / "s1"
    with Scratch(str(folder)) as scratch:
        scratch.write(MIND_FILE, "# Mind\n")
        assert scratch.read(MIND_FILE) == "# Mind\n"
        assert (folder / MIND_FILE).stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "s1").symlink_to(elsewhere)
    with pytest.raises(FileAccessError):
        Scratch(str(tmp_path / "s1"))
    assert list(elsewhere.iterdir()) == []


def test_a_file_that_was_replaced_by_a_link_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    with Scratch(str(tmp_path / "s1")) as scratch:
        os.symlink(secret, scratch.path(MEMO_FILE))
        assert scratch.read(MEMO_FILE) is None
        scratch.write(MEMO_FILE, "list")
        assert scratch.read(MEMO_FILE) == "list"
    assert secret.read_text() == "mine"


def test_a_folder_that_was_exchanged_is_noticed_and_the_other_one_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / MIND_FILE).write_text("theirs")
    with Scratch(str(tmp_path / "s1")) as scratch:
        assert scratch.is_there()
        os.rename(tmp_path / "s1", tmp_path / "moved")
        os.symlink(other, tmp_path / "s1")
        scratch.write(MIND_FILE, "ours")
        assert not scratch.is_there()
    assert (other / MIND_FILE).read_text() == "theirs"


@pytest.mark.parametrize(
    "data", [b"\xff\xfe not text", b"x" * (MOST_BYTES + 1)], ids=["no UTF-8", "over a megabyte"]
)
def test_what_is_no_text_of_a_mind_reads_as_nothing(tmp_path: Path, data: bytes) -> None:
    with Scratch(str(tmp_path / "s1")) as scratch:
        Path(scratch.path(MIND_FILE)).write_bytes(data)
        assert scratch.read(MIND_FILE) is None


def test_a_pipe_in_a_files_place_keeps_nobody_waiting(tmp_path: Path) -> None:
    with Scratch(str(tmp_path / "s1")) as scratch:
        os.mkfifo(scratch.path(MIND_FILE))
        assert scratch.read(MIND_FILE) is None


def test_only_the_two_files_have_names(tmp_path: Path) -> None:
    with Scratch(str(tmp_path / "s1")) as scratch:
        assert scratch.name_of(scratch.path(MIND_FILE)) == MIND_FILE
        assert scratch.name_of("memo.md") == MEMO_FILE
        for path in ("../s1/mind.md", "other.md", f"{scratch.folder}/../s1/mind.md", ""):
            assert scratch.name_of(path) is None
