"""Notes written by hand, as documents: how they are told from entries, and how entries are made of them.

A curated file that a person wrote as one text has no delimiters, so it reads as a single entry. A part of such
an entry must not stand for the whole when something is replaced or removed.
"""

from __future__ import annotations

import re

from vibeos.memory.curated.entries import clean

_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)]) \S", re.MULTILINE)
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")


def is_document(entry: str) -> bool:
    """Whether the entry looks like notes written by hand, of which a part must not stand for the whole."""
    if "\n" not in entry:
        return False
    many_items = len(_LIST_ITEM.findall(entry)) >= 3
    return bool(_HEADING.search(entry)) or many_items or len(_PARAGRAPH_BREAK.findall(entry)) >= 2


def split_document(entry: str) -> tuple[str, ...]:
    """A hand-written document as separate entries: one per list item or paragraph, its headings in front.

    No line is lost: a heading without a text of its own becomes an entry, and what stands in a fence stays together.
    """
    pieces: list[str] = []
    headings: list[tuple[int, str]] = []
    bare = False  # whether the last heading still waits for a text
    for block in _blocks(entry):
        level = _level(block)
        if level:
            if bare and level <= headings[-1][0]:
                pieces.append(_under(headings[:-1], headings[-1][1]))
            headings = [known for known in headings if known[0] < level] + [(level, block[level:].strip())]
            bare = True
        else:
            pieces.append(_under(headings, block))
            bare = False
    if bare:
        pieces.append(_under(headings[:-1], headings[-1][1]))
    return tuple(dict.fromkeys(pieces))


def _under(headings: list[tuple[int, str]], text: str) -> str:
    above = " / ".join(name for _, name in headings)
    return f"{above}: {text}" if above else text


def _level(block: str) -> int:
    """How deep a heading the block is; 0 for anything else."""
    if "\n" in block or not _HEADING.match(block):
        return 0
    return len(block) - len(block.lstrip("#"))


def _blocks(entry: str) -> list[str]:
    """Paragraphs, with headings and list items as blocks of their own; a fenced text is one with what is around it."""
    blocks: list[str] = [""]
    fenced = False
    for line in entry.split("\n"):
        if not fenced and _starts_block(line, blocks[-1]):
            blocks.append("")
        blocks[-1] = f"{blocks[-1]}\n{line}" if blocks[-1] else line
        fenced ^= line.lstrip().startswith(("```", "~~~"))
    return [_without_bullet(clean(block)) for block in blocks if block.strip()]


def _starts_block(line: str, block: str) -> bool:
    is_item = bool(_LIST_ITEM.match(line)) and not line[0].isspace()
    return not line.strip() or is_item or bool(_HEADING.match(line)) or _level(block) > 0


def _without_bullet(block: str) -> str:
    return re.sub(r"\A[-*+] ", "", block)
