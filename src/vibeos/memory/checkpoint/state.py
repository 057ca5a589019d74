"""What the checkpoint in force says, as values; the beginning of a session has one too, an empty one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.known import Known
from vibeos.memory.checkpoint.memo import Memo
from vibeos.memory.checkpoint.mind import EMPTY, Mind

if TYPE_CHECKING:
    from vibeos.record import Checkpoint, Record


@dataclass(frozen=True, slots=True)
class State:
    """`row_id`: the checkpoint's row, None before the first. `covers`: the newest number that it stands in for."""

    row_id: int | None
    covers: int
    mind: Mind
    memo: Memo
    now: str
    known: Known

    @classmethod
    def of(cls, record: Record, session_id: str) -> State:
        """The state of a session as it is stored."""
        made = record.checkpoints.latest(session_id)
        if made is None:
            return cls(None, 0, EMPTY, Memo(()), "", Known())
        return cls(
            made.row_id,
            made.covers,
            Mind.load(made.mind),
            Memo.load(made.memo),
            made.now,
            Known.load(made.more),
        )


def parts_of(made: Checkpoint) -> dict[str, str]:
    """A stored checkpoint's parts for a person to read: the mind whole, which messages are carried, the working state."""
    picks = Memo.load(made.memo).picks
    carried = [
        f"#{pick.number}" + (f" parts {', '.join(map(str, pick.parts))}" if pick.parts else "")
        for pick in picks
    ]
    known = Known.load(made.more)
    lines = [*(f"changed {path}" for path in known.modified), *(f"read {path}" for path in known.read)]
    lines += [*(f"saved {line}" for line in known.saved)]
    lines += [f"did {tool} {what} ({count})" for tool, what, count in known.log]
    return {
        "mind": Mind.load(made.mind).text,
        "memo": "\n".join(carried),
        "now": made.now,
        "program": "\n".join(lines),
    }
