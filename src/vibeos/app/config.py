"""Verbs over `config.yaml`: read with sources, edit without losing a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.values.config import load_config

if TYPE_CHECKING:
    from vibeos.app.vibeos import VibeOS
    from vibeos.values.config import Setting


class ConfigVerbs:
    """What a person or a program may do with the configuration."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    @property
    def path(self) -> str:
        """The file, whether it exists or not."""
        return self._app.scope.config_file

    def show(self) -> tuple[Setting, ...]:
        """Every setting with its value and where that comes from."""
        return self._app.config.items()

    def get(self, name: str) -> Setting:
        """One setting; an unknown name is a `ConfigError` with the nearest known one."""
        return self._app.config.setting(name)

    def set(self, name: str, text: str) -> Setting:
        """Write one setting into the file, and give it as the file now says it."""
        self._app.environment.require_person("change the configuration")
        from vibeos.app.config_file import set_value
        from vibeos.ports.guard.files import atomic_write
        from vibeos.ports.guard.lock import locked_folder

        with locked_folder(self._app.scope.root):
            set_value(self.path, name, text, write=atomic_write)
        return load_config(self.path).setting(name)

    def unset(self, name: str) -> bool:
        """Take one setting out of the file, so that its default holds; whether it was there."""
        self._app.environment.require_person("change the configuration")
        from vibeos.app.config_file import unset_value
        from vibeos.ports.guard.files import atomic_write
        from vibeos.ports.guard.lock import locked_folder

        with locked_folder(self._app.scope.root):
            return unset_value(self.path, name, write=atomic_write)
