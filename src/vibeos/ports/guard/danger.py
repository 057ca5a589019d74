"""Danger: which shell commands a person should agree to before an agent runs them.

It is a seat belt, not a wall. It sees what stands in the command, through the usual ways of quoting, joining and
wrapping; it does not know what a script, a variable from outside or a program of its own will do. It holds:

- A mention is not an attack: text that is only printed, searched for or committed passes.
- What cannot be parsed (a quote that is never closed) is judged by its raw words.
- What is too long or too deep to be read in time counts as a danger. The effort is linear and limited.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from vibeos.ports.guard.danger_calls import SHELLS, Call, assignments, calls, env_script, scripts, written
from vibeos.ports.guard.danger_parts import Effort, Simple, TooMuchError
from vibeos.ports.guard.danger_paths import LONGEST, outer
from vibeos.ports.guard.danger_rules import (
    FORK_BOMB,
    FORK_BOMB_REASON,
    PATH_RULES,
    RULES,
    UNREADABLE,
    UNREADABLE_REASON,
    DangerRule,
    PathRule,
)
from vibeos.ports.guard.danger_unwrap import WRAPPERS, program_name
from vibeos.ports.guard.danger_words import Reader

PARTS_LIMIT = 20_000  # words, signs and pieces of words; a long here-document is one part
START_PARTS = 10  # what it costs to start reading a text of its own
RERUN_LIMIT = 8  # shells that start shells
FOLDER_TAIL = 512  # of a very long folder, the end is what rules know
SETTLED_VALUE = 400  # a longer value of a variable is no path that a rule knows

_VARIABLE = re.compile(r"\$(?:(\w{1,80})|\{(\w{1,80})\})")
_BLANK_VARIABLE = re.compile(r"\$(?:IFS\b|\{IFS[^}]{0,20}\})")
_RAW = str.maketrans({"'": None, '"': None, "\\": None, "`": ";", "#": " "})


@dataclass(frozen=True, slots=True)
class Danger:
    """Why a command should not run unasked. `reason` completes the sentence "The command …"."""

    id: str
    reason: str


def danger_of(command: str) -> Danger | None:
    """The first danger in a shell command, or nothing."""
    try:
        return _Judge().judge(_BLANK_VARIABLE.sub(" ", command))
    except TooMuchError:
        return Danger(UNREADABLE, UNREADABLE_REASON)


def _by_program() -> dict[str, list[DangerRule]]:
    rows: defaultdict[str, list[DangerRule]] = defaultdict(list)
    for rule in RULES:
        for program in rule.programs:
            rows[program].append(rule)
    return dict(rows)


_PROGRAMS = _by_program()
_EVERYWHERE = [rule for rule in RULES if not rule.programs]
_STARTERS = frozenset(
    {*_PROGRAMS, *WRAPPERS, *SHELLS, "eval", "dd", "tee", "cp", "mv", "sed", "curl", "wget", "cd"}
)


class _Judge:
    """One command under judgement: the values and the folder that its earlier parts have set."""

    def __init__(self) -> None:
        self._effort = Effort(PARTS_LIMIT)
        self._values: dict[str, str] = {}
        self._folder = ""

    def judge(self, text: str, depth: int = 0) -> Danger | None:
        if depth > RERUN_LIMIT:
            raise TooMuchError
        self._effort.spend(START_PARTS)
        reader = Reader(text, self._effort)
        found = self._first(reader.read(), depth)
        if found is None and _is_fork_bomb(reader):
            found = Danger(FORK_BOMB, FORK_BOMB_REASON)
        if found is None and not reader.balanced:
            found = self._judge_raw(text, depth)
        return found

    def _judge_raw(self, text: str, depth: int) -> Danger | None:
        """Without quotes, and with every known program starting a command of its own."""
        reader = Reader(text.translate(_RAW).replace("<<", " "), self._effort)
        return self._first([part for simple in reader.read() for part in _split_at_programs(simple)], depth)

    def _first(self, simples: list[Simple], depth: int) -> Danger | None:
        for simple in simples:
            self._settle(simple)
            found = self._first_call(simple, depth)
            if found is not None:
                return found
        return None

    def _first_call(self, simple: Simple, depth: int) -> Danger | None:
        split = env_script(simple.words)
        if split is not None and (found := self.judge(split, depth + 1)):
            return found
        for call in calls(simple):
            found = _by_rules(call) or self._writes(call)
            for script in () if found else scripts(call):
                found = found or self.judge(script, depth + 1)
            if found is not None:
                return found
            if call.name in {"cd", "pushd"}:
                self._folder = _joined(self._folder, next(iter(call.operands), "~"))
        return None

    def _writes(self, call: Call) -> Danger | None:
        for path in (*call.simple.writes, *written(call)):
            rule = self._path_rule(path)
            if rule is not None:
                return Danger(rule.id, rule.reason)
        return None

    def _path_rule(self, path: str) -> PathRule | None:
        place = _joined(self._folder, path)
        return next((rule for rule in PATH_RULES if rule.matches(path) or rule.matches(place)), None)

    def _settle(self, simple: Simple) -> None:
        """Puts values that the command itself has set in place of their names."""
        simple.words = [self._settled(word) for word in simple.words]
        simple.writes = [self._settled(word) for word in simple.writes]
        looped = simple.words[:1] == ["for"]
        for name, value in assignments(simple.words):
            if not (looped and outer(self._values.get(name, ""))):
                self._values[name] = value if len(value) <= SETTLED_VALUE else f"${name}"

    def _settled(self, word: str) -> str:
        if not self._values or "$" not in word or len(word) > LONGEST:
            return word
        self._effort.spend(word.count("$"))
        return _VARIABLE.sub(lambda name: self._values.get(name[1] or name[2], name[0]), word)


def _by_rules(call: Call) -> Danger | None:
    for rule in (*_PROGRAMS.get(call.name, ()), *_EVERYWHERE):
        if rule.check(call):
            return Danger(rule.id, rule.reason)
    return None


def _is_fork_bomb(reader: Reader) -> bool:
    """A function that pipes itself into itself."""
    return any(
        simple.before is not None
        and simple.words[:1] == simple.before.words[-1:]
        and simple.words[0] in reader.functions
        for simple in reader.found
        if simple.words
    )


def _split_at_programs(simple: Simple) -> list[Simple]:
    parts = [Simple(writes=simple.writes, origins=simple.origins)]
    for word in simple.words:
        if parts[-1].words and program_name(word) in _STARTERS:
            parts.append(Simple(origins=simple.origins))
        parts[-1].words.append(word)
    return parts


def _joined(folder: str, path: str) -> str:
    if not folder or path.startswith(("/", "~", "$")):
        return path[:LONGEST]
    return f"{folder}/{path}"[-FOLDER_TAIL:]
