"""`VibeOS`: one opened home. Its parts are made when they are first used, so that each costs only its users.

A command that needs only curated memory never opens the database; one that needs only the database never
loads a model library.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from vibeos.app.environment import Environment, resolved_home
from vibeos.values.catalogue import Catalogue, catalogue
from vibeos.values.clock import Clock, system_clock
from vibeos.values.config import Config, load_config
from vibeos.values.home import DEFAULT_PROFILE, Scope

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType
    from typing import Self

    from vibeos.app.chat import Chat
    from vibeos.app.checkpoints import CheckpointVerbs
    from vibeos.app.config import ConfigVerbs
    from vibeos.app.doctor import Doctor
    from vibeos.app.memory import MemoryVerbs
    from vibeos.app.projects import ProjectVerbs
    from vibeos.app.questions import QuestionVerbs
    from vibeos.app.sessions import SessionVerbs
    from vibeos.app.skills import SkillVerbs
    from vibeos.record import Record, SearchHit


class VibeOS:
    """A home of VibeOS, opened for one profile and one user."""

    def __init__(
        self,
        scope: Scope,
        *,
        environment: Environment | None = None,
        model: str = "",
        clock: Clock = system_clock,
    ) -> None:
        self.scope = scope
        self.environment = environment or Environment()
        self.clock = clock
        self._model = model
        self._config: tuple[object, Config] | None = None

    @property
    def config(self) -> Config:
        """The configuration as the file is now: file, then environment, then flags. Raises `ConfigError`.

        A program that runs for days follows a changed file at once, and a broken one stops it from writing.
        """
        state = _state_of(self.scope.config_file)
        if self._config is None or self._config[0] != state:
            self._config = (state, self._load_config())
        return self._config[1]

    def _load_config(self) -> Config:
        from_environment = {
            "model.name": self.environment.get("VIBEOS_MODEL"),
            "model.base_url": self.environment.get("VIBEOS_BASE_URL"),
        }
        config = _for_model(
            load_config(self.scope.config_file), self._model or from_environment["model.name"]
        )
        config = config.with_overrides(from_environment, source="environment")
        return config.with_overrides({"model.name": self._model}, source="flag")

    @cached_property
    def catalogue(self) -> Catalogue:
        """Texts in the person's language: `display.language`, or the locale's when it is `auto`."""
        chosen = self.config.text("display.language")
        return catalogue(self.environment.language if chosen == "auto" else chosen)

    @cached_property
    def memory(self) -> MemoryVerbs:
        """Core and User memory."""
        from vibeos.app.memory import MemoryVerbs

        return MemoryVerbs(self)

    @cached_property
    def record(self) -> Record:
        """The record itself: sessions and messages in `state.db`, opened on first use."""
        from pathlib import Path

        from vibeos.record import open_record

        return open_record(Path(self.scope.state_db), clock=self.clock)

    @cached_property
    def sessions(self) -> SessionVerbs:
        """Sessions: start, list, show, rename, export, delete."""
        from vibeos.app.sessions import SessionVerbs

        return SessionVerbs(self)

    @cached_property
    def checkpoints(self) -> CheckpointVerbs:
        """Checkpoints of long conversations: what was made and tried."""
        from vibeos.app.checkpoints import CheckpointVerbs

        return CheckpointVerbs(self)

    @cached_property
    def projects(self) -> ProjectVerbs:
        """Projects: which folder a session belongs to."""
        from vibeos.app.projects import ProjectVerbs

        return ProjectVerbs(self)

    @cached_property
    def skills(self) -> SkillVerbs:
        """Skills: which there are, loading one."""
        from vibeos.app.skills import SkillVerbs

        return SkillVerbs(self)

    @cached_property
    def questions(self) -> QuestionVerbs:
        """Open questions: what waits for an answer, answering."""
        from vibeos.app.questions import QuestionVerbs

        return QuestionVerbs(self)

    @cached_property
    def settings(self) -> ConfigVerbs:
        """Reading and editing `config.yaml`."""
        from vibeos.app.config import ConfigVerbs

        return ConfigVerbs(self)

    @cached_property
    def doctor(self) -> Doctor:
        """Checks of the whole home."""
        from vibeos.app.doctor import Doctor

        return Doctor(self)

    @cached_property
    def chat(self) -> Chat:
        """Conversations with the agent."""
        from vibeos.app.chat import Chat

        return Chat(self)

    def search(self, query: str, *, project: str | None = None, limit: int = 10) -> tuple[SearchHit, ...]:
        """Messages that match the query, best first. `project=None` searches the whole profile."""
        return self.record.search(query, project=project, user_id=self.scope.user, limit=limit)

    def close(self) -> None:
        """Close what was opened."""
        if "record" in self.__dict__:
            self.record.close()
            del self.__dict__["record"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _state_of(path: str) -> object:
    """What changes whenever the file does; the same for a missing one."""
    try:
        status = os.stat(path)
    except OSError as error:
        return error.errno
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def open_home(
    home: str | PathLike[str] = "",
    *,
    profile: str = DEFAULT_PROFILE,
    user: str = "",
    model: str = "",
    clock: Clock = system_clock,
) -> VibeOS:
    """Open a home folder, by default the person's own (`VIBEOS_HOME`, or `~/.vibeos`). Nothing is made until used."""
    environment = Environment.of_process()
    root = resolved_home(home) if home else environment.home
    return VibeOS(Scope(root, profile=profile, user=user), environment=environment, model=model, clock=clock)


def _for_model(config: Config, name: str | None) -> Config:
    """What the file says, for a model that is named elsewhere: address and key were meant for its own model's vendor."""
    configured = config.text("model.name")
    if not name or not configured or vendor(name) == vendor(configured):
        return config
    return config.without("model.base_url", "model.api_key_env")


def vendor(name: str) -> str:
    """Who serves the model of this name, such as `openai`."""
    return name.strip().partition(":")[0]
