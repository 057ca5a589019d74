"""Writes of many sessions share a transaction, and none of them suffers for another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from vibeos.agent.journal import Journal
from vibeos.ports.models.plain import plain_response
from vibeos.record import open_record
from vibeos.values.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from vibeos.ports.store import Transaction
    from vibeos.record import Message, Record


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(tmp_path / "state.db") as record:
        yield record


def saying(record: Record, session_id: str, text: str) -> Callable[[Transaction], Message]:
    return lambda transaction: record.messages.add_response(
        transaction, session_id, text=text, payload=plain_response(text)
    )


def transactions(record: Record) -> list[int]:
    """Counts what is committed from now on."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    record._database._line.connection.set_commit_hook(count)  # type: ignore[attr-defined]
    return counted


def test_what_is_ready_together_is_one_transaction(record: Record) -> None:
    sessions = [record.sessions.start(source="test").id for _ in range(20)]
    journal, counted = Journal(record), transactions(record)

    async def all_at_once() -> list[Message]:
        return await asyncio.gather(*(journal.store(saying(record, one, f"from {one}")) for one in sessions))

    written = asyncio.run(all_at_once())
    assert [message.session_id for message in written] == sessions
    assert [record.messages.of_session(one)[0].text for one in sessions] == [
        f"from {one}" for one in sessions
    ]
    assert counted[0] == 1


def test_an_action_that_fails_fails_alone(record: Record) -> None:
    session = record.sessions.start(source="test").id
    journal = Journal(record)

    async def three() -> list[object]:
        names = [session, "no-such-session", session]
        return await asyncio.gather(
            *(journal.store(saying(record, name, f"t{place}")) for place, name in enumerate(names)),
            return_exceptions=True,
        )

    first, second, third = asyncio.run(three())
    assert isinstance(second, NotFoundError)
    assert [message.text for message in record.messages.of_session(session)] == ["t0", "t2"]
    assert first is not None
    assert third is not None


def test_a_fault_of_our_own_reaches_whoever_waits(record: Record) -> None:
    def wrong(_transaction: Transaction) -> None:
        raise ZeroDivisionError

    async def store() -> None:
        await asyncio.wait_for(Journal(record).store(wrong), timeout=5)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(store())


def test_what_was_handed_over_is_written_also_when_the_turn_is_interrupted(record: Record) -> None:
    session = record.sessions.start(source="test").id
    journal = Journal(record)

    async def interrupted() -> None:
        task = asyncio.create_task(journal.store(saying(record, session, "said")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    assert [message.text for message in record.messages.of_session(session)] == ["said"]


def test_two_event_loops_in_two_threads_do_not_disturb_each_other(record: Record) -> None:
    session = record.sessions.start(source="test").id
    journal = Journal(record)

    def talk(name: str) -> None:
        async def speak() -> None:
            for number in range(25):
                await journal.store(saying(record, session, f"{name} {number}"))

        asyncio.run(speak())

    async def both() -> None:
        await asyncio.gather(*(asyncio.to_thread(talk, name) for name in ("a", "b")))

    asyncio.run(both())
    texts = [message.text for message in record.messages.of_session(session)]
    assert sorted(texts) == sorted(f"{name} {number}" for name in "ab" for number in range(25))
    assert [text for text in texts if text.startswith("a")] == [f"a {number}" for number in range(25)]


def test_a_fault_of_one_session_takes_no_others_write_with_it(record: Record) -> None:
    session = record.sessions.start(source="test").id
    journal = Journal(record)

    def wrong(_transaction: Transaction) -> None:
        raise TypeError

    async def both() -> list[object]:
        actions = [saying(record, session, "kept"), wrong]
        return await asyncio.gather(*map(journal.store, actions), return_exceptions=True)

    _, failed = asyncio.run(both())
    assert isinstance(failed, TypeError)
    assert [message.text for message in record.messages.of_session(session)] == ["kept"]


def test_a_write_that_fails_during_an_interrupt_is_heard_of(record: Record) -> None:
    journal = Journal(record)

    async def interrupted() -> None:
        task = asyncio.create_task(journal.store(saying(record, "no-such-session", "lost")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(NotFoundError):
            await task

    asyncio.run(interrupted())
