"""The small errands: a command, a question to the person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vibeos.ports.models.rehearsal.hands import Part, no_tool, problem_in, wanted
from vibeos.ports.models.rehearsal.words import say, shortened

if TYPE_CHECKING:
    from vibeos.ports.models.rehearsal.talk import Talk
    from vibeos.ports.models.rehearsal.tasks import Task

OUTPUT_CHARACTERS = 4_000
ANSWERED = "The person answered: "  # as the ask tool words it; a test holds the two together


def run(task: Task, talk: Talk) -> Part:
    """Run the command and show what it gave."""
    language = task.wish.language
    if task.made:
        output = problem_in(task.made[-1]) or task.made[-1].outcome
        shown = shortened(output.strip(), language, OUTPUT_CHARACTERS)
        return Part(say(language, "ran", output=f"```\n{shown}\n```"))
    call = wanted(talk.tools, task.key, "bash", {"command": task.wish.about})
    return Part(calls=(call,)) if call else no_tool("bash", language)


def ask(task: Task, talk: Talk) -> Part:
    """Put the question to the person and repeat the answer."""
    language = task.wish.language
    if task.made:
        outcome = problem_in(task.made[-1]) or task.made[-1].outcome
        answer = shortened(outcome.removeprefix(ANSWERED), language)
        return Part(say(language, "asked" if outcome.startswith(ANSWERED) else "not_answered", answer=answer))
    plain = task.wish.about.rstrip(" .?？。")
    question = f"{plain[:1].upper()}{plain[1:]}{'？' if language == 'zh' else '?'}"
    call = wanted(talk.tools, task.key, "ask", {"question": question})
    return Part(calls=(call,)) if call else no_tool("ask", language)
