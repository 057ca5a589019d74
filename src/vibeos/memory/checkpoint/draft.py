"""From a cut and what was written to a checkpoint that can be committed: texts copied from the record, blocks put together.

A model-made checkpoint and a drop are put together by the same steps, so every rule about what is shown stands here once.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.assembly import Pieces, composed
from vibeos.memory.checkpoint.cutting import in_flight
from vibeos.memory.checkpoint.known import grown
from vibeos.memory.checkpoint.memo import Candidate, Memo, Pick, fitted, shown_memo
from vibeos.memory.checkpoint.mind import EMPTY, shown_mind
from vibeos.memory.checkpoint.not_carried import not_carried
from vibeos.memory.checkpoint.now import shown_now
from vibeos.memory.checkpoint.person import Spoken
from vibeos.memory.checkpoint.skills_back import put_back
from vibeos.ports.guard.files import atomic_write, exists
from vibeos.record.checkpoints import CheckpointDraft, CheckpointMode
from vibeos.record.context import ContextKind
from vibeos.record.message import MessageType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.memory.checkpoint.context import Element, WorkingContext
    from vibeos.memory.checkpoint.cutting import Cut
    from vibeos.memory.checkpoint.host import Host
    from vibeos.memory.checkpoint.limits import Limits
    from vibeos.memory.checkpoint.mind import Mind
    from vibeos.memory.checkpoint.state import State


@dataclass(frozen=True, slots=True)
class Occasion:
    """What an attempt goes by: who runs the conversation, its context, the checkpoint in force, how much fits."""

    host: Host
    context: WorkingContext
    state: State
    limits: Limits


@dataclass(frozen=True, slots=True)
class Region:
    """The part of a conversation that leaves, and who said what in it.

    `covers`: the newest number in it. `kept`: numbers of inputs in it that stay, since their turn is under way.
    """

    cut: Cut
    elements: tuple[Element, ...]
    covers: int
    kept: tuple[int, ...]
    spoken: Spoken
    candidates: tuple[Candidate, ...]

    @property
    def moved(self) -> list[Element]:
        """What leaves."""
        return self.cut.moved(self.elements)

    @property
    def stays(self) -> list[Element]:
        """What stays."""
        return self.cut.stays(self.elements)


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, or what a drop keeps of it. `mind` None leaves it out of the text."""

    mode: CheckpointMode
    mind: Mind
    picks: tuple[Pick, ...]
    now: str
    shows_mind: bool = True
    with_skills: bool = True


def region_of(occasion: Occasion, cut: Cut) -> Region:
    """Look up what the cut moves out: every message of the person in it is a candidate, and what was carried before."""
    context, state = occasion.context, occasion.state
    elements = tuple(context.elements)
    rest = elements[cut.at :]
    below = rest[0].row.context_seq if rest else None
    messages = context.record.messages
    newest = messages.number_before(context.session_id)
    # An input that an earlier checkpoint kept may come first in the rest, with a number that is covered already.
    covers = max(state.covers, newest if below is None else messages.number_before(context.session_id, below))
    inputs = (one.row.context_seq for one in cut.stays(elements) if one.row.kind is ContextKind.INPUT)
    kept = tuple(number for number in inputs if number <= covers)
    spoken = Spoken(context.record, context.session_id, up_to=newest)
    return Region(cut, elements, covers, kept, spoken, _candidates(spoken, state, covers, kept))


def _candidates(spoken: Spoken, state: State, covers: int, kept: tuple[int, ...]) -> tuple[Candidate, ...]:
    before = {pick.number: pick for pick in state.memo.picks}
    fresh = (number for number in spoken.numbers if state.covers < number <= covers)
    numbers = sorted({*before, *state.known.kept, *fresh} - set(kept))
    found = ((number, spoken.message(number)) for number in numbers if number <= covers)
    return tuple(
        Candidate(number, message.presented, before.get(number))
        for number, message in found
        if message is not None
    )


def drafted(occasion: Occasion, region: Region, written: Written) -> CheckpointDraft:
    """The checkpoint as it will be committed."""
    host, limits = occasion.host, occasion.limits
    texts = {one.number: one.text for one in region.candidates}
    memo = fitted(written.picks, texts, limits)
    known = grown(
        occasion.state.known, region.moved, kept=region.kept, with_log=written.mode is CheckpointMode.DROP
    )
    carried = {pick.number for pick in memo.picks}
    left = [
        number for number in region.spoken.numbers if number <= region.covers and number not in region.kept
    ]
    text, sizes = composed(
        Pieces(
            covers=region.covers,
            mind=_mind_shown(host, region, written, limits),
            memo=shown_memo(memo),
            now=shown_now(written.now, limits.now) if written.now else "",
            skills=_skills(occasion, region) if written.with_skills else (),
            known=known,
            jobs=host.living(),
            as_of=occasion.context.record.checkpoints.now()[:16].replace("T", " ") + " UTC",
            lookup=host.lookup,
            index=lambda most: not_carried(left, carried, limit_tokens=most),
            is_drop=written.mode is CheckpointMode.DROP,
            flying=_flying(region.stays),
        ),
        limits,
    )
    return CheckpointDraft(
        mode=written.mode,
        text=text,
        covers=region.covers,
        keeps_from=_keeps_from(region),
        kept=tuple(region.elements[place].row.id for place in region.cut.kept),
        mind=written.mind.dump(),
        memo=Memo(memo.picks).dump(),
        now=written.now,
        more=known.dump(),
        sizes=sizes,
        model=host.model.route.name,
    )


def _mind_shown(host: Host, region: Region, written: Written, limits: Limits) -> str:
    if not written.shows_mind or written.mind == EMPTY:
        return ""
    name = hashlib.sha256(written.mind.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    path = os.path.join(os.path.abspath(host.copies), f"mind-{region.covers}-{name}.md")
    shown = shown_mind(written.mind, limits.mind, region.spoken, path)
    if path in shown and not exists(path):
        atomic_write(path, written.mind.text.encode("utf-8", "surrogatepass"), new_mode=0o400)
    return shown


def _skills(occasion: Occasion, region: Region) -> tuple[tuple[str, str], ...]:
    loads = occasion.context.record.skill_loads.of_session(occasion.context.session_id)
    return put_back(loads, occasion.host.skill, occasion.limits, up_to=region.covers)


def _keeps_from(region: Region) -> int:
    """The row from which on everything stays: results may be stored behind inputs that came meanwhile, so the lowest."""
    rest = [
        element.row.id
        for element in region.elements[region.cut.at :]
        if element.row.kind is not ContextKind.CHECKPOINT
    ]
    newest = max((element.row.id for element in region.elements), default=0)
    return min(rest, default=newest + 1)


def _flying(stays: Sequence[Element]) -> str:
    types = {stays[place].row.message.type for place in in_flight(stays) if stays[place].row.message}  # type: ignore[union-attr]
    if MessageType.USER in types:
        return "person"
    return "harness" if types else ""
