"""The next answer as a value: what each open message gets of it, put together in their order.

Folders go on beside what arrives meanwhile: a new message is answered or obeyed at the next step, then the queue goes on.
A folder's last word waits for an answer without calls, so that it is the answer that the person gets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vibeos.ports.models.rehearsal import errands, recall
from vibeos.ports.models.rehearsal.hands import Part
from vibeos.ports.models.rehearsal.sentences import Kind
from vibeos.ports.models.rehearsal.tasks import open_tasks, queues
from vibeos.ports.models.rehearsal.words import say, shortened
from vibeos.values.text import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vibeos.ports.models.rehearsal.folder import Queue
    from vibeos.ports.models.rehearsal.hands import Wanted
    from vibeos.ports.models.rehearsal.talk import Talk
    from vibeos.ports.models.rehearsal.tasks import Task


@dataclass(frozen=True, slots=True)
class Step:
    """One answer: its text and its calls."""

    text: str
    calls: tuple[Wanted, ...]


def next_step(talk: Talk) -> Step:
    """What the rehearsal answers to this conversation. The same conversation always gets the same answer."""
    under_way = queues(talk)
    tasks = open_tasks(talk)
    parts = [_answer(task, talk, under_way) for task in tasks]
    if work := _work(under_way, is_alone=not any(part.calls for part in parts)):
        parts.append(work)
    calls = tuple(call for part in parts for call in part.calls)
    text = "\n\n".join(part.text for part in parts if part.text)
    if not text and not calls:  # nobody asked for anything, or another model's work is to be taken up
        text = say("en", "what_i_am")
    return Step(_introduced(text, talk, tasks, under_way, is_last=not calls), calls)


def _answer(task: Task, talk: Talk, under_way: Sequence[Queue]) -> Part:
    action = _ACTIONS.get(task.wish.kind)
    return action(task, talk) if action else Part(_words(task, under_way))


_ACTIONS: dict[Kind, Callable[[Task, Talk], Part]] = {
    Kind.REMEMBER: recall.remember,
    Kind.FORGET: recall.forget,
    Kind.KNOW: recall.know,
    Kind.DECIDED: recall.decided,
    Kind.RUN: errands.run,
    Kind.ASK: errands.ask,
}


def _words(task: Task, under_way: Sequence[Queue]) -> str:
    """The answer to what needs no tool."""
    language = task.wish.language
    status = "\n".join(queue.status() for queue in under_way)
    match task.wish.kind:
        case Kind.INFORMATION:
            return say(language, "information", text=preview(task.wish.about, 200))
        case Kind.ANSWER:
            return say(language, "asked", answer=shortened(task.wish.about, language))
        case Kind.STATUS:
            return status or say(language, "status_idle")
        case Kind.STOP:
            return f"{say(language, 'stopped')} {status}" if status else say(language, "status_idle")
        case Kind.GO_ON:
            return say(language, "going_on" if under_way else "nothing_to_go_on_with")
        case _:
            waiting = "\n".join(queue.status() for queue in under_way if queue.is_paused)
            return "\n\n".join(part for part in (say(language, "what_i_am"), waiting) if part)


def _work(under_way: Sequence[Queue], *, is_alone: bool) -> Part | None:
    """The next step of the first folder that does not wait; when none has one, the last words of those that are done."""
    steps = [(queue, queue.step()) for queue in under_way]
    running = next((part for queue, part in steps if part.calls and not queue.is_paused), None)
    last_words = [part.text for _, part in steps if not part.calls]
    if running is None and last_words and is_alone:
        return Part("\n\n".join(last_words))
    return running


def _introduced(
    text: str, talk: Talk, tasks: Sequence[Task], under_way: Sequence[Queue], *, is_last: bool
) -> str:
    """The text, behind a word on who speaks where the person has not been told yet."""
    is_first = not talk.has_answered
    if not text or talk.is_introduced or not (is_first or is_last):
        return text
    spoken = [task.wish.language for task in tasks] + [queue.language for queue in under_way]
    return f"{say(spoken[0] if spoken else 'en', 'introduction')}\n\n{text}"
