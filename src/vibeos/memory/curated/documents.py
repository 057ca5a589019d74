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
    """A hand-written document as separate entries: one per list item or paragraph, headings kept in front."""
    pieces: list[str] = []
    heading = ""
    for block in _blocks(entry):
        if _HEADING.match(block) and "\n" not in block:
            heading = block.lstrip("#").strip()
        else:
            pieces.append(f"{heading}: {block}" if heading else block)
    return tuple(dict.fromkeys(pieces)) or (entry,)


def _blocks(entry: str) -> list[str]:
    """Paragraphs, with headings and list items as blocks of their own."""
    blocks: list[str] = [""]
    for line in entry.split("\n"):
        starts = bool(_HEADING.match(line)) or (bool(_LIST_ITEM.match(line)) and not line[0].isspace())
        after_heading = bool(_HEADING.match(blocks[-1]))
        if not line.strip() or starts or after_heading:
            blocks.append("")
        blocks[-1] = f"{blocks[-1]}\n{line}" if blocks[-1] else line
    return [clean(_without_bullet(block)) for block in blocks if block.strip()]


def _without_bullet(block: str) -> str:
    return re.sub(r"\A[-*+] ", "", block)
