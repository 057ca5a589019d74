"""Cutting the newest results of tools where they alone do not fit. The cut is stored, so a resumed session has it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.models import dump_outcomes, load_outcomes
from vibeos.ports.models.tools import ToolOutcome
from vibeos.record.context import ContextKind
from vibeos.values.sizes import BYTES_PER_TOKEN, estimate_tokens, even_cap

if TYPE_CHECKING:
    from vibeos.memory.checkpoint.context import WorkingContext

NOTE = "\n[… cut by the program: this output had about {size:,} tokens, more than fits. Its end follows. …]\n"
LEAST = 100  # tokens of one output; where not even this fits, cutting does not help
_HEAD = 2 / 3


def cut_newest_result(context: WorkingContext, room: int) -> bool:
    """Cut the results at the end of the context to `room` tokens in all; whether there was something to cut."""
    if not context.elements or context.elements[-1].row.kind is not ContextKind.RESULTS:
        return False
    last = context.elements[-1]
    outcomes = load_outcomes(last.row.payload)
    sizes = [estimate_tokens(one.content) for one in outcomes]
    most = even_cap(sizes, room)
    if most < LEAST or max(sizes) <= most:
        return False
    changed = [_cut(one, size, most) for one, size in zip(outcomes, sizes, strict=True)]
    context.record.checkpoints.replace_results(context.session_id, last.row.id, dump_outcomes(changed))
    context.reload()
    return True


def _cut(outcome: ToolOutcome, size: int, most: int) -> ToolOutcome:
    if size <= most:
        return outcome
    note = NOTE.format(size=size)
    data = outcome.content.encode("utf-8", "surrogatepass")
    room = max(0, most - estimate_tokens(note) - 1) * BYTES_PER_TOKEN
    head = int(room * _HEAD)
    first = data[:head].decode("utf-8", "ignore")
    last = data[len(data) - (room - head) :].decode("utf-8", "ignore")
    return ToolOutcome(outcome.call_id, outcome.tool_name, f"{first}{note}{last}")
