"""Folders of skills for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.memory.skills import Place, PlaceKind

if TYPE_CHECKING:
    from pathlib import Path


def place_at(folder: Path) -> Place:
    return Place(PlaceKind.HOME, str(folder), inside=str(folder))


def text_of(name: str, description: str = "Does a thing", body: str = "Do the thing.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


def put(folder: Path, name: str, text: str | bytes | None = None) -> Path:
    """Write the SKILL.md of a skill into a place; its path."""
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text_of(name) if text is None else text
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path
