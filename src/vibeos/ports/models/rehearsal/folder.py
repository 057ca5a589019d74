"""A folder worked through as a queue: list it, read its files one after another, write a report, say how it went.

Where the work stands is told from the calls made for it and what they gave, so it goes on after an interruption from where
the conversation shows it was; a call whose outcome nobody knows is made again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vibeos.ports.models.rehearsal.files import Listing, line_about, listing_in, listing_of, no_folder
from vibeos.ports.models.rehearsal.hands import Part, no_tool, problem_in, wanted
from vibeos.ports.models.rehearsal.words import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vibeos.ports.models.rehearsal.hands import Wanted
    from vibeos.ports.models.rehearsal.talk import Answered, Made
    from vibeos.ports.models.tools import ToolSpec

REPORT = "REPORT.md"
_SHOWN_NAMES = 10
_SHOWN_LINES = 20


@dataclass(slots=True)
class Queue:
    """One folder under way, folded from the conversation: `absorb` takes one answer after another."""

    key: str
    folder: str
    language: str
    tools: Sequence[ToolSpec]
    known: dict[tuple[str, str], Made] = field(default_factory=dict)  # tool and arguments → what they gave
    fresh: list[Made] = field(default_factory=list)  # what the last answer's calls for it gave
    is_paused: bool = False
    is_over: bool = False

    def absorb(self, answer: Answered) -> None:
        """Take in one answer: what its calls for this folder gave, whether it was the last word or an interrupt."""
        if not answer.made and not self.step().calls:
            self.is_over = True
        self.fresh = answer.made_for(self.key)
        for made in self.fresh:
            if not made.was_interrupted:
                self.known[made.call.name, made.call.arguments] = made
        self.is_paused = self.is_paused or answer.was_interrupted

    def step(self) -> Part:
        """What to do next: words about what was just done, and the next call. Without a call it is the last word."""
        call = listing_of(self.tools, self.key, self.folder)
        if call is None:
            return no_tool("read", self.language)
        done = self._outcome(call)
        if done is None:
            return Part(self._say("queue_listing", folder=self.folder), (call,))
        if problem := no_folder(done):
            return Part(self._say("queue_unlistable", folder=self.folder, reason=problem))
        listing = listing_in(done, but=REPORT)
        if not listing.files:
            return Part(self._say("queue_empty", folder=self.folder))
        return self._work(listing, done)

    def status(self) -> str:
        """How far it is, in one sentence."""
        names, next_name = self._files(), self._next_name()
        count = sum(self._reading(name) is not None for name in names)
        key = "status_paused" if self.is_paused else "status_queue"
        return self._say(key, folder=self.folder, count=count, total=len(names) or "?", name=next_name)

    def _work(self, listing: Listing, listed: Made) -> Part:
        files = listing.files
        said = [*self._about_listing(listing, listed), *self._about_files(files)]
        left = [name for name in files if self._reading(name) is None]
        if left:
            return self._read(left[0], files, said)
        path = self._path(REPORT)
        call = wanted(self.tools, self.key, "write", {"path": path, "content": self._report(files)})
        if call is None:
            return self._last_word("queue_no_writing", files)
        done = self._outcome(call)
        if done is None:
            return Part("\n".join([*said, self._say("queue_next_report", path=path)]), (call,))
        problem = problem_in(done)
        return self._last_word("queue_not_written" if problem else "queue_done", files, reason=problem)

    def _read(self, name: str, files: Sequence[str], said: list[str]) -> Part:
        call = self._reading_of(name)
        if call is None:
            return no_tool("read", self.language)
        number = files.index(name) + 1
        said.append(self._say("queue_next", name=name, number=number, count=len(files)))
        return Part("\n".join(said), (call,))

    def _last_word(self, key: str, files: Sequence[str], reason: str = "") -> Part:
        count = sum(1 for name in files if (done := self._reading(name)) and not problem_in(done))
        head = self._say(
            key, count=count, total=len(files), folder=self.folder, path=self._path(REPORT), reason=reason
        )
        lines = [f"- {line}" for line in self._lines(files)]
        if len(lines) > _SHOWN_LINES:
            lines[_SHOWN_LINES:] = [f"- {self._say('queue_more', count=len(lines) - _SHOWN_LINES)}"]
        return Part("\n".join([head, *lines]))

    def _about_listing(self, listing: Listing, listed: Made) -> list[str]:
        if listed not in self.fresh:
            return []
        said = [self._say("queue_found", folder=self.folder, count=len(listing.files))]
        names = list(listing.skipped[:_SHOWN_NAMES])
        if len(listing.skipped) > _SHOWN_NAMES:
            names.append(self._say("queue_more", count=len(listing.skipped) - _SHOWN_NAMES))
        return [*said, self._say("queue_skipped", names=", ".join(names))] if names else said

    def _about_files(self, files: Sequence[str]) -> list[str]:
        """What the last answer's readings gave."""
        said: list[str] = []
        for number, name in enumerate(files, 1):
            call = self._reading_of(name)
            for made in (made for made in self.fresh if call is not None and call.was(made)):
                if made.was_interrupted:
                    said.append(self._say("queue_again", name=name))
                else:
                    line = line_about(name, made, self.language)
                    said.append(self._say("queue_read", number=number, count=len(files), line=line))
        return said

    def _report(self, files: Sequence[str]) -> str:
        title, foot = self._say("report_title", folder=self.folder), self._say("report_foot")
        lines = "\n".join(f"- {line}" for line in self._lines(files))
        return f"# {title}\n\n{lines}\n\n{foot}\n"

    def _lines(self, files: Sequence[str]) -> list[str]:
        readings = ((name, self._reading(name)) for name in files)
        return [line_about(name, made, self.language) for name, made in readings if made is not None]

    def _files(self) -> tuple[str, ...]:
        call = listing_of(self.tools, self.key, self.folder)
        listed = self._outcome(call) if call else None
        return () if listed is None or no_folder(listed) else listing_in(listed, but=REPORT).files

    def _next_name(self) -> str:
        files = self._files()
        left = (name for name in files if self._reading(name) is None)
        return next(left, self._say("the_report" if files else "the_list"))

    def _reading_of(self, name: str) -> Wanted | None:
        return wanted(self.tools, self.key, "read", {"path": self._path(name)})

    def _reading(self, name: str) -> Made | None:
        call = self._reading_of(name)
        return self._outcome(call) if call else None

    def _outcome(self, call: Wanted) -> Made | None:
        """What this call gave, the last time that its outcome is known."""
        return self.known.get((call.tool, call.arguments))

    def _path(self, name: str) -> str:
        return f"{self.folder.rstrip('/')}/{name}"

    def _say(self, key: str, **values: object) -> str:
        return say(self.language, key, **values)
