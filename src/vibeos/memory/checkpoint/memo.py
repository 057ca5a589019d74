"""The memo: the person's own words, which a model only ticks and the program copies from the record.

- An entry equals the record's text, byte for byte, up to a marked cut; only our own block tags in it are made harmless.
- Every entry, as it is shown, has at most 300 tokens; all together have at most the memo's limit.
- What does not fit is shortened evenly. Where that would leave less than about ten tokens of a message, the first and the
  newest messages are kept as they are; the others stay in the record under their numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.memory.checkpoint.parts import parts_in
from vibeos.memory.checkpoint.tags import block, escaped
from vibeos.values.sizes import cut_to_tokens, estimate_tokens, even_cap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vibeos.memory.checkpoint.limits import Limits

LEAST_WORDS = 10  # tokens of a message that are worth showing
_CUT = "[cut: #{number} whole is in the record]"


@dataclass(frozen=True, slots=True, order=True)
class Pick:
    """A message that is carried. `parts`: which parts of it, counted from 1; empty: the whole."""

    number: int
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message of the person that leaves the context, as a model is shown it. `pick`: how it was carried until now."""

    number: int
    text: str
    pick: Pick | None = None


@dataclass(frozen=True, slots=True)
class Memo:
    """What is carried, by number."""

    picks: tuple[Pick, ...]

    def dump(self) -> str:
        """As it is stored: JSON, which `load` reads back."""
        return json.dumps([[pick.number, *pick.parts] for pick in self.picks])

    @classmethod
    def load(cls, stored: str) -> Memo:
        return cls(tuple(Pick(number, tuple(parts)) for number, *parts in json.loads(stored)))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The picks that found room, and each as it is shown."""

    picks: tuple[Pick, ...]
    entries: tuple[str, ...]


def fitted(picks: Sequence[Pick], texts: Mapping[int, str], limits: Limits) -> Fitted:
    """Copy what was picked, within the limits. A number without a text is left out."""
    known = [pick for pick in sorted(picks) if pick.number in texts]
    whole = [_entry(pick, texts[pick.number], limits.message) for pick in known]
    sizes = [estimate_tokens(entry) for entry in whole]
    if sum(sizes) <= limits.memo:
        return Fitted(tuple(known), tuple(whole))
    cap = even_cap(sizes, limits.memo)
    if all(size <= cap or cap >= _least(pick) for pick, size in zip(known, sizes, strict=True)):
        return Fitted(tuple(known), tuple(_entry(pick, texts[pick.number], cap) for pick in known))
    kept = _first_and_newest(sizes, limits.memo)
    return Fitted(tuple(known[place] for place in kept), tuple(whole[place] for place in kept))


def size_of(picks: Sequence[Pick], texts: Mapping[int, str], limits: Limits) -> int:
    """The tokens of all copies before any is shortened further than a message's own limit."""
    return sum(estimate_tokens(_entry(pick, texts[pick.number], limits.message)) for pick in picks)


def is_long(text: str, most: int) -> bool:
    """Whether a message cannot be carried whole, so that its parts are listed."""
    return estimate_tokens(_framed(Pick(0), escaped(text))) > most


def shown_memo(memo: Fitted) -> str:
    """The memo as a checkpoint shows it; "" where nothing is carried."""
    return "\n".join(memo.entries)


def _entry(pick: Pick, text: str, most: int) -> str:
    """One message as it is shown, with at most `most` tokens."""
    room = most - estimate_tokens(_framed(pick, "")) - 1
    note = _CUT.format(number=pick.number)
    if not pick.parts:
        return _framed(pick, cut_to_tokens(escaped(text), room, note))
    every = parts_in(text)
    chosen = [escaped(every[part - 1]) for part in pick.parts if part <= len(every)]
    room -= len(chosen)  # the line breaks between them
    cap = even_cap([estimate_tokens(part) for part in chosen], room)
    return _framed(pick, "\n".join(cut_to_tokens(part, cap, note) for part in chosen))


def _framed(pick: Pick, text: str) -> str:
    parts = {"parts": ",".join(map(str, pick.parts))} if pick.parts else {}
    return block("message", text, number=f"#{pick.number}", **parts)


def _least(pick: Pick) -> int:
    """What an entry takes that shows about ten tokens of its message."""
    note = _CUT.format(number=pick.number)
    return estimate_tokens(_framed(pick, note)) + LEAST_WORDS * max(1, len(pick.parts)) + 1


def _first_and_newest(sizes: Sequence[int], most: int) -> list[int]:
    """The places of the first and of as many of the newest as fit; the newest alone where only one does."""
    last = len(sizes) - 1
    kept = [last] if sizes and sizes[last] <= most else []
    left = most - sum(sizes[place] for place in kept)
    if last > 0 and kept and sizes[0] <= left:
        kept.insert(0, 0)
        left -= sizes[0]
    for place in range(last - 1, 0, -1):
        left -= sizes[place]
        if left < 0 or not kept:
            break
        kept.append(place)
    return sorted(kept)
