"""Skills whose loading leaves the context, put back in their present version, the one loaded last first.

Putting back is no loading, so what is not loaded again is pushed out by what is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.tags import escaped
from vibeos.values.sizes import cut_to_tokens, estimate_tokens
from vibeos.values.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from vibeos.memory.checkpoint.limits import Limits
    from vibeos.record import SkillLoad

MOST_SKILLS = 20
_CUT = "(cut here; the whole of it: vibe skill load {name})"
_FRAME = 12  # tokens of the tags around one
_LEAST = 50  # of a skill that is shown cut; less says nothing


def put_back(
    loads: Iterable[SkillLoad], text_of: Callable[[SkillLoad], str | None], limits: Limits, *, up_to: int
) -> tuple[tuple[str, str], ...]:
    """Names and texts of the skills that were loaded up to a number, as far as they fit; the newest loads come first.

    `text_of`: a skill as it is now; None where it is gone or withheld.
    """
    shown: list[tuple[str, str]] = []
    room = limits.skills
    for load in loads:
        if load.after_seq > up_to:
            continue
        if len(shown) == MOST_SKILLS or room < _LEAST + _FRAME:
            break
        text = text_of(load)
        if text is None:
            continue
        name = one_line(load.name)
        text = cut_to_tokens(escaped(text), min(limits.skill, room - _FRAME), _CUT.format(name=name))
        shown.append((name, text))
        room -= estimate_tokens(text) + _FRAME
    return tuple(shown)
