"""Finds keys by their names, and says in one sentence each what is wrong with a name or a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vibeos.values.config_keys import KEYS
from vibeos.values.errors import ConfigError

if TYPE_CHECKING:
    from vibeos.values.config_keys import Key, Value

_LONGEST_SHOWN = 60
_ANY_NAME = "[a-z0-9][a-z0-9_-]*"
_BY_NAME = {key.name: key for key in KEYS}
_SECTIONS = frozenset(
    ".".join(parts[:depth])
    for parts in (key.name.split(".") for key in KEYS)
    for depth in range(1, len(parts))
)
_PATTERNS = tuple(name for name in (*_BY_NAME, *_SECTIONS) if "<" in name)


def match_key(name: str) -> Key | None:
    """The key that has this name, or None."""
    return _BY_NAME.get(name) or _BY_NAME.get(_pattern_of(name))


def is_section(name: str) -> bool:
    """Whether keys stand below this name."""
    return name in _SECTIONS or _pattern_of(name) in _SECTIONS


def find_key(name: str) -> Key:
    """The key that has this name. Raises ConfigError with the name that was perhaps meant."""
    key = match_key(name)
    if key is None:
        raise ConfigError(unknown(name), remedy="`vibeos config show` lists every key.")
    return key


def checked(name: str, given: object, *, source: str = "") -> Value:
    """The value that `given` means for the key of this name. Raises ConfigError that says what is allowed."""
    key = find_key(name)
    try:
        return key.accept(given)
    except ValueError:
        raise ConfigError(refusal(key, name, cut(repr(given)), source=source)) from None


def refusal(key: Key, name: str, written: str, *, source: str = "") -> str:
    """The sentence that refuses a value, which `written` shows."""
    shown = "what is written there" if key.confidential else written
    return f"{name!r} cannot be {shown}{source and f' (from the {source})'}; allowed: {key.allowed}"


def unknown(name: str) -> str:
    """The sentence that says of a name that no key has it, and which was perhaps meant."""
    if is_section(name):
        return f"{name!r} is a section, not a key; its keys are {', '.join(_below(name))}"
    meant = _similar(name)
    return f"there is no key {name!r}" + (f"; did you mean {meant!r}?" if meant else "")


def section_refusal(name: str, written: str) -> str:
    """The sentence that refuses a value, which `written` shows, where a section must stand."""
    keys = _below(name)
    if written.lstrip("'\"").partition(":")[0] in keys:
        return f"{name!r} cannot be {written}; a blank must stand behind the ':' of a key"
    return f"{name!r} cannot be {written}; it is a section, with {', '.join(keys)} below it"


def cut(text: str) -> str:
    """The text as a message shows it: what is long ends early."""
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _pattern_of(name: str) -> str:
    """The name in the table that stands for this one, or empty."""
    parts = name.split(".")
    for pattern in _PATTERNS:
        wanted = pattern.split(".")
        if len(wanted) == len(parts) and all(map(_fits, wanted, parts)):
            return pattern
    return ""


def _fits(wanted: str, part: str) -> bool:
    return wanted == part or (wanted.startswith("<") and re.fullmatch(_ANY_NAME, part) is not None)


def _similar(name: str) -> str:
    """The key or section that was perhaps meant, or empty."""
    import difflib  # noqa: PLC0415 - only for a mistake; start-up is a feature

    folded = name.casefold()
    if match_key(folded) or is_section(folded):
        return folded
    names = [*_BY_NAME, *(section for section in _SECTIONS if not name.startswith(section + "."))]
    same_end = [known for known in names if known.endswith("." + name.rpartition(".")[2])]
    if len(same_end) == 1:
        return same_end[0]
    close = difflib.get_close_matches(name, same_end or sorted(names), n=1)
    return _filled(close[0], name) if close else ""


def _filled(pattern: str, name: str) -> str:
    """The pattern with the name's own part where any may stand."""
    wanted, parts = pattern.split("."), name.split(".")
    if len(wanted) != len(parts):
        return pattern
    return ".".join(part if one.startswith("<") else one for one, part in zip(wanted, parts, strict=True))


def _below(section: str) -> list[str]:
    """The names of the keys below a section, without its own."""
    pattern = section if section in _SECTIONS else _pattern_of(section)
    return [name[len(pattern) + 1 :] for name in _BY_NAME if name.startswith(pattern + ".")]
