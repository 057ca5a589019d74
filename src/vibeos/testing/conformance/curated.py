"""What every store of curated entries must do, whatever it keeps them in."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from vibeos.memory.curated.operations import Target
from vibeos.memory.curated.store import Stored
from vibeos.values.home import Scope

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.memory.curated.store import CuratedStore

_ENTRIES = (
    "one line",
    "several\nlines, with ünïcode: 你好 👩\u200d🚀",
    "§ is only a mark on a line of its own",
)


class CuratedStoreConformance:
    """Inherit from it and say how a store is made. Each test has an empty home of its own."""

    def make_store(self) -> CuratedStore:
        """A store; two of them over one home see the same entries."""
        raise NotImplementedError

    @pytest.fixture
    def home(self, tmp_path: Path) -> Scope:
        """An empty home."""
        return Scope(tmp_path / "home")

    @pytest.mark.parametrize("target", Target)
    def test_a_store_begins_empty(self, home: Scope, target: Target) -> None:
        assert self.make_store().load(home, target) == Stored(())

    @pytest.mark.parametrize("target", Target)
    def test_what_was_saved_is_loaded_by_another_store(self, home: Scope, target: Target) -> None:
        saved = self.make_store().save(home, target, _ENTRIES)
        assert self.make_store().load(home, target) == saved
        assert saved.entries == _ENTRIES

    def test_saving_replaces_everything(self, home: Scope) -> None:
        store = self.make_store()
        store.save(home, Target.MEMORY, _ENTRIES)
        store.save(home, Target.MEMORY, ("only this",))
        assert store.load(home, Target.MEMORY).entries == ("only this",)
        store.save(home, Target.MEMORY, ())
        assert store.load(home, Target.MEMORY).entries == ()

    def test_targets_are_kept_apart(self, home: Scope) -> None:
        store = self.make_store()
        store.save(home, Target.MEMORY, ("of the agent",))
        store.save(home, Target.USER, ("of the person",))
        assert store.load(home, Target.MEMORY).entries == ("of the agent",)
        assert store.load(home, Target.USER).entries == ("of the person",)

    def test_profiles_are_kept_apart(self, home: Scope) -> None:
        store, other = self.make_store(), home._replace(profile="work")
        store.save(home, Target.MEMORY, ("at home",))
        assert store.load(other, Target.MEMORY) == Stored(())
        store.save(other, Target.MEMORY, ("at work",))
        assert store.load(home, Target.MEMORY).entries == ("at home",)

    def test_persons_are_kept_apart(self, home: Scope) -> None:
        store, other = self.make_store(), home._replace(user="telegram:42")
        store.save(home, Target.USER, ("the owner",))
        assert store.load(other, Target.USER) == Stored(())
        store.save(other, Target.USER, ("a guest",))
        assert store.load(home, Target.USER).entries == ("the owner",)

    def test_a_fingerprint_changes_with_the_entries_and_only_then(self, home: Scope) -> None:
        store = self.make_store()
        first = store.save(home, Target.MEMORY, ("a",)).fingerprint
        assert first
        assert store.load(home, Target.MEMORY).fingerprint == first
        assert store.save(home, Target.MEMORY, ("b",)).fingerprint != first
        assert store.save(home, Target.MEMORY, ("a",)).fingerprint == first

    def test_a_backup_changes_nothing_and_names_a_place(self, home: Scope) -> None:
        store = self.make_store()
        saved = store.save(home, Target.MEMORY, _ENTRIES)
        place = store.backup(home, Target.MEMORY)
        assert place
        assert store.backup(home, Target.MEMORY) == place
        assert store.load(home, Target.MEMORY) == saved

    def test_writers_that_keep_each_other_out_lose_nothing(self, home: Scope) -> None:
        def add(name: str) -> None:
            store = self.make_store()
            for count in range(5):
                with store.exclusive(home):
                    entries = store.load(home, Target.MEMORY).entries
                    store.save(home, Target.MEMORY, (*entries, f"{name}/{count}"))

        threads = [threading.Thread(target=add, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kept = self.make_store().load(home, Target.MEMORY).entries
        assert sorted(kept) == [f"{name}/{count}" for name in "abcd" for count in range(5)]
