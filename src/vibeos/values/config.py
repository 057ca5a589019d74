"""What the person configured: config.yaml as a frozen value that knows where each setting comes from.

A missing file means the defaults. A file that cannot be read, or in which anything is wrong, is an error that
names every problem with its line, and never means the defaults: memory must not be written because the line
that forbids it has a slip.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.config_keys import KEYS
from vibeos.values.config_names import checked, find_key
from vibeos.values.config_reading import read_values
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vibeos.values.config_keys import Value
    from vibeos.values.home import StrPath

_MOST_BYTES = 1_000_000


class Setting(NamedTuple):
    """One key's value and where it comes from: `default`, `file`, `environment`, or what an override says."""

    name: str
    value: Value
    source: str = "default"


class Config(NamedTuple):
    """Every setting; `given` holds those that someone set. A name that no key has raises ConfigError."""

    given: Mapping[str, Setting] = {}

    def setting(self, name: str) -> Setting:
        """The setting of this key. One that is not set has its default, or what it inherits."""
        if name in self.given:
            return self.given[name]
        key = find_key(name)
        if not key.inherits:
            return Setting(name, key.default)
        inherited = self.setting(key.inherits)
        return Setting(name, inherited.value, inherited.source)

    def get(self, name: str) -> Value:
        """The value of this key."""
        return self.setting(name).value

    def flag(self, name: str) -> bool:
        """The value of a key that is true or false."""
        value = self.get(name)
        if not isinstance(value, bool):
            raise TypeError(f"{name!r} is not a flag")
        return value

    def number(self, name: str) -> int:
        """The value of a key that always has a number."""
        value = self.optional_number(name)
        if value is None:
            raise TypeError(f"{name!r} can be without a number")
        return value

    def optional_number(self, name: str) -> int | None:
        """The value of a key that is a number, or None where there is none."""
        value = self.get(name)
        if isinstance(value, bool | str):
            raise TypeError(f"{name!r} is not a number")
        return value

    def text(self, name: str) -> str:
        """The value of a key that is text or a choice."""
        value = self.get(name)
        if not isinstance(value, str):
            raise TypeError(f"{name!r} is not text")
        return value

    def is_set(self, name: str) -> bool:
        """Whether someone set this very key, be it to its default."""
        find_key(name)
        return name in self.given

    def items(self) -> tuple[Setting, ...]:
        """Every setting in the order of the table; then those for one platform that someone set."""
        names = [key.name for key in KEYS if not key.inherits]
        return tuple(map(self.setting, [*names, *sorted(self.given.keys() - names)]))

    def with_overrides(self, overrides: Mapping[str, Value], *, source: str) -> Config:
        """The same with some keys set from elsewhere. None and empty text mean that nothing was given there."""
        news = {
            name: Setting(name, checked(name, given, source=source), source)
            for name, given in overrides.items()
            if given is not None and given != ""
        }
        return Config({**self.given, **news})

    def without(self, *names: str) -> Config:
        """The same as if nobody had set these keys."""
        return Config({name: setting for name, setting in self.given.items() if name not in names})


def load_config(path: StrPath) -> Config:
    """The configuration that this file holds. Raises ConfigError that lists everything wrong with it."""
    text = read_config_text(path)
    return Config() if text is None else parse_config(text, origin=path)


def parse_config(text: str, *, origin: StrPath) -> Config:
    """The configuration that a text holds; errors name `origin` as its file."""
    values = read_values(text, origin=origin)
    return Config({name: Setting(name, value, "file") for name, value in values.items()})


def read_config_text(path: StrPath) -> str | None:
    """The text of the file, with its byte-order mark if it has one; None if there is no file."""
    try:
        if not os.path.isfile(path) and os.path.lexists(path):
            what = "is a folder" if os.path.isdir(path) else "is no ordinary file, or a link to nothing"
            raise _unusable(path, what)
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror}") from error
    if len(data) > _MOST_BYTES:
        raise _unusable(path, f"has more than {_MOST_BYTES:,} bytes, which no configuration needs")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unusable(path, f"is not UTF-8 text in line {line}") from error


def _unusable(path: StrPath, what: str) -> ConfigError:
    return ConfigError(
        f"{os.fspath(path)!r} {what}",
        remedy="Make it a UTF-8 text file that you can read, or move it away to go back to the defaults.",
    )
