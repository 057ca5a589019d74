"""Snapshots and projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from record.kit import ANY_TEXT, new_record
from vibeos.record import project_of
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vibeos.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with new_record(tmp_path) as record:
        yield record


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(first=ANY_TEXT, second=ANY_TEXT)
def test_a_snapshot_is_what_was_frozen_first_for_ever(record: Record, first: str, second: str) -> None:
    session = record.sessions.start(source="cli").id
    assert record.snapshots.get(session) is None
    assert record.snapshots.freeze(session, first) == first
    assert record.snapshots.freeze(session, second) == first
    assert record.snapshots.get(session) == first


def test_a_snapshot_survives_a_restart(tmp_path: Path) -> None:
    with new_record(tmp_path) as record:
        session = record.sessions.start(source="cli").id
        record.snapshots.freeze(session, "as it was")
    with new_record(tmp_path) as record:
        assert record.snapshots.freeze(session, "as it is") == "as it was"


def test_a_folder_is_bound_and_unbound_by_its_real_path(record: Record, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "code")
    bound = record.projects.bind(tmp_path / "link")
    assert bound == str((tmp_path / "code").resolve())
    assert record.projects.bind(tmp_path / "code" / ".." / "code") == bound
    assert record.projects.list() == (bound,)
    assert record.projects.unbind(tmp_path / "code")
    assert not record.projects.unbind(tmp_path / "code")
    assert record.projects.list() == ()


def test_a_folder_that_has_gone_can_still_be_unbound(record: Record, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    record.projects.bind(tmp_path / "code")
    (tmp_path / "code").rmdir()
    assert record.projects.unbind(tmp_path / "code")


@pytest.mark.parametrize("name", ["missing", "file"])
def test_only_a_folder_can_be_bound(record: Record, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotFoundError, match="is not a folder"):
        record.projects.bind(tmp_path / name)


def test_a_folder_belongs_to_the_nearest_git_root(tmp_path: Path) -> None:
    (tmp_path / "outer" / ".git").mkdir(parents=True)
    (tmp_path / "outer" / "inner" / "src").mkdir(parents=True)
    assert project_of(tmp_path / "outer" / "inner" / "src", ()) == str(tmp_path / "outer")
    (tmp_path / "outer" / "inner" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")  # a worktree
    assert project_of(tmp_path / "outer" / "inner" / "src", ()) == str(tmp_path / "outer" / "inner")


def test_a_folder_belongs_to_the_nearest_bound_one(record: Record, tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "docs" / "a").mkdir(parents=True)
    record.projects.bind(tmp_path / "repo" / "docs")
    assert project_of(tmp_path / "repo" / "docs" / "a", record.projects.list()) == str(
        tmp_path / "repo" / "docs"
    )
    assert project_of(tmp_path / "repo", record.projects.list()) == str(tmp_path / "repo")


def test_a_folder_may_belong_to_nothing_and_need_not_exist(tmp_path: Path) -> None:
    assert project_of(tmp_path / "no" / "where", ()) == ""
    (tmp_path / ".git").mkdir()
    assert project_of(tmp_path / "no" / "where", ()) == str(tmp_path)


def test_a_folder_whose_name_is_not_utf8_can_be_a_project(record: Record, tmp_path: Path) -> None:
    folder = tmp_path / "caf\udce9"
    folder.mkdir()
    bound = record.projects.bind(folder)
    assert project_of(folder, record.projects.list()) == bound
    session = record.sessions.start(source="cli", project=bound)
    assert record.sessions.latest(project=bound) == session
