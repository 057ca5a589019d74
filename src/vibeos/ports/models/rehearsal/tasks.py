"""What is still to be done, told from the conversation: messages that nobody answered, folders that are under way.

A message is done with when an answer came after it that made no calls for it. A folder is under way until its last word was
said; the person's "stop" and an interrupt make it wait, "go on" (or the same request again) takes it up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vibeos.ports.models.rehearsal.folder import Queue
from vibeos.ports.models.rehearsal.rules import Wish, wish_of
from vibeos.ports.models.rehearsal.sentences import Kind
from vibeos.ports.models.rehearsal.talk import Answered, Made, Said, Talk


@dataclass(frozen=True, slots=True)
class Task:
    """A message to answer, and what was called for it so far."""

    wish: Wish
    key: str
    made: tuple[Made, ...]


def open_tasks(talk: Talk) -> list[Task]:
    """The messages that wait for an answer, in their order; a message said twice waits once."""
    waiting: dict[str, Task] = {}
    for place, event in enumerate(talk.events):
        if isinstance(event, Said) and (wish := asked(event)).kind is not Kind.WORK:
            waiting.pop(event.key, None)
            made = _made_so_far(talk, event.key, place)
            if made is not None:
                waiting[event.key] = Task(wish, event.key, made)
    return list(waiting.values())


def queues(talk: Talk) -> list[Queue]:
    """The folders that are not done with, in the order in which they were asked for."""
    found: list[Queue] = []
    for event in talk.events:
        if isinstance(event, Answered):
            for queue in found:
                queue.absorb(event)
            found = [queue for queue in found if not queue.is_over]
        else:
            _hear(found, event, talk)
    return found


def asked(said: Said) -> Wish:
    """What a message asks for; what a program delivered asks for nothing."""
    wish = _cached_wish(said.text)
    return Wish(Kind.INFORMATION, said.text, wish.language) if said.is_from_a_program else wish


@lru_cache(maxsize=4_096)  # a pure function of the text; each request holds the earlier messages again
def _cached_wish(text: str) -> Wish:
    return wish_of(text)


def _made_so_far(talk: Talk, key: str, place: int) -> tuple[Made, ...] | None:
    """The calls made for the message at this place; None when it has its answer."""
    made: list[Made] = []
    for event in talk.events[place + 1 :]:
        if isinstance(event, Answered):
            own = event.made_for(key)
            if not own:
                return None
            made += own
    return tuple(made)


def _hear(found: list[Queue], said: Said, talk: Talk) -> None:
    wish = asked(said)
    match wish.kind:
        case Kind.STOP:
            for queue in found:
                queue.is_paused = True
        case Kind.GO_ON:
            for queue in found:
                queue.is_paused = False
        case Kind.WORK:
            same = next((queue for queue in found if queue.folder == wish.about), None)
            if same is None:
                found.append(Queue(said.key, wish.about, wish.language, talk.tools))
            else:
                same.is_paused = False
