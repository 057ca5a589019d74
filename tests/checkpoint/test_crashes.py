"""A process that dies while a checkpoint is written or committed leaves the old context or the new one, never a mixture."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from checkpoint.conversations import Talk, as_text
from checkpoint.taking_notes import MISSION_PLACE, NOW, edits, fill, model_of, room_of, ticks
from store.crashing import CRASHED, FAILED, FINISHED, crashes
from vibeos.memory.checkpoint.context import WorkingContext
from vibeos.ports.guard import files
from vibeos.record import open_record
from vibeos.testing import reply
from vibeos.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

LESSONS = "\n".join(f"- lesson {number}: look twice before a step" for number in range(80))
MIND = [
    (MISSION_PLACE, "- process all 14 PRs (#1) | 6 done"),
    ("(nothing noted yet: principles that will help again)", LESSONS),
]
_EVENTS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod"}


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A session that is due for a checkpoint."""
    folder = tmp_path / "template"
    folder.mkdir()
    with open_record(folder / "state.db") as record:
        talk = Talk(record)
        talk.says("process all 14 PRs, oldest first")
        fill(talk, 12_000, each=4_000)
        talk.answers("Six are done.")
        talk.says("continue")
        fill(talk, 22_000, each=4_000)
        (folder / "session").write_text(talk.session)
    return folder


def _talk(folder: Path, record: object) -> Talk:
    talk = Talk.__new__(Talk)
    talk.record = record  # type: ignore[assignment]
    talk.session = (folder / "session").read_text()
    return talk


def work(folder: Path) -> None:
    """Make the checkpoint; its mind is too long, so that a copy of it is written too."""
    with open_record(folder / "state.db") as record:
        model = model_of([edits(MIND, ticks("#1")), reply(NOW), reply("it stays")], window=32_000)
        room, _ = room_of(_talk(folder, record), model, folder)
        asyncio.run(room.make_room())


def seen(folder: Path) -> tuple[list[str], list[str]]:
    """The context's elements and the messages, read anew."""
    with open_record(folder / "state.db") as record:
        context = WorkingContext(record, (folder / "session").read_text())
        context.refresh()
        said = [message.text for message in record.messages.of_session(context.session_id)]
        return as_text(context.messages), said


def finished(template: Path, folder: Path) -> list[str]:
    shutil.copytree(template, folder)
    work(folder)
    new, _ = seen(folder)
    shutil.rmtree(folder)
    return new


def _look(folder: Path, old: tuple[list[str], list[str]], new: list[str]) -> bool:
    """Whether what a death left is the new context; that nothing is lost, and that the work goes on from there."""
    context, said = seen(folder)
    assert context in (old[0], new)
    assert said == old[1]
    is_new = context == new
    if not is_new:
        work(folder)
        assert seen(folder)[0] == new
    return is_new


def test_death_at_any_write_of_the_database(template: Path, tmp_path: Path) -> None:
    """K05."""
    folder = tmp_path / "work"
    new, old = finished(template, folder), seen(template)
    outcomes = [(code, _look(folder, old, new)) for code in crashes(template, folder, work)]
    assert outcomes[-1] == (FINISHED, True)
    assert len(outcomes) > 3
    states = [is_new for _, is_new in outcomes]
    assert states == sorted(states)  # once it is there it is there


def _die_at(folder: Path, number: int) -> int:
    """How a child ended that was to die right before its n-th change of a file outside the database."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = number

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        is_write = (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if event in _EVENTS or is_write:
            left -= 1
            if not left:
                os._exit(CRASHED)

    try:
        sys.addaudithook(hook)
        work(folder)
        os._exit(FINISHED)
    finally:
        os._exit(FAILED)


def test_death_before_any_change_of_a_file(template: Path, tmp_path: Path) -> None:
    """K05, the two scratch files and the copy of the mind."""
    folder = tmp_path / "work"
    new, old = finished(template, folder), seen(template)
    for number in range(1, 100):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(template, folder)
        code = _die_at(folder, number)
        assert code in {FINISHED, CRASHED}
        _look(folder, old, new)
        if code == FINISHED:
            break
    assert number > 10
    assert code == FINISHED


def _full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _no_room_for_files(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(files, "_write", _full)


def _no_room_in_the_scratch_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "scratch").write_text("in the way")


def _no_room_in_the_database(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    from vibeos.record.checkpoints import Checkpoints

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the database could not be written: the disk is full")

    monkeypatch.setattr(Checkpoints, "commit", refuse)


@pytest.mark.parametrize(
    "spoil", [_no_room_for_files, _no_room_in_the_scratch_folder, _no_room_in_the_database]
)
def test_a_home_that_fills_up_in_the_middle_leaves_the_old_context_whole(
    template: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[pytest.MonkeyPatch, Path], None],
) -> None:
    folder = tmp_path / "work"
    shutil.copytree(template, folder)
    old = seen(folder)
    with monkeypatch.context() as patch:
        spoil(patch, folder)
        work(folder)
    assert seen(folder) == old
    with open_record(folder / "state.db") as record:
        (attempt,) = record.checkpoints.attempts((folder / "session").read_text())
    assert not attempt.is_made
    assert attempt.reason
