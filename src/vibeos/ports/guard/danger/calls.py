"""One program that a command would start, with its words, and the few questions that rules ask about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from vibeos.ports.guard.danger.code import awk_commands, commands_in, texts_in, writes_in
from vibeos.ports.guard.danger.parts import Simple
from vibeos.ports.guard.danger.paths import whole
from vibeos.ports.guard.danger.unwrap import ASSIGNMENT, program_name, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash"})
INTERPRETERS = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua)[\d.]*")
EDITORS = frozenset({"vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "pico", "micro", "code", "joe"})
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
_TO_LAST = frozenset({"cp", "install", "ln", "rsync", "scp"})
_INTO = _TO_LAST | {"mv"}
_TO_ALL = frozenset(
    {"tee", "mv", "rm", "unlink", "truncate", "shred", "rmdir", "touch", "sponge", "patch"} | EDITORS
)
_MENTIONS = frozenset({"echo", "printf", "export", "test", "[", "[[", "vibeos", "vibe", "which", "alias"})
_SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "jq", *AWKS})
_WATCH_VALUED = frozenset({"-n", "--interval"})
_SSH_VALUED = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")


class Call(NamedTuple):
    """`name` is the program without its folder; `unseen`: more words come from the input (`xargs`)."""

    name: str
    args: list[str]
    simple: Simple
    unseen: bool = False

    def has(self, letters: str = "", *long: str) -> bool:
        """Whether one of the options is given: short ones alone or together, long ones whole or cut short."""
        return any(_is_option(option, letters, long) for option in self.options)

    def has_short(self, letters: str) -> bool:
        """Whether one of the short options is given, alone or together."""
        return any(
            not word.startswith("--") and any(letter in word for letter in letters) for word in self.options
        )

    @property
    def options(self) -> list[str]:
        until = self.args.index("--") if "--" in self.args else len(self.args)
        return [word for word in self.args[:until] if word.startswith("-") and word != "-"]

    @property
    def operands(self) -> list[str]:
        until = self.args.index("--") if "--" in self.args else len(self.args)
        return [word for word in self.args[:until] if not word.startswith("-")] + self.args[until + 1 :]

    def starts(self, *words: str) -> bool:
        """Whether these are its first words that are no options (`docker push`)."""
        return tuple(self.operands[: len(words)]) == words

    @property
    def takes_input(self) -> bool:
        """A shell or interpreter that runs what it is fed, as it was given no script of its own."""
        if self.name in SHELLS:
            return shell_script(self) is None and (self.has("s") or not _script_files(self))
        return bool(INTERPRETERS.fullmatch(self.name)) and not _script_files(self)

    @property
    def fed(self) -> str:
        """What stands in the command and goes into the program: here-documents, and `echo … |`."""
        return "\n".join([*self.simple.fed, *_spoken(self.simple.before)])

    @property
    def code(self) -> str:
        """The code that an interpreter is given in plain sight."""
        if not INTERPRETERS.fullmatch(self.name):
            return ""
        given = [after for word, after in zip(self.args, self.args[1:], strict=False) if _gives_code(word)]
        return "\n".join([*given, self.fed])


def calls(simple: Simple) -> Iterator[Call]:
    """What a simple command starts, the program itself first, then what `find -exec` would start."""
    words, unseen = unwrap(simple.words)
    name = program_name(words[0]) if words else ""
    args = words[1:]
    if INTERPRETERS.fullmatch(name) and len(args) > 1 and args[0] == "-m":
        name, args = args[1], args[2:]
    yield Call(name, args, simple, unseen)
    if name in {"find", "fd"}:
        for at, word in enumerate(args):
            if word in {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X"}:
                inner = unwrap(_up_to_end(args, at + 1)).words
                if inner:
                    yield Call(program_name(inner[0]), inner[1:], Simple())


def scripts(call: Call) -> Iterator[str]:
    """The texts that the program would run as shell commands."""
    if call.name in SHELLS:
        script = shell_script(call)
        if script is not None:
            yield script
        elif call.takes_input:
            yield call.fed
    elif call.name in _SCRIPTS:
        yield from _SCRIPTS[call.name](call)
    elif call.code:
        yield from commands_in(call.code)


def _trapped(call: Call) -> list[str]:
    return [word.partition("=")[2] if call.name == "alias" else word for word in call.args[:1]]


_SCRIPTS: dict[str, Callable[[Call], Iterable[str]]] = {
    "eval": lambda call: [" ".join(call.args)],
    "watch": lambda call: [" ".join(_behind_options(call.args, _WATCH_VALUED))],
    "ssh": lambda call: [" ".join(_behind_options(call.args, _SSH_VALUED)[1:])],
    "script": lambda call: [shell_script(call) or ""],
    **dict.fromkeys(("trap", "alias"), _trapped),
    **dict.fromkeys(("at", "batch"), lambda call: [call.fed]),
    **dict.fromkeys(("tmux", "screen"), lambda call: [word for word in call.args if " " in word]),
    **dict.fromkeys(AWKS, lambda call: awk_commands(" ".join(call.args))),
}


def env_script(words: list[str]) -> str | None:
    """`env -S "rm -rf x"` splits its text into words."""
    if "env" not in (program_name(word) for word in words[:8]):
        return None
    for at, word in enumerate(words[:8]):
        if word in {"-S", "--split-string"}:
            return " ".join(words[at + 1 :])
        if word.startswith(("-S", "--split-string=")):
            return " ".join([word.removeprefix("-S").removeprefix("--split-string="), *words[at + 1 :]])
    return None


def shell_script(call: Call) -> str | None:
    """The text behind `-c`, also in `-lc` or behind other options."""
    wanted = skip = False
    for word in call.args:
        if skip:
            skip = False
        elif word.startswith(("-", "+")) and len(word) > 1:
            short = not word.startswith("--")
            wanted = wanted or (short and word[0] == "-" and "c" in word)
            skip = (short and word.endswith(("o", "O"))) or word in {"--rcfile", "--init-file"}
        else:
            return word if wanted else None
    return None


def written(call: Call) -> Iterator[str]:
    """The files that a command visibly writes, replaces or takes away."""
    name, args = call.name, call.args
    if name in _INTO:
        yield from _into_folder(call.operands)
    if name in _TO_ALL:
        yield from call.operands
    elif name in _TO_LAST:
        yield from call.operands[-1:]
        yield from _values(args, "-t", "--target-directory")
    elif (name in {"sed", "gsed"} and call.has("i", "--in-place")) or (name == "perl" and call.has("i")):
        yield from call.operands
    elif name == "git" and args[:1] and args[0] in {"rm", "mv", "checkout", "restore"}:
        yield from call.operands[1:]
    elif name == "dd":
        yield from (word[3:] for word in args if word.startswith("of="))
    elif name in {"curl", "wget"}:
        yield from _values(args, "-o", "-O", "--output", "--output-document", "-P", "--directory-prefix")
    elif INTERPRETERS.fullmatch(name):
        yield from writes_in(call.code)


def read(call: Call) -> Iterator[str]:
    """The words by which a command may name files that it reads, or folders that it looks into."""
    yield from call.simple.reads
    if call.name in _MENTIONS:
        return
    skipped = 1 if call.name in _SEARCHES and not call.has("ef", "--regexp", "--file") else 0
    operands = call.operands[skipped:]
    yield from operands
    yield from (word.partition("=")[2] for word in call.args if "=" in word)
    yield from (word.partition("@")[2] for word in call.args if "@" in word)
    yield from texts_in(call.code)


def _into_folder(operands: list[str]) -> Iterator[str]:
    """`cp a/.profile ~` writes `~/.profile`. Only where the text says that the last word is a folder."""
    target = operands[-1] if operands else ""
    if target.endswith("/") or whole(target):
        for source in operands[:-1]:
            yield f"{target.rstrip('/')}/{source.rstrip('/').rpartition('/')[2]}"


def _values(args: list[str], *options: str) -> Iterator[str]:
    for at, word in enumerate(args):
        if word in options:
            yield from args[at + 1 : at + 2]
        elif word.startswith(options):
            yield word.partition("=")[2] if word.startswith("--") else word[2:]


def _is_option(word: str, letters: str, long: tuple[str, ...]) -> bool:
    if word.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 3 and any(option.startswith(name) for option in long)
    return any(letter in word for letter in letters)


def _script_files(call: Call) -> list[str]:
    return [word for word in call.operands if word not in {"+", "/dev/stdin", "/dev/fd/0"}]


def _spoken(before: Simple | None) -> list[str]:
    if before is None:
        return []
    words = unwrap(before.words).words
    if words and program_name(words[0]) in {"echo", "printf"}:
        return [
            " ".join(words[2:] if words[1:2] and words[1] in {"-n", "-e", "-ne", "-en", "--"} else words[1:])
        ]
    return before.fed


def _gives_code(word: str) -> bool:
    return word in {"--eval", "--print"} or bool(re.fullmatch(r"-[A-Za-z]*[ceEr]", word))


def _behind_options(args: list[str], valued: frozenset[str]) -> list[str]:
    at = 0
    while at < len(args) and args[at].startswith("-"):
        at += 2 if args[at] in valued else 1
    return args[at:]


def _up_to_end(words: list[str], at: int) -> list[str]:
    for end in range(at, len(words)):
        if words[end] in {";", "+"}:
            return words[at:end]
    return words[at:]


def assignments(words: list[str]) -> Iterator[tuple[str, str]]:
    """`A=b` words of a command that starts nothing, and the names that `for` walks over."""
    if len(words) > 3 and words[0] == "for" and words[2] == "in":
        yield from ((words[1], word) for word in words[3:])
        return
    words = words[1:] if words and words[0] in {"export", "local", "declare", "readonly"} else words
    if all(ASSIGNMENT.match(word) for word in words):
        for word in words:
            name, _, value = word.partition("=")
            yield name.rstrip("+"), value
