"""Fixtures that several areas share."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from vibeos.values.home import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

# Derandomised: a run says the same thing every time and at every hour.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=80)
settings.load_profile("steady")


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return Scope(tmp_path / "home")


@pytest.fixture
def without_root(tmp_path: Path) -> Callable[[], AbstractContextManager[None]]:
    """A context in which permissions count also for root, who otherwise may read and write everything."""

    @contextmanager
    def dropped() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        nobody = 65534
        for folder in (tmp_path, *tmp_path.parents):
            if folder.stat().st_uid == 0 and len(folder.parts) > 2:
                folder.chmod(folder.stat().st_mode | 0o055)
        for path in (tmp_path, *tmp_path.rglob("*")):
            os.chown(path, nobody, nobody)
        os.seteuid(nobody)
        try:
            yield
        finally:
            os.seteuid(0)

    return dropped
