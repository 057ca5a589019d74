"""Where the agent's hands work: the folder, what is out of reach, where whole outputs are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Workplace(NamedTuple):
    """The surroundings of one session's file and shell tools. Paths are absolute.

    `folder`: where relative paths start and commands run. `home`: VibeOS's own files, out of reach of `write` and `edit`,
    and of `read` too but for this session's `outputs` (that were shown cut), `jobs` (what is known of background commands),
    `minds` (copies of whole ones, "" for none) and for `skills`. `environment`: the variables that commands get.
    """

    session_id: str
    folder: str
    home: str
    outputs: str
    jobs: str
    skills: str
    environment: Mapping[str, str]
    minds: str = ""
