"""Now: the working state, written afresh each time, as one block in the text of the checkpoint turn's answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vibeos.memory.checkpoint.limits import LEAST_NOW
from vibeos.memory.checkpoint.problems import Part, Problem
from vibeos.memory.checkpoint.tags import escaped
from vibeos.values.sizes import cut_to_tokens, estimate_tokens

_OPEN = re.compile(r"<now>", re.IGNORECASE)
_CLOSE = re.compile(r"</now>", re.IGNORECASE)
_CUT = "[…] (cut here: the working state was longer than its limit)"


@dataclass(frozen=True, slots=True)
class NowVerdict:
    """What was found: `text` is the block's inside, None where none can be used."""

    text: str | None
    problems: tuple[Problem, ...]


def judge_now(answers: list[str], most: int, *, is_cut: bool = False) -> NowVerdict:
    """Judge the answers of a turn, the oldest first; the last one that holds anything of a block counts.

    `is_cut`: the last answer ended at the model's output limit.
    """
    holding = [text for text in answers if _OPEN.search(text) or _CLOSE.search(text)]
    if not holding:
        said = "had no text" if not any(text.strip() for text in answers) else "held no <now> block"
        return _unusable(f"Your answer {said}. Write the working state in one block: <now> … </now>.")
    answer = holding[-1]
    opened, closed = list(_OPEN.finditer(answer)), list(_CLOSE.finditer(answer))
    if len(opened) != 1 or len(closed) != 1 or closed[0].start() < opened[0].end():
        return _unusable(
            f"Exactly one <now> block is read; your answer opens {len(opened)} and closes {len(closed)}. "
            "Write one, complete, with everything in it."
        )
    if is_cut and answer is answers[-1]:
        return _unusable("Your answer ended at the output limit. Write a shorter <now> block.")
    return _judged(answer[opened[0].end() : closed[0].start()].strip(), most)


def _judged(text: str, most: int) -> NowVerdict:
    size = estimate_tokens(text)
    least = min(LEAST_NOW, most)
    if size < least:
        return _unusable(
            f"The <now> block has about {size} tokens; at least {least} are needed to go on from it. "
            "Fill in its parts: the step, progress, what is waited for, the next step, pitfalls, exact references."
        )
    if size > most:
        problem = Problem(
            Part.NOW, f"The <now> block has about {size:,} tokens; at most {most:,} are kept. Shorten it."
        )
        return NowVerdict(text, (problem,))
    return NowVerdict(text, ())


def shown_now(text: str, most: int) -> str:
    """The block's inside as a checkpoint shows it, cut where it is too long."""
    return cut_to_tokens(escaped(text), most, _CUT)


def _unusable(text: str) -> NowVerdict:
    return NowVerdict(None, (Problem(Part.NOW, text),))
