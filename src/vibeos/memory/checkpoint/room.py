"""Keeping the requests of one run inside what the model takes: checkpoints first, then drops, then a cut result.

    too long? → a checkpoint by the model, of all but the newest, or of the older half where that turn would not fit
      → still too long to be sent? → the oldest half goes without a model call, until it fits
      → the newest result alone is too long? → it is cut
      → nothing can be removed: the one message that the person gets

A checkpoint that fails changes nothing, and a request that still fits is sent. After two attempts in one run that failed or
freed too little, the model is not asked for one again in that run.
"""

from __future__ import annotations

from asyncio import CancelledError
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.cutting import Cut, before_last, clipped, head_cut, in_flight, tail_cut
from vibeos.memory.checkpoint.draft import Occasion, Region, Written, drafted, region_of
from vibeos.memory.checkpoint.limits import limits_of
from vibeos.memory.checkpoint.memo import Pick
from vibeos.memory.checkpoint.newest_result import cut_newest_result
from vibeos.memory.checkpoint.state import State
from vibeos.memory.checkpoint.writing import TooLargeForTurnError, Writing
from vibeos.ports.models import tools_tokens
from vibeos.ports.models.reply import Usage
from vibeos.record.checkpoints import Attempt, CheckpointDraft, CheckpointMode
from vibeos.record.context import ContextKind
from vibeos.values.errors import (
    CheckpointError,
    ContextFullError,
    ContextOverflowError,
    FileAccessError,
    ModelError,
    StoreError,
)
from vibeos.values.sizes import estimate_tokens

if TYPE_CHECKING:
    from vibeos.memory.checkpoint.context import WorkingContext
    from vibeos.memory.checkpoint.host import Host
    from vibeos.memory.checkpoint.limits import Limits

SETTLED = "settled: "  # how a problem begins that tells what the program did about the others
MOST_UNPRODUCTIVE = 2
PARTIAL_TRIES = 2
_LEAST_FREED = 10  # a checkpoint that frees less than a tenth of the threshold freed too little
_REQUEST = 1_800  # tokens of a checkpoint request without its files
_PARTS = {ContextKind.INPUT: "message", ContextKind.CHECKPOINT: "notes"}
_LESS = 0.9  # of a size that the model refused


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One attempt while it runs: how long the request was, and who writes; nobody in a drop."""

    mode: CheckpointMode
    size: int
    started_at: str
    writing: Writing | None = None

    def row(self, model: str, *, reason: str = "", after: int | None = None) -> Attempt:
        """What the record keeps of it. `after`: how long the request is then; None: it failed."""
        turn = self.writing.turn if self.writing else None
        usage = turn.usage if turn else Usage()
        problems = [f"{one.part.value}: {one.text}" for one in self.writing.problems] if self.writing else []
        settled = (
            [f"{SETTLED}{line}" for line in self.writing.settled]
            if self.writing and after is not None
            else []
        )
        return Attempt(
            mode=self.mode,
            is_made=after is not None,
            reason=reason,
            problems=(*problems, *settled),
            requests=turn.requests if turn else 0,
            usage={name: count for name, count in asdict(usage).items() if count},
            size_before=self.size,
            size_after=self.size if after is None else after,
            model=model,
            started_at=self.started_at,
        )


class RoomMaker:
    """One run's. `make_room` before each request; `refused` when the model says that one was too long."""

    def __init__(self, host: Host, context: WorkingContext, *, unproductive: int = 0) -> None:
        """`unproductive`: what was spent before in the same run."""
        self._host = host
        self._context = context
        self._before = estimate_tokens(host.system) + tools_tokens(host.tools)
        self.unproductive = unproductive

    @property
    def limits(self) -> Limits:
        """What the route allows, and what the model itself has refused in this session."""
        limits = limits_of(self._host.model.route)
        refused = self._context.refused.get(self._host.model.route.name)
        if refused is None:
            return limits
        most = max(1, int(refused * _LESS))
        return replace(
            limits,
            threshold=min(limits.threshold, most),
            most=min(limits.most, most),
            turn=min(limits.turn, most),
        )

    @property
    def size(self) -> int:
        """How long the next request is, in tokens."""
        return self._context.fold.tokens(self._before, self._host.model.route.name)

    def refused(self) -> None:
        """The model refused the request as too long, whatever the estimate said."""
        self._context.refused[self._host.model.route.name] = min(self.size, self.limits.most)

    async def make_room(self) -> None:
        """Let the next request fit. Raises ContextFullError where nothing can be removed any more."""
        if self.size <= self.limits.threshold:
            return
        self._cut_what_alone_is_too_long()
        while self.size > self.limits.threshold and self.unproductive < MOST_UNPRODUCTIVE:
            if not await self._checkpoint():
                break
        while self.size > self.limits.most:
            if not (self._drop() or self._cut_newest()):
                raise self._full()

    def _occasion(self) -> Occasion:
        context = self._context
        state = State.of(context.record, context.session_id)
        return Occasion(self._host, context, state, self.limits)

    # -- by the model ----------------------------------------------------------------------------------------------

    async def _checkpoint(self) -> bool:
        """One checkpoint, of all but the newest or of the older part; whether it freed enough to go on like this."""
        before, limits = self.size, self.limits
        is_made = await self._written(CheckpointMode.FULL, tail_cut(self._context.elements, limits.tail))
        if is_made is None:
            return await self._partly()
        return self._was_productive(before, is_made=is_made)

    async def _partly(self) -> bool:
        """The older part alone, at most about half; two tries. False also where there is nothing that could be moved."""
        before, elements = self.size, self._context.elements
        share = min(sum(one.size for one in elements) // 2, self._room_in_turn())
        for _ in range(min(PARTIAL_TRIES, MOST_UNPRODUCTIVE - self.unproductive)):
            cut = clipped(head_cut(elements, share, whole_units=1), elements, before_last(elements))
            is_made = await self._written(CheckpointMode.PARTIAL, cut)
            if is_made is None:
                return False
            if self._was_productive(before, is_made=is_made):
                return True
            if is_made:
                return False
            share //= 2
        return False

    def _was_productive(self, before: int, *, is_made: bool) -> bool:
        """Keep count of what failed or freed too little."""
        is_productive = is_made and before - self.size >= self.limits.threshold // _LEAST_FREED
        self.unproductive += not is_productive
        return is_productive

    def _room_in_turn(self) -> int:
        limits = self.limits
        asked = _REQUEST + limits.mind.whole + limits.memo + limits.answers
        return max(1, limits.turn - self._before - asked)

    async def _written(self, mode: CheckpointMode, cut: Cut) -> bool | None:
        """Whether a checkpoint was made; None where there is nothing to move, or the whole does not fit into a turn."""
        occasion = self._occasion()
        region = region_of(occasion, cut)
        if not region.moved:
            return None
        attempt = _Attempt(mode, self.size, self._context.record.checkpoints.now(), Writing(occasion, region))
        failed = None if mode is CheckpointMode.FULL else False
        try:
            written = await attempt.writing.write(mode=mode, before=self._before, size=attempt.size)  # type: ignore[union-attr]
            self._commit(attempt, occasion, region, drafted(occasion, region, written))
        except TooLargeForTurnError as error:
            if mode is CheckpointMode.PARTIAL:
                self._note(attempt, error.message)
            return failed
        except ContextOverflowError as error:
            self._note(attempt, error.message)
            return failed
        except (CheckpointError, ModelError, FileAccessError, StoreError) as error:
            self._note(attempt, error.message)
            return False
        except CancelledError:
            self._note(attempt, "it was interrupted")
            raise
        return True

    def _commit(self, attempt: _Attempt, occasion: Occasion, region: Region, draft: CheckpointDraft) -> None:
        """One transaction: the old context or the new one."""
        context, stays = self._context, sum(one.size for one in region.stays)
        after = self._before + draft.sizes["whole"] + stays
        row = attempt.row(self._host.model.route.name, after=after)
        draft = replace(draft, usage=row.usage, problems=row.problems)
        context.record.checkpoints.commit(context.session_id, draft, row, after=occasion.state.row_id)
        context.refresh()
        self._tell(
            f"{attempt.mode.value} checkpoint up to #{region.covers}: {attempt.size:,} to {after:,} tokens",
            row.problems,
        )

    def _note(self, attempt: _Attempt, reason: str) -> None:
        """Keep what went wrong; where not even that can be written, the log may still be."""
        row = attempt.row(self._host.model.route.name, reason=reason)
        with suppress(StoreError):
            self._context.record.checkpoints.note(self._context.session_id, row)
        self._tell(f"{attempt.mode.value} checkpoint failed: {reason}", row.problems)

    # -- without the model -----------------------------------------------------------------------------------------

    def _drop(self) -> bool:
        """Move out the oldest half; False where nothing but the newest unit is left to move.

        The checkpoint in force is kept as far as it fits, and every message of the person that leaves is carried.
        """
        context, limits = self._context, self.limits
        elements = context.elements
        half = sum(one.size for one in elements if one.row.kind is not ContextKind.CHECKPOINT) // 2
        first = elements[0].size if elements and elements[0].row.kind is ContextKind.CHECKPOINT else 0
        cut = clipped(head_cut(elements, first + half, whole_units=1), elements, before_last(elements))
        occasion = self._occasion()
        state = occasion.state
        region = region_of(occasion, cut)
        if not region.moved:
            return False
        attempt = _Attempt(CheckpointMode.DROP, self.size, context.record.checkpoints.now())
        stays = self._before + sum(one.size for one in region.stays)
        picks = tuple(one.pick or Pick(one.number) for one in region.candidates)
        for written in _keeping(state, picks):
            draft = drafted(occasion, region, written)
            if stays + draft.sizes["whole"] <= limits.most:
                break
        self._commit(attempt, occasion, region, draft)
        return True

    def _cut_what_alone_is_too_long(self) -> None:
        """A result that would not fit with nothing beside it is cut first: no checkpoint could help."""
        elements = self._context.elements
        if elements and elements[-1].row.kind is ContextKind.RESULTS and self._alone() > self.limits.most:
            self._cut_newest()

    def _alone(self) -> int:
        """The size of the newest unit with what can never be moved: system prompt, tools, inputs under way."""
        elements = self._context.elements
        start = before_last(elements)
        flying = sum(elements[place].size for place in in_flight(elements) if place < start)
        return self._before + flying + sum(one.size for one in elements[start:])

    def _cut_newest(self) -> bool:
        elements = self._context.elements
        if not elements:
            return False
        limits = self.limits
        beside = self._alone() - elements[-1].size
        if elements[0].row.kind is ContextKind.CHECKPOINT:
            beside += elements[0].size
        room = (limits.threshold - beside) // 2
        is_cut = cut_newest_result(self._context, room)
        if is_cut:
            self._tell("the newest tool result was cut to fit", ())
        return is_cut

    def _tell(self, line: str, problems: tuple[str, ...]) -> None:
        reasons = f"; problems: {' | '.join(problems)}" if problems else ""
        self._host.log(f"session {self._context.session_id}: {line}{reasons}")

    def _full(self) -> ContextFullError:
        parts = [("system", 0, self._before)]
        parts += [
            (_PARTS.get(one.row.kind, "step"), one.row.context_seq, one.size)
            for one in self._context.elements
        ]
        part, number, size = max(parts, key=lambda part: part[2])
        return ContextFullError(part, number, size, self.limits.most)


def _keeping(state: State, picks: tuple[Pick, ...]) -> list[Written]:
    """What a drop may keep, from most to least."""
    drop = CheckpointMode.DROP
    return [
        Written(drop, state.mind, picks, state.now),
        Written(drop, state.mind, picks, state.now, with_skills=False),
        Written(drop, state.mind, picks, "", with_skills=False, shows_mind=False),
    ]
