"""Which skills a session loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from record.kit import new_record, say
from vibeos.record import SkillLoad
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_newest_load_of_each_skill_comes_first_and_says_behind_which_message(tmp_path: Path) -> None:
    with new_record(tmp_path) as record:
        session, other = (record.sessions.start(source="cli").id for _ in range(2))
        first = record.skill_loads.note(session, "deploy", "/a/deploy/SKILL.md")
        say(record, session, "one", "two")
        record.skill_loads.note(session, "review", "/a/review/SKILL.md")
        say(record, session, "three")
        again = record.skill_loads.note(session, "deploy", "/b/deploy/SKILL.md")
        record.skill_loads.note(other, "test", "/a/test/SKILL.md")
        assert (first.after_seq, first.path) == (0, "/a/deploy/SKILL.md")
        assert again == SkillLoad(session, "deploy", "/b/deploy/SKILL.md", 3, again.loaded_at)
        assert again.loaded_at > first.loaded_at
        loads = record.skill_loads.of_session(session)
        assert [(load.name, load.after_seq) for load in loads] == [("deploy", 3), ("review", 2)]
        assert loads[0] == again
    with new_record(tmp_path) as record:
        assert record.skill_loads.of_session(session) == loads


def test_a_session_that_is_not_there_loads_nothing(tmp_path: Path) -> None:
    with new_record(tmp_path) as record:
        with pytest.raises(NotFoundError, match="no session 'nope'"):
            record.skill_loads.note("nope", "deploy", "/a")
        assert record.skill_loads.of_session("nope") == ()


def test_a_path_that_no_database_can_hold_is_noted_as_far_as_it_can_be(tmp_path: Path) -> None:
    with new_record(tmp_path) as record:
        session = record.sessions.start(source="cli").id
        record.skill_loads.note(session, "deploy", "/caf\udce9/SKILL.md")
        assert record.skill_loads.of_session(session)[0].path == "/caf\ufffd/SKILL.md"
