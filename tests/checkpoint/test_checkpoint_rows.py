"""A checkpoint's row stands first, what it kept behind it, and what it replaced is gone; all in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checkpoint.conversations import ATTEMPT, as_text
from vibeos.memory.checkpoint.context import compose
from vibeos.record import CheckpointDraft, CheckpointMode, ContextKind
from vibeos.values.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from checkpoint.conversations import Talk


def rows(talk: Talk) -> list[tuple[int, str]]:
    return [(row.id, row.kind.value) for row in talk.record.context.rows(talk.session)]


def test_a_checkpoint_replaces_the_rows_before_it_but_for_those_it_keeps(talk: Talk) -> None:
    talk.says("first request")
    talk.calls(("read", '{"path":"a"}', "long output"))
    talk.answers("done")
    talk.says("second request")
    talk.calls(("read", '{"path":"b"}', "another output"))
    ids = [row.id for row in talk.record.context.rows(talk.session)]
    whole = talk.elements()

    talk.replace(keeps_from=ids[-2], kept=[ids[-3]])

    assert rows(talk)[:-1] == [(ids[-3], "input"), (ids[-2], "response"), (ids[-1], "results")]
    assert rows(talk)[-1][1] == "checkpoint"
    after = talk.elements()
    assert "notes" in after[0]
    assert after[1:] == whole[-3:]
    assert [message.text for message in talk.record.messages.of_session(talk.session)] == [
        "first request", "", "done", "second request", "",
    ]  # fmt: skip


def test_a_running_context_follows_a_checkpoint_as_a_restarted_one_reads_it(talk: Talk) -> None:
    talk.says("one")
    talk.answers("two")
    running = talk.context()
    newest = running.elements[-1].row.id
    talk.says("three")
    talk.replace(keeps_from=newest + 1)
    talk.says("four")
    running.refresh()
    assert as_text(running.messages) == talk.elements()
    assert len(running.messages) == 3


def test_a_second_checkpoint_replaces_the_first(talk: Talk) -> None:
    for number in range(4):
        talk.says(f"question {number}")
        talk.answers(f"answer {number}")
    ids = [row.id for row in talk.record.context.rows(talk.session)]
    talk.replace(keeps_from=ids[2], text="[Harness: checkpoint] first notes")
    talk.replace(keeps_from=ids[6], text="[Harness: checkpoint] second notes")
    elements = talk.elements()
    assert [kind for _, kind in rows(talk)] == ["input", "response", "checkpoint"]
    assert "second notes" in elements[0]
    assert not any("first notes" in element for element in elements)
    assert [one.parent_row for one in talk.record.checkpoints.of_session(talk.session)] == [None, ids[-1] + 1]


def test_a_checkpoint_that_goes_on_from_an_older_one_than_is_in_force_is_refused(talk: Talk) -> None:
    talk.says("one")
    talk.replace(keeps_from=1)
    before = rows(talk)
    with pytest.raises(StoreError, match="meanwhile"):
        talk.record.checkpoints.commit(
            talk.session,
            _other_draft(),
            ATTEMPT,
            after=None,
        )
    assert rows(talk) == before
    assert len(talk.record.checkpoints.attempts(talk.session)) == 1


def _other_draft() -> CheckpointDraft:
    return CheckpointDraft(CheckpointMode.FULL, "other", 1, 1, (), "{}", "[]", "", "{}", {})


def test_a_deleted_session_takes_its_checkpoints_with_it(talk: Talk) -> None:
    talk.says("one")
    talk.replace(keeps_from=1)
    talk.record.sessions.delete(talk.session)
    assert talk.record.checkpoints.of_session(talk.session) == ()
    assert talk.record.checkpoints.attempts(talk.session) == ()
    with pytest.raises(NotFoundError):
        talk.record.checkpoints.commit(talk.session, _other_draft(), ATTEMPT, after=None)


def test_rows_that_a_checkpoint_replaced_but_a_crash_left_are_not_composed(talk: Talk) -> None:
    """The function does not rest on the deletion: given all rows that ever were, it gives the same elements."""
    talk.says("one")
    talk.answers("two")
    talk.says("three")
    every = list(talk.record.context.rows(talk.session))
    talk.replace(keeps_from=every[-1].id)
    made = [row for row in talk.record.context.rows(talk.session) if row.kind is ContextKind.CHECKPOINT]
    assert as_text(compose([*every, *made])) == talk.elements()
