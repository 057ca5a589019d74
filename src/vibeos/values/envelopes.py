"""Provenance: by which route an input came, decided by the code that delivers it and never by its text.

Every input carries an `Envelope`. What a person typed is stored as `user`, everything else as `harness`,
and a model reads where it came from in one marker line that no text can forge: a person's message that
begins like a marker gets the person's name in front. Where a person answers an open question, one line in front says
which. That line is a help to the reader and grants nothing, so it does not matter that a person can type one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from vibeos.values.text import normalized, one_line, skeleton, without_invisible

_BRACKETS = "[]［］﹇﹈【】︻︼〔〕︹︺﹝﹞⟦⟧⁅⁆〚〛❲❳⟬⟭"
_OPENING_BRACKETS = _BRACKETS[::2]
_FIRST_LETTER = r"[^\W_]"
_NO_LETTERS = r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]+"  # shown as nothing, unlike blanks
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
_DEFAULT_NAME = "User"
_QUESTION_ID = "q[1-9][0-9]{0,17}"


class InputRoute(StrEnum):
    """How an input reached its session."""

    PERSON = "person"
    WATCH = "watch"
    TASK = "task"
    RUN = "run"
    CALLBACK = "callback"


@dataclass(frozen=True, slots=True)
class Envelope:
    """Who or what delivered an input.

    `source` is the surface (`cli`, `python`, `mcp`, …); `origin_id` and `origin_name` name a watch, a task or
    a run, or with a person's route the question that is answered (`q7`); `from_session` is the session that a run
    belongs to.
    """

    route: InputRoute
    source: str
    author_id: str = ""
    author_name: str = ""
    origin_id: str = ""
    origin_name: str = ""
    from_session: str = ""

    @classmethod
    def person(cls, source: str, *, author_id: str = "", author_name: str = "") -> Envelope:
        """An input that a person typed."""
        return cls(InputRoute.PERSON, source, author_id=author_id, author_name=author_name)

    @property
    def is_person(self) -> bool:
        """Whether a person typed this; nothing else can become a memo candidate or authority."""
        return self.route is InputRoute.PERSON

    @property
    def message_type(self) -> str:
        """The record's type of the message: `user` or `harness`."""
        return "user" if self.is_person else "harness"

    @property
    def marker(self) -> str:
        """The line that says where the input came from; empty for a person's."""
        identity, name, session = (
            one_line(self.origin_id),
            one_line(self.origin_name),
            one_line(self.from_session),
        )
        match self.route:
            case InputRoute.PERSON:
                return ""
            case InputRoute.WATCH:
                return f'[Harness: Watch {identity} "{name}"]'
            case InputRoute.TASK:
                return f'[Harness: Task {identity} "{name}"]'
            case InputRoute.RUN:
                return f"[Harness: agent run {identity} from #{session}]"
            case InputRoute.CALLBACK:
                return f"[Harness: callback of run {identity} from #{session}]"

    def present(self, text: str) -> str:
        """The text as a model, a memo or another backend is shown it."""
        if not self.is_person:
            return f"{self.marker}\n{text}"
        named = f"{self._name}: {text}" if looks_like_marker(text) else text
        return f"Answer to question {self.origin_id}:\n{named}" if self.answers_a_question else named

    @property
    def answers_a_question(self) -> bool:
        """Whether a person's words answer an open question, whose id is `origin_id` then."""
        return self.is_person and re.fullmatch(_QUESTION_ID, self.origin_id) is not None

    @property
    def _name(self) -> str:
        """The author's name for the front of a message; with a letter or digit, so that it reads as a name."""
        name = one_line(self.author_name)
        return name if re.search(_FIRST_LETTER, name) else f"{_DEFAULT_NAME} {name}".rstrip()


def looks_like_marker(text: str) -> bool:
    """Whether the text begins like a marker line: in any width, case or look-alike letters, spelled apart or with
    marks on its letters, after any blanks, punctuation and invisible characters."""
    if "[" not in text and text.isascii():
        return False
    visible = re.sub(_NO_LETTERS, "", re.sub(_MARKS, "", normalized("NFKC", without_invisible(text))))
    first = re.search(_FIRST_LETTER, visible)
    if first is None:
        return False
    brackets = [mark for mark in visible[: first.start()] if mark in _BRACKETS]
    opened = bool(brackets) and brackets[-1] in _OPENING_BRACKETS
    return opened and _says_harness(visible[first.start() :][:64])


def _says_harness(text: str) -> bool:
    """Whether the word stands there, together or spelled apart; `harnessed` is another word."""
    letters = unicodedata.normalize("NFD", skeleton(text))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.match(r"[\W_]*".join("harness") + r"(?![^\W\d_])", plain) is not None
