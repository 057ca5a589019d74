"""What a shell command starts in truth: the words behind assignments, keywords and programs that run another one.

A wrapper is a row: the options of it that take a value, and how many words of its own stand before the command.
"""

from __future__ import annotations

import re
from typing import NamedTuple

KEYWORDS = frozenset(
    {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done", "esac", "coproc"}
)
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*+(?:\[[^\]]*\])?\+?=")


class Wrapper(NamedTuple):
    valued: frozenset[str] = frozenset()
    own_words: int = 0
    names_unseen: bool = False  # it adds words that do not stand in the command


WRAPPERS = {
    "builtin": Wrapper(),
    "busybox": Wrapper(),
    "caffeinate": Wrapper(frozenset({"-t", "-w"})),
    "chronic": Wrapper(),
    "command": Wrapper(),
    "env": Wrapper(frozenset({"-u", "--unset", "-C", "--chdir"})),
    "exec": Wrapper(frozenset({"-a"})),
    "flock": Wrapper(frozenset({"-w", "-E"}), 1),
    "function": Wrapper(own_words=1),
    "ionice": Wrapper(frozenset({"-c", "-n"})),
    "nice": Wrapper(frozenset({"-n", "--adjustment"})),
    "nohup": Wrapper(),
    "parallel": Wrapper(frozenset({"-j", "--jobs", "-a", "-n", "-N", "-I", "-d"}), 0, names_unseen=True),
    "setsid": Wrapper(),
    "stdbuf": Wrapper(frozenset({"-i", "-o", "-e"})),
    "time": Wrapper(frozenset({"-f", "-o"})),
    "timeout": Wrapper(frozenset({"-s", "--signal", "-k", "--kill-after"}), 1),
    "xargs": Wrapper(
        frozenset(
            {"-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "--max-args", "--max-procs", "--delimiter"}
        ),
        0,
        names_unseen=True,
    ),
}


class Unwrapped(NamedTuple):
    """`words` starts with the program that runs (or is empty). `unseen`: more words come from the input."""

    words: list[str]
    unseen: bool = False


def program_name(word: str) -> str:
    """The name of a program without its folder. A word that a shell still has to work out stays as it is."""
    return word if word.startswith(("$", "<")) else word.rpartition("/")[2]


def unwrap(words: list[str]) -> Unwrapped:
    at, unseen = 0, False
    while at < len(words):
        word = words[at]
        wrapper = WRAPPERS.get(program_name(word))
        if wrapper is not None:
            start = at + 1
            at = _after_own_words(words, start, wrapper)
            unseen = unseen or wrapper.names_unseen
            if word == "command" and any(option in {"-v", "-V"} for option in words[start:at]):
                return Unwrapped([])  # it only asks where a program is
        elif word in KEYWORDS or ASSIGNMENT.match(word):
            at += 1
        else:
            break
    rest = words[at:]
    if rest and rest[0].startswith("{") and rest[0].endswith("}") and "," in rest[0]:
        rest = [*rest[0][1:-1].split(","), *rest[1:]]  # {rm,-rf,/} is three words to a shell
    return Unwrapped(rest, unseen)


def _after_own_words(words: list[str], at: int, wrapper: Wrapper) -> int:
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        at += 2 if option in wrapper.valued else 1
        if option == "--":
            break
    return at + wrapper.own_words
