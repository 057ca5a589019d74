"""An answer that is still being written, cut into blocks of Markdown that will not change any more.

Nothing is lost and nothing is doubled: the texts of all blocks, in their order, are the answer (long code is closed and
opened again at a cut). What no block holds yet is the `tail`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})(.*)$")
_ITEM = re.compile(r"^( {0,3})(?:[-*+]|\d{1,9}[.)])(?: |\t|$)")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t]|$)")
_MOST_CODE = 20  # lines of a code block that are kept back until it ends


@dataclass(frozen=True, slots=True)
class Block:
    """A finished piece. `apart`: a blank line stands between it and the one before."""

    text: str
    apart: bool


class Blocks:
    """Takes pieces as they come, gives blocks as they end."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lines: list[str] = []  # whole lines of the block that is open
        self._rest = ""  # a line that has not ended
        self._fence = ""  # the mark of an open code block
        self._opening = ""  # the line that opened it
        self._gap = False  # blank lines were seen behind the open block
        self._apart = False  # a blank line stood before it

    @property
    def tail(self) -> str:
        """What has been written and stands in no block yet."""
        return "\n".join([*self._lines, self._rest])

    def feed(self, piece: str) -> list[Block]:
        """Take the next piece; the blocks that ended with it."""
        *lines, self._rest = (self._rest + piece).split("\n")
        return [block for line in lines for block in self._line(line.removesuffix("\r"))]

    def finish(self) -> list[Block]:
        """The text has ended: what is left, as blocks. After it a new text may begin."""
        done = self._line(self._rest) if self._rest else []
        done += self._cut()
        self._begin()
        return done

    def _line(self, line: str) -> list[Block]:
        if self._fence:
            return self._code(line)
        if not line.strip():
            return self._blank()
        done = self._cut() if self._begins_anew(line) else []
        if self._gap:
            self._lines += [""]
            self._gap = False
        self._lines.append(line)
        if opened := _fence(line):
            self._fence, self._opening = opened, line
        elif _HEADING.match(line) and len(self._lines) == 1:
            done += self._cut()
        return done

    def _blank(self) -> list[Block]:
        """A blank line ends everything but a list, whose items may go on behind it."""
        if not self._lines:
            self._apart = True
            return []
        if _ITEM.match(self._lines[0]):
            self._gap = True
            return []
        done = self._cut()
        self._apart = True
        return done

    def _begins_anew(self, line: str) -> bool:
        """Whether this line, outside code, cannot belong to the open block."""
        if not self._lines:
            return False
        first = _ITEM.match(self._lines[0])
        if first is None:
            return bool(_HEADING.match(line) or _fence(line))
        item = _ITEM.match(line)
        if item is not None:
            return len(item[1]) <= len(first[1])
        return self._gap and not line.startswith(("  ", "\t"))

    def _code(self, line: str) -> list[Block]:
        self._lines.append(line)
        if line.strip() and not line.strip().strip(self._fence[0]) and len(line.strip()) >= len(self._fence):
            self._fence = ""
            return [] if _ITEM.match(self._lines[0]) else self._cut()
        if len(self._lines) <= _MOST_CODE or self._lines[0] != self._opening:
            return []
        block = Block("\n".join([*self._lines, self._fence]), self._apart)
        self._lines, self._apart = [self._opening], False
        return [block]

    def _cut(self) -> list[Block]:
        """The open block as it is, if there is one."""
        if not self._lines:
            return []
        block = Block("\n".join(self._lines), self._apart)
        self._lines, self._apart, self._gap = [], self._gap, False
        return [block]


def _fence(line: str) -> str:
    """The mark with which this line opens a code block; empty if it does not (`` ```x``` `` is code in a line)."""
    found = _FENCE.match(line)
    return "" if found is None or (found[2][0] == "`" and "`" in found[3]) else found[2]
