"""One command under judgement: each call in it goes by the tables, with the values and the folder set before it."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.ports.guard.danger.calls import (
    SHELLS,
    Call,
    assignments,
    calls,
    env_script,
    read,
    scripts,
    written,
)
from vibeos.ports.guard.danger.parts import Effort, Simple, TooMuchError
from vibeos.ports.guard.danger.path_rules import PATH_RULES
from vibeos.ports.guard.danger.paths import LONGEST, outer
from vibeos.ports.guard.danger.place import Whereabouts
from vibeos.ports.guard.danger.reader import Reader
from vibeos.ports.guard.danger.rules import (
    FORK_BOMB,
    FORK_BOMB_REASON,
    OWN_READ,
    OWN_READ_REASON,
    RULES,
    UNREADABLE,
    UNREADABLE_REASON,
)
from vibeos.ports.guard.danger.unwrap import WRAPPERS, program_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from vibeos.ports.guard.danger.rows import DangerRule, PathRule

PARTS_LIMIT = 20_000  # words, signs and pieces of words; a long here-document is one part
START_PARTS = 10  # what it costs to start reading a text of its own
RERUN_LIMIT = 8  # shells that start shells
SETTLED_VALUE = 400  # a longer value of a variable is no path that a rule knows

_VARIABLE = re.compile(r"\$(?:(\w{1,80})|\{(\w{1,80})\})")
_BLANK_VARIABLE = re.compile(r"\$(?:IFS\b|\{IFS[^}]{0,20}\})")
_RAW = str.maketrans({"'": None, '"': None, "\\": None, "`": ";", "#": " "})


@dataclass(frozen=True, slots=True)
class Danger:
    """Why a command should not run unasked. `reason` completes the sentence "The command …"."""

    id: str
    reason: str


def danger_of(
    command: str,
    *,
    folder: str = "",
    home: str = "",
    person: str = "",
    refuses: Callable[[str], bool] | None = None,
) -> Danger | None:
    """The first danger in a shell command, or nothing.

    `folder` is where it would start, `home` where VibeOS's own files are and `person` the person's home folder, all
    absolute. Where they are not given, a path is judged by its text alone, so an absolute one counts as outside the
    work. `refuses` tells of a path below `home`, given relative to it, that its files may not be read; without it
    reading is no danger.
    """
    try:
        return _Judge(Whereabouts(folder, home, person), refuses).judge(_BLANK_VARIABLE.sub(" ", command))
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
_WALKERS = frozenset({"cd", "pushd", "popd"})
_DELETERS = frozenset({"rm", "find", "chmod", "chown", "chgrp", "mv", "rsync", "truncate", "shred", "dd"})
_STARTERS = frozenset(
    {*_PROGRAMS, *WRAPPERS, *SHELLS, "eval", "dd", "tee", "cp", "mv", "sed", "curl", "wget", "cd"}
)


class _Judge:
    """One command under judgement: the values and the folder that its earlier parts have set."""

    def __init__(self, where: Whereabouts, refuses: Callable[[str], bool] | None) -> None:
        self._refuses = refuses
        self._effort = Effort(PARTS_LIMIT)
        self._values: dict[str, str] = {}
        self._where = where

    def judge(self, text: str, depth: int = 0) -> Danger | None:
        if depth > RERUN_LIMIT:
            raise TooMuchError
        self._effort.spend(START_PARTS)
        with self._where.script():
            return self._judge(text, depth)

    def _judge(self, text: str, depth: int) -> Danger | None:
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
            self._where.enter(simple.depth)
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
            found = _by_rules(self._placed(call)) or self._writes(call) or self._reads(call)
            for script in () if found else scripts(call):
                found = found or self.judge(script, depth + 1)
            if found is not None:
                return found
            if call.name in _WALKERS:
                self._where.change(simple.depth, _destination(call))
        return None

    def _placed(self, call: Call) -> Call:
        """With the paths that rules judge by where they lead."""
        if call.name not in _DELETERS:
            return call
        args = [
            path for word in call.args for path in ([word] if word.startswith("-") else self._spelled(word))
        ]
        return call._replace(args=args)

    def _spelled(self, word: str) -> list[str]:
        if word.startswith("of="):  # of `dd`
            return [f"of={path}" for path in self._where.spellings(word[3:])]
        return self._where.spellings(word)

    def _writes(self, call: Call) -> Danger | None:
        for path in (*call.simple.writes, *written(call)):
            rule = self._path_rule(path)
            if rule is not None:
                return Danger(rule.id, rule.reason)
        return None

    def _reads(self, call: Call) -> Danger | None:
        """By what a reader of files may see: whatever names a place in VibeOS's home may read it."""
        if self._refuses is None:
            return None
        for word in read(call):
            inner = self._where.in_our_home(word)
            if inner is not None and self._refuses(inner):
                return Danger(OWN_READ, OWN_READ_REASON)
        return None

    def _path_rule(self, path: str) -> PathRule | None:
        is_known = self._where.place(path).is_known
        paths = (*self._where.spellings(path), *self._where.from_persons_home(path))
        return next(
            (
                rule
                for rule in PATH_RULES
                if not (rule.by_name and is_known) and any(rule.matches(one) for one in paths)
            ),
            None,
        )

    def _settle(self, simple: Simple) -> None:
        """Puts values that the command itself has set in place of their names."""
        simple.words = [self._settled(word) for word in simple.words]
        simple.writes = [self._settled(word) for word in simple.writes]
        simple.reads = [self._settled(word) for word in simple.reads]
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


def _destination(call: Call) -> str:
    """Where `cd` leads; empty for a way back, which is taken to be where the command began."""
    if call.name == "popd" or "-" in call.args:
        return ""
    return next(iter(call.operands), "~")
