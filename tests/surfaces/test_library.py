"""The library as another program uses it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import vibeos
from vibeos.ports.guard.lock import locked

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def home(tmp_path: Path) -> Iterator[vibeos.VibeOS]:
    with vibeos.open_home(tmp_path / "home") as opened:
        yield opened


def test_opening_a_home_makes_nothing(tmp_path: Path) -> None:
    with vibeos.open_home(tmp_path / "home"):
        pass
    assert not (tmp_path / "home").exists()


def test_what_was_recorded_reads_back_in_order_with_its_numbers(home: vibeos.VibeOS) -> None:
    session = home.sessions.start(source="my-agent", title="A title")
    session.typed("One", author="Sam")
    session.replied("Two")
    session.delivered(
        vibeos.Envelope(vibeos.InputRoute.WATCH, "watch", origin_id="w1", origin_name="disk"), "Three"
    )
    again = home.sessions.open(session.id)
    assert [(m.context_seq, m.type, m.text) for m in again.messages()] == [
        (1, "user", "One"),
        (2, "assistant", "Two"),
        (3, "harness", "Three"),
    ]
    assert again.messages()[2].presented == '[Harness: Watch w1 "disk"]\nThree'
    assert again.info.title == "A title"


def test_search_finds_across_sessions_and_not_across_profiles(tmp_path: Path) -> None:
    with vibeos.open_home(tmp_path) as one, vibeos.open_home(tmp_path, profile="other") as other:
        one.sessions.start().typed("The zebra is striped")
        other.sessions.start().typed("The lion is not")
        assert [hit.message.text for hit in one.search("zebra")] == ["The zebra is striped"]
        assert other.search("zebra") == ()


def test_search_does_not_cross_users(tmp_path: Path) -> None:
    with (
        vibeos.open_home(tmp_path, user="telegram:1") as one,
        vibeos.open_home(tmp_path, user="telegram:2") as two,
    ):
        session = one.sessions.start()
        session.typed("The zebra is striped")
        assert two.search("zebra") == ()
        assert two.sessions.list() == ()
        with pytest.raises(vibeos.NotFoundError):
            two.sessions.open(session.id)


def test_the_memory_tool_is_one_call_from_json_to_json(home: vibeos.VibeOS) -> None:
    answer = home.memory.tool({"action": "add", "target": "user", "content": "likes tea"})
    assert answer["success"] is True
    assert answer["current_entries"] == ["likes tea"]
    assert home.memory.tool({"action": "read", "target": "user"})["success"] is False
    assert "likes tea" in home.memory.snapshot().text


def test_memory_stands_alone_in_an_agent_of_ones_own(tmp_path: Path) -> None:
    memory = vibeos.CuratedMemory(vibeos.Scope(tmp_path), settings=vibeos.CuratedSettings(memory_limit=100))
    result = memory.apply(
        vibeos.Target.MEMORY, [vibeos.Operation(vibeos.Action.ADD, "likes tea")], vibeos.Origin.PERSON
    )
    assert isinstance(result, vibeos.Applied)
    assert result.usage.limit == 100


def test_a_configuration_that_cannot_be_read_stops_every_write(home: vibeos.VibeOS) -> None:
    Path(home.scope.root).mkdir()
    Path(home.scope.config_file).write_text("memory: [")
    with pytest.raises(vibeos.ConfigError):
        home.memory.add("memory", "likes tea")
    assert not Path(home.scope.memories).exists()


def test_a_home_that_stays_open_follows_its_configuration(home: vibeos.VibeOS) -> None:
    fact = {"action": "add", "target": "memory", "content": "one"}
    assert home.memory.tool(fact)["success"]
    Path(home.scope.config_file).write_text("memory:\n  write_approval: true\n")
    assert "write_approval" in home.memory.tool(fact | {"content": "two"})["error"]
    Path(home.scope.config_file).write_text("memory: [")
    with pytest.raises(vibeos.ConfigError):
        home.memory.tool(fact | {"content": "three"})


def test_a_query_is_not_for_the_users_of_a_gateway(tmp_path: Path) -> None:
    from vibeos.app.data import query

    with vibeos.open_home(tmp_path, user="telegram:1") as one:
        one.sessions.start().typed("a secret")
        with pytest.raises(vibeos.VibeOSError, match="everybody"):
            query(one, "SELECT content_text FROM messages")


def test_what_is_typed_waits_for_a_turn_that_another_program_runs(home: vibeos.VibeOS) -> None:
    session = home.sessions.start()
    recorded: list[str] = []
    writer = threading.Thread(target=lambda: recorded.append(session.typed("meanwhile").text))
    with locked(home.scope.turn_lock(session.id)):
        writer.start()
        writer.join(timeout=0.3)
        assert recorded == []
    writer.join(timeout=30)
    assert recorded == ["meanwhile"]
