"""Reads a shell command into the simple commands that it would run, in one pass and with a limited effort.

Quotes and backslashes are taken off as a shell does. What runs inside a word (`$(…)`, backticks, `<(…)`) is read
into the same list, and leaves a short mark in the word (`$(curl)`, `$(mktemp)`, `$(...)`). Variables stay as they
are written. Nothing here runs or expands anything, and what stands in quotes stays one word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vibeos.ports.guard.danger.parts import MARKED, Effort, Simple, TooMuchError
from vibeos.ports.guard.danger.unwrap import program_name, unwrap

DEPTH_LIMIT = 32
_BLANK = re.compile(r"(?:[^\S\n]++|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECT = re.compile(r"(?:\d{0,9}|\{\w{1,40}\})(?:&>>?|>>|>\||>&|<<<|<<-?|<>|<&|<(?!\()|>(?!\())")
_SEPARATOR = re.compile(r"\|&|\|\|?|&&?|[;\n]+")
_PLAIN = re.compile(r"[^\s\\'\"`$|&;()<>]+")
_QUOTED = re.compile(r"[^\"\\`$]+")
_ARITHMETIC = re.compile(r"\$?\(\([^()]*\)\)")
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*+)`", re.DOTALL)
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "a": "\a", "b": "\b"}

_OPENERS = frozenset({"{", "while", "until", "if", "for", "case"})
_CLOSERS = frozenset({"}", "done", "fi", "esac"})


@dataclass(slots=True)
class _Level:
    """What is open between two brackets: the command that grows, and the pipe that it belongs to."""

    simple: Simple = field(default_factory=Simple)
    piped: frozenset[str] = frozenset()
    feeds: frozenset[str] = frozenset()  # what a pipe brings to every command of a group
    seen: frozenset[str] = frozenset()


class Reader:
    """Reads one text. `found` grows in the order of the text; `balanced` tells whether all quotes were closed."""

    def __init__(self, text: str, effort: Effort, depth: int = 0) -> None:
        if depth > DEPTH_LIMIT:
            raise TooMuchError
        self._text = text + "\n"
        self._at = 0
        self._depth = depth
        self._effort = effort
        self._pending: list[tuple[Simple, str, bool, bool]] = []
        self.found: list[Simple] = []
        self.functions: set[str] = set()
        self.balanced = True

    def read(self) -> list[Simple]:
        self._commands(closed_by="")
        return self.found

    def _commands(self, closed_by: str, feeds: frozenset[str] = frozenset()) -> frozenset[str]:
        """Reads up to the closing bracket (or the end); gives the marked programs that run inside."""
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise TooMuchError
        level = _Level(piped=feeds, feeds=feeds)
        while self._at < len(self._text):
            self._effort.spend()
            if blank := _BLANK.match(self._text, self._at) or _COMMENT.match(self._text, self._at):
                self._at = blank.end()
            elif self._text[self._at] == ")":
                self._at += 1
                self._end(level, "")
                if closed_by == ")":
                    break
            else:
                self._part(level)
        self._end(level, "")
        self._depth -= 1
        return level.seen

    def _part(self, level: _Level) -> None:
        if redirect := _REDIRECT.match(self._text, self._at):
            self._at = redirect.end()
            self._redirect(level.simple, redirect.group().lstrip("0123456789").rpartition("}")[2])
        elif separator := _SEPARATOR.match(self._text, self._at):
            self._at = separator.end()
            self._end(level, separator.group())
        elif arithmetic := _ARITHMETIC.match(self._text, self._at):
            self._at = arithmetic.end()
            level.simple.words.append("((...))")
        elif self._text[self._at] == "(":
            self._group(level)
        else:
            level.simple.words.append(self._word())

    def _group(self, level: _Level) -> None:
        self._at += 1
        if self._text.startswith(")", self._at) and len(level.simple.words) in {1, 2}:
            self.functions.add(level.simple.words[-1])
        self._end(level, "")
        inside = self._commands(closed_by=")", feeds=level.piped)
        level.seen |= inside
        level.piped = inside

    def _end(self, level: _Level, separator: str) -> None:
        if separator.isspace() and level.simple.before is not None and not level.simple.words:
            return self._here_documents(separator)  # a line may end behind a pipe sign
        simple, level.simple = level.simple, Simple()
        if simple.words or simple.writes or simple.reads or simple.fed or self._waits(simple):
            simple.origins, simple.depth = level.piped, self._depth
            self.found.append(simple)
            level.piped |= self._marked(simple)
            level.seen |= level.piped
            self._open_or_close(level, simple)
        if separator in {"|", "|&"}:
            level.simple.before = simple
        elif separator:
            level.piped = level.feeds
        if "\n" in separator:
            self._here_documents(separator)
        return None

    def _open_or_close(self, level: _Level, simple: Simple) -> None:
        """A group stands in a pipe as a whole: it is fed, and feeds, through each of its commands."""
        first = simple.words[0] if simple.words else ""
        if first == "function":
            self.functions.update(simple.words[1:2])
        elif first in _OPENERS:
            level.feeds |= simple.origins
        elif first in _CLOSERS:
            level.feeds, level.piped = frozenset(), level.seen

    def _waits(self, simple: Simple) -> bool:
        return bool(self._pending) and self._pending[-1][0] is simple

    @staticmethod
    def _marked(simple: Simple) -> frozenset[str]:
        words = unwrap(simple.words[:64]).words
        name = program_name(words[0]) if words else ""
        return frozenset({name}) if name in MARKED else frozenset()

    def _redirect(self, simple: Simple, sign: str) -> None:
        if blank := _BLANK.match(self._text, self._at):
            self._at = blank.end()
        start = self._at
        target = self._word()
        if sign in {"<<", "<<-"}:
            quoted = any(mark in self._text[start : self._at] for mark in "'\"\\")
            if target or quoted:
                self._pending.append((simple, target, sign == "<<-", quoted))
        elif sign == "<<<":
            simple.fed.append(target)
        elif ">" in sign and not (sign == ">&" and (target.isdigit() or target == "-")):
            simple.writes.append(target)
        elif sign in {"<", "<>"} and not target.startswith("<("):
            simple.reads.append(target)
        elif target.startswith("<("):
            simple.words.append(target)  # `bash < <(curl …)` is fed like `bash <(curl …)`

    def _here_documents(self, separator: str) -> None:
        """The bodies start behind the first line end: what the separator took beyond that is given back."""
        if not self._pending:
            return
        self._at -= len(separator) - separator.index("\n") - 1
        waiting, self._pending = self._pending, []
        for simple, name, dashed, quoted in waiting:
            body = self._body(name, dashed)
            simple.fed.append(body)
            if not quoted and ("$" in body or "`" in body):
                self._inside(body)

    def _body(self, name: str, dashed: bool) -> str:
        self._effort.spend(200 if dashed else 2)
        if len(name) > 200:
            raise TooMuchError
        start, end = self._at, self._text.find(f"\n{name}\n", self._at - 1)
        after = end + len(name) + 2
        if dashed:
            found = re.compile(rf"^\t*{re.escape(name)}$", re.MULTILINE).search(self._text, self._at)
            end, after = (found.start() - 1, found.end() + 1) if found else (-1, -1)
        if end < 0:
            self._effort.spend((len(self._text) - start) // 512)
            return ""  # it is never closed: its lines are read as commands
        self._at = after
        return self._text[start : max(end, start)]

    def _inside(self, body: str) -> None:
        """What a shell runs while it fills in a here-document."""
        inner = Reader(body, self._effort, self._depth + 1)
        inner.in_quotes(closed_by="")
        self.found.extend(inner.found)

    def _word(self) -> str:
        pieces: list[str] = []
        while self._at < len(self._text):
            self._effort.spend()
            if plain := _PLAIN.match(self._text, self._at):
                self._at = plain.end()
                pieces.append(plain.group())
                continue
            sign = self._text[self._at]
            if sign in "<>" and self._text.startswith("(", self._at + 1):
                self._at += 2
                pieces.append(f"{sign}{self._nested()}")
            elif sign.isspace() or sign in "|&;()<>":
                break
            else:
                pieces.append(self._special(sign))
        return "".join(pieces)

    def _special(self, sign: str) -> str:
        if sign == "'":
            return self._literal()
        if sign == '"':
            self._at += 1
            return self.in_quotes(closed_by='"')
        if sign == "\\":
            self._at += 2
            return self._text[self._at - 1 : self._at].replace("\n", "")
        if ansi := _ANSI.match(self._text, self._at):
            self._at = ansi.end()
            return _ANSI_ESCAPE.sub(_decoded, ansi.group(1))
        return self._dollar(sign)

    def _literal(self) -> str:
        start, end = self._at + 1, self._text.find("'", self._at + 1)
        if end < 0:
            self.balanced = False
            end = len(self._text)
        self._at = end + 1
        return self._text[start:end]

    def in_quotes(self, closed_by: str) -> str:
        pieces: list[str] = []
        while self._at < len(self._text):
            self._effort.spend()
            sign = self._text[self._at]
            if sign == closed_by:
                self._at += 1
                return "".join(pieces)
            if plain := _QUOTED.match(self._text, self._at):
                self._at = plain.end()
                pieces.append(plain.group())
            elif sign == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                self._at += 2
                pieces.append("" if escaped == "\n" else escaped if escaped in '$`"\\' else sign + escaped)
            elif sign == '"':
                self._at += 1
            else:
                pieces.append(self._dollar(sign))
        self.balanced = self.balanced and not closed_by
        return "".join(pieces)

    def _dollar(self, sign: str) -> str:
        """A variable as it is written, or the mark of what runs in its place."""
        if sign == "`":
            return self._backticks()
        if arithmetic := _ARITHMETIC.match(self._text, self._at):
            self._at = arithmetic.end()
            return "$((...))"
        if self._text.startswith("$(", self._at):
            self._at += 2
            return f"${self._nested()}"
        self._at += 1
        return sign

    def _backticks(self) -> str:
        found = _BACKTICKS.match(self._text, self._at)
        if found is None:
            self.balanced = False
            self._at += 1
            return ""
        self._at = found.end()
        self._effort.spend(5)  # a text of its own costs more than a part
        inner = Reader(re.sub(r"\\([`\\$])", r"\1", found.group(1)), self._effort, self._depth + 1)
        inside = inner._commands(closed_by="")
        self.found.extend(inner.found)
        self.balanced = self.balanced and inner.balanced
        return f"${_mark(inside)}"

    def _nested(self) -> str:
        return _mark(self._commands(closed_by=")"))


def _mark(programs: frozenset[str]) -> str:
    return f"({next((name for name in MARKED if name in programs), '...')})"


def _decoded(escape: re.Match[str]) -> str:
    hexadecimal, unicode, octal, letter = escape.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    return chr(int(octal, 8) if octal else int(hexadecimal or unicode, 16))
