"""Exact replacements in a text: several edits, done in their order, all of them or none.

What a model gives as arguments of `edit` is read and applied here, for files of the person's and for a checkpoint's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from vibeos.values.errors import VibeOSError
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_CHARACTERS = 20_000_000
_SHOWN_PLACES = 5


class Edit(NamedTuple):
    """One replacement. `everywhere`: of each occurrence; else there must be exactly one."""

    old: str
    new: str
    everywhere: bool = False


def edits_in(arguments: Mapping[str, Any]) -> list[Edit]:
    """The edits of a call; raises VibeOSError, worded for a model, where they are none."""
    given = arguments.get("edits")
    if not isinstance(given, list) or not given:
        raise VibeOSError("'edits' must be a list of objects with 'old_text' and 'new_text'.")
    return [_edit(number, one) for number, one in enumerate(given, 1)]


def _edit(number: int, given: object) -> Edit:
    if not isinstance(given, dict):
        raise VibeOSError(f"Edit {number} is no object with 'old_text' and 'new_text'.")
    old, new = given.get("old_text"), given.get("new_text")
    everywhere = given.get("replace_all") or False
    if not isinstance(old, str) or not isinstance(new, str) or not isinstance(everywhere, bool):
        raise VibeOSError(f"Edit {number} needs the texts 'old_text' and 'new_text'.")
    if not old:
        raise VibeOSError(f"'old_text' of edit {number} is empty.", remedy="To write a whole file use write.")
    if old == new:
        raise VibeOSError(f"'old_text' and 'new_text' of edit {number} are the same.")
    return Edit(old, new, everywhere)


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, list[str]]:
    """The text after all edits, and a line that tells of each; raises VibeOSError where one cannot be done."""
    told = []
    for number, edit in enumerate(edits, 1):
        old, new = next(((old, new) for old, new in _spellings(text, edit) if old in text), (edit.old, ""))
        count = text.count(old)
        if not count:
            raise _not_found(number, edit, text)
        if count > 1 and not edit.everywhere:
            raise _not_unique(number, edit, count, _lines_of(text, old))
        if len(text) + count * (len(new) - len(old)) > MOST_CHARACTERS:
            raise VibeOSError(
                f"After edit {number} the file would have more than {MOST_CHARACTERS:,} characters, the most that edit takes."
                " Nothing was changed."
            )
        told.append(_told(number, count, _lines_of(text, old), old, new))
        text = text.replace(old, new)
    return text, told


def _spellings(text: str, edit: Edit) -> Iterator[tuple[str, str]]:
    """The edit with the line ends that most lines of the file have, then with the other ones.

    A model sees no carriage returns, the file keeps them. One that names them means what it says.
    """
    if "\r" in edit.old or "\r\n" not in text:
        yield edit.old, edit.new
        return
    new = edit.new.replace("\r\n", "\n")
    plain, returned = (edit.old, new), (edit.old.replace("\n", "\r\n"), new.replace("\n", "\r\n"))
    mostly_returned = 2 * text.count("\r\n") >= text.count("\n")
    yield from (returned, plain) if mostly_returned else (plain, returned)


def _lines_of(text: str, old: str) -> str:
    """The numbers of the lines at which it stands, the first few."""
    found: list[str] = []
    place = text.find(old)
    while place >= 0 and len(found) < _SHOWN_PLACES:
        found.append(str(_line_at(text, place)))
        place = text.find(old, place + len(old))
    return ", ".join(found) + (" and more" if place >= 0 else "")


def _told(number: int, count: int, lines: str, old: str, new: str) -> str:
    before, after = old.count("\n") + 1, new.count("\n") + 1
    grown = f" (each from {before} to {after} lines)" if before != after else ""
    places = f"line {lines}" if count == 1 else f"{count:,} places, lines {lines}"
    return f"edit {number} at {places}{grown.replace('each ', '') if count == 1 else grown}"


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _not_found(number: int, edit: Edit, text: str) -> VibeOSError:
    said = (
        f"'old_text' of edit {number} does not stand in the file: {preview(edit.old)!r}. Nothing was changed."
    )
    first = edit.old.strip().partition("\n")[0].strip()
    for line_number, line in enumerate(text.splitlines(), 1):
        if first and line.strip() == first:
            return VibeOSError(
                said, remedy=f"It is like line {line_number}, but for white space; read it there."
            )
    return VibeOSError(said, remedy="Read the file as it is now, and copy the text exactly.")


def _not_unique(number: int, edit: Edit, count: int, lines: str) -> VibeOSError:
    return VibeOSError(
        f"'old_text' of edit {number} stands {count:,} times in the file, at lines {lines}: "
        f"{preview(edit.old)!r}. Nothing was changed.",
        remedy='Give more of the text around it, or "replace_all": true.',
    )
