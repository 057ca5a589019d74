"""Verbs over skills: which there are, and loading one.

Which skills there are depends on the project. In a session that is the session's, so that what is loaded is what its
catalogue lists; elsewhere it is that of the current folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from vibeos.app.vibeos import VibeOS
    from vibeos.memory.skills import Shelf, Skill
    from vibeos.record import Session


class LoadedSkill(NamedTuple):
    """A skill with its instructions, whole. `files`: what else lies in its folder, as relative paths.

    `warning`: why the session that was named does not know of it; empty if all is well.
    """

    skill: Skill
    body: str
    files: tuple[str, ...]
    warning: str = ""


class SkillVerbs:
    """What a person, a program or an agent's shell may do with skills."""

    def __init__(self, app: VibeOS) -> None:
        from vibeos.memory.skills.reading import SkillReader

        self._app = app
        self._reader = SkillReader()

    def shelf(self, project: str) -> Shelf:
        """The skills of the home and of a project (empty: none) as their files are now."""
        from vibeos.memory.skills import places_of, take_stock

        return take_stock(places_of(self._app.scope, project), self._reader.read)

    def catalogue(self, project: str) -> str:
        """What the system prompt of a session in this project says of its skills."""
        from vibeos.memory.skills import catalogue_text

        return catalogue_text(self.shelf(project).skills)

    def notices(self, project: str) -> tuple[str, ...]:
        """What the person must be told of the skills of a session in this project."""
        return self.shelf(project).notices

    def here(self) -> Shelf:
        """The skills of the session that the environment names, or of the current folder."""
        session, _ = self._session("")
        return self.shelf(self._project(session))

    def load(self, name: str, *, session: str = "") -> LoadedSkill:
        """Read a skill whole, and note that the session (or the one that the environment names) loaded it.

        Raises NotFoundError, and VibeOSError for a skill that is withheld.
        """
        from vibeos.memory.skills.shelf import other_files

        found, warning = self._session(session)
        file = self.shelf(self._project(found)).get(name)
        if found is not None:
            warning = self._note(found, file.skill)
        return LoadedSkill(file.skill, file.body, other_files(file.skill), warning)

    def _note(self, session: Session, skill: Skill) -> str:
        try:
            self._app.record.skill_loads.note(session.id, skill.name, skill.path)
        except VibeOSError as error:
            return _unrecorded(error.message)
        return ""

    def _session(self, given: str) -> tuple[Session | None, str]:
        """The session that is meant, if any, and what is wrong with it. Without one no database is opened."""
        session = given or self._app.environment.agent_session
        if not session:
            return None, ""
        if not os.path.exists(self._app.scope.state_db):
            return None, _unrecorded(f"there is no session {session[:80]!r}, and no record yet")
        try:
            return self._app.sessions.find(session), ""
        except VibeOSError as error:
            return None, _unrecorded(error.message)

    def _project(self, session: Session | None) -> str:
        return self._project_here() if session is None else session.project

    def _project_here(self) -> str:
        """The current folder's project, where that matters: with no folder of skills above, no project has any.

        Only below a project's root does the database decide: a folder that was bound may lie in between.
        """
        from pathlib import Path

        folder = self._app.environment.folder
        if not folder or not self._has_skills_above(folder):
            return ""
        from vibeos.record import project_of

        nearest = project_of(Path(folder), ())
        if nearest == os.path.realpath(folder) or not os.path.exists(self._app.scope.state_db):
            return nearest
        return self._app.projects.current()

    def _has_skills_above(self, folder: str) -> bool:
        from vibeos.memory.skills.shelf import IN_PROJECT, is_a_home

        below, above = os.path.realpath(folder), ""
        while below != above:
            for place in (os.path.join(below, part) for part in IN_PROJECT):
                if os.path.isdir(place) and not is_a_home(os.path.dirname(place), self._app.scope):
                    return True
            below, above = os.path.dirname(below), below
        return False


def _unrecorded(why: str) -> str:
    return f"no session will know that this skill was loaded: {why}"
