"""One checkpoint by the model, from its two files to the commit: turn, judgement, one repair, fallbacks, one transaction.

Whatever goes wrong before the transaction leaves the conversation as it was. What the model got wrong is settled by the
document's table, in favour of keeping more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.checklist import checklist, judge_checklist
from vibeos.memory.checkpoint.draft import Occasion, Region, Written
from vibeos.memory.checkpoint.mind import Mind, judge_mind
from vibeos.memory.checkpoint.now import judge_now
from vibeos.memory.checkpoint.request import Files, checkpoint_request, repair_request
from vibeos.memory.checkpoint.scratch import MEMO_FILE, MIND_FILE, Scratch
from vibeos.memory.checkpoint.turn import ROUNDS, CheckpointTurn, Fork, with_edit
from vibeos.ports.models import element_tokens, user_request
from vibeos.record.checkpoints import CheckpointMode
from vibeos.values.errors import CheckpointError

if TYPE_CHECKING:
    from vibeos.memory.checkpoint.memo import Pick
    from vibeos.memory.checkpoint.problems import Problem


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the turn left: its problems, and what would be taken if none were mended. `now` None: nothing usable.

    `settled`: how what is wrong is settled then, a line each.
    """

    problems: tuple[Problem, ...]
    settled: tuple[str, ...]
    mind: Mind
    picks: tuple[Pick, ...]
    now: str | None


class Writing:
    """An attempt while it runs. `turn` counts requests and usage also when it fails."""

    def __init__(self, occasion: Occasion, region: Region) -> None:
        self._host = occasion.host
        self._state = occasion.state
        self._limits = occasion.limits
        self._region = region
        self._checklist = checklist(region.candidates, message_limit=self._limits.message)
        self.turn: CheckpointTurn | None = None
        self.problems: tuple[Problem, ...] = ()
        self.settled: tuple[str, ...] = ()

    async def write(self, *, mode: CheckpointMode, before: int, size: int) -> Written:
        """Let the model write, judge it, have it mended once. Raises CheckpointError, ModelError, FileAccessError.

        `before`: tokens of system prompt and tools; `size`: of the whole request.
        """
        with Scratch(self._host.scratch) as scratch:
            scratch.write(MIND_FILE, self._state.mind.text)
            scratch.write(MEMO_FILE, self._checklist)
            files = Files(
                scratch.path(MIND_FILE), scratch.path(MEMO_FILE), self._state.mind.text, self._checklist
            )
            is_partial = mode is CheckpointMode.PARTIAL
            request = checkpoint_request(files, self._limits, rounds=ROUNDS, is_partial=is_partial)
            turn = self.turn = self._turn(scratch, files, is_partial=is_partial, before=before, size=size)
            self._require_room(turn.fork, request)
            await turn.run(request)
            judged = self._judge(turn)
            if judged.problems:
                self.problems = judged.problems
                rounds = max(1, turn.rounds_left)
                await turn.repair(
                    repair_request(judged.problems, rounds=rounds, has_now=judged.now is not None)
                )
                judged = self._judge(turn)
            if not scratch.is_there():
                raise CheckpointError("the scratch folder was taken away while the checkpoint was written")
        self.problems = (*self.problems, *(one for one in judged.problems if one not in self.problems))
        self.settled = judged.settled
        if judged.now is None:
            raise CheckpointError("the model wrote no working state that can be used")
        return Written(mode, judged.mind, judged.picks, judged.now)

    def _turn(
        self, scratch: Scratch, files: Files, *, is_partial: bool, before: int, size: int
    ) -> CheckpointTurn:
        elements = self._region.elements[: self._region.cut.at] if is_partial else self._region.elements
        fork = Fork(
            model=self._host.model,
            system=self._host.system,
            tools=with_edit(self._host.tools),
            messages=[element.message for element in elements],
            size=before + sum(element.size for element in elements) if is_partial else size,
            most=self._limits.turn,
            read=self._host.read,
        )
        return CheckpointTurn(fork, scratch, files)

    def _require_room(self, fork: Fork, request: str) -> None:
        if fork.size + element_tokens(user_request(request)) + self._limits.answers > fork.most:
            raise TooLargeForTurnError

    def _judge(self, turn: CheckpointTurn) -> Judgement:
        mind = judge_mind(
            turn.scratch.read(MIND_FILE), self._state.mind, self._limits.mind, self._region.spoken
        )
        memo = judge_checklist(
            self._checklist,
            turn.scratch.read(MEMO_FILE),
            self._region.candidates,
            limits=self._limits,
            rounds_ran_out=turn.ran_out,
        )
        now = judge_now(turn.answers, self._limits.now, is_cut=turn.is_cut)
        return Judgement(
            (*mind.problems, *memo.problems, *now.problems),
            (
                *mind.settled,
                *memo.settled,
                *(("the working state is shown cut",) if now.problems and now.text else ()),
            ),
            mind.mind,
            memo.picks,
            now.text,
        )


class TooLargeForTurnError(CheckpointError):
    """The conversation is too large for a checkpoint turn."""
