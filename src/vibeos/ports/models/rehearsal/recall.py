"""Remembering, forgetting, and answering from memory and from earlier sessions.

What was saved or removed is claimed only when the tool's answer shows it; a refusal is repeated as the tool worded it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from vibeos.ports.models.rehearsal.hands import Part, choices, json_of, no_tool, problem_in, wanted
from vibeos.ports.models.rehearsal.knowledge import (
    ENOUGH,
    MEMORY,
    STORE_NAMES,
    USER,
    fitting,
    known_entries,
    share,
    topic_of,
)
from vibeos.ports.models.rehearsal.rules import is_about_the_person, wish_of
from vibeos.ports.models.rehearsal.sentences import Kind
from vibeos.ports.models.rehearsal.talk import Said
from vibeos.ports.models.rehearsal.words import say, shortened
from vibeos.values.text import preview

if TYPE_CHECKING:
    from vibeos.ports.models.rehearsal.talk import Made, Talk
    from vibeos.ports.models.rehearsal.tasks import Task

SEARCH = "session_search"
MOST_ENTRIES = 5


def remember(task: Task, talk: Talk) -> Part:
    """Add the fact to the store that it belongs in, then say what the tool said."""
    fact, language = _as_entry(task.wish.about), task.wish.language
    if task.made:
        return Part(_saved(task.made[-1], fact, language))
    call = wanted(
        talk.tools,
        task.key,
        "memory",
        {"target": _store_for(fact, talk), "action": "add", "content": fact},
    )
    return Part(calls=(call,)) if call else no_tool("memory", language)


def forget(task: Task, talk: Talk) -> Part:
    """Remove the one entry that the words mean."""
    language = task.wish.language
    if task.made:
        return Part(_forgotten(task.made[-1], language))
    found = fitting(topic_of(task.wish.about), known_entries(talk))
    if not found:
        return Part(say(language, "nothing_to_forget", about=preview(task.wish.about)))
    if len(found) > 1:
        lines = "\n".join(f"- {preview(entry.text)}" for entry in found[:MOST_ENTRIES])
        return Part(say(language, "which_to_forget", entries=lines))
    (entry,) = found
    call = wanted(
        talk.tools, task.key, "memory", {"target": entry.store, "action": "remove", "old_text": entry.text}
    )
    return Part(calls=(call,)) if call else no_tool("memory", language)


def know(task: Task, talk: Talk) -> Part:
    """Answer from memory; what is not there is sought in earlier sessions."""
    if task.made:
        return _searched(task, talk, "not_known")
    if answer := _from_memory(task, talk):
        return Part(answer)
    if not topic_of(task.wish.about):
        return Part(say(task.wish.language, "what_i_am"))
    return _search(task, talk) or Part(_from_here(task, talk) or say(task.wish.language, "not_known"))


def decided(task: Task, talk: Talk) -> Part:
    """Quote what was said, from the record first."""
    if task.made:
        return _searched(task, talk, "not_found")
    if not topic_of(task.wish.about):
        return Part(say(task.wish.language, "what_i_am"))
    return _search(task, talk) or no_tool(SEARCH, task.wish.language)


def _as_entry(fact: str) -> str:
    return fact[:1].upper() + fact[1:]


def _store_for(fact: str, talk: Talk) -> str:
    """The store that the fact belongs in, or the one that there is."""
    store = USER if is_about_the_person(fact) else MEMORY
    allowed = choices(talk.tools, "memory", "target")
    return store if not allowed or store in allowed else str(allowed[0])


def _saved(made: Made, fact: str, language: str) -> str:
    answer = json_of(made)
    message = str(answer.get("message") or answer.get("error") or problem_in(made) or made.outcome)
    entries = answer.get("current_entries")
    is_there = isinstance(entries, list) and unicodedata.normalize("NFC", fact) in entries
    if not (answer.get("success") is True and is_there):
        return say(language, "not_saved", reason=message)
    # The tool's answer does not tell a new entry from an old one but in its own words, which stand beside.
    return f"{say(language, 'saved', store=_store_name(answer), content=fact)}\n({message})"


def _forgotten(made: Made, language: str) -> str:
    answer = json_of(made)
    old = str((made.call.parsed() or {}).get("old_text", ""))
    entries = answer.get("current_entries")
    is_gone = isinstance(entries, list) and old not in entries
    if answer.get("success") is True and is_gone:
        return say(language, "forgotten", store=_store_name(answer), content=preview(old, 200))
    message = str(answer.get("message") or answer.get("error") or problem_in(made) or made.outcome)
    return say(language, "not_forgotten", reason=message)


def _store_name(answer: dict[str, Any]) -> str:
    return STORE_NAMES.get(str(answer.get("target")), "?")


def _from_memory(task: Task, talk: Talk) -> str:
    entries = known_entries(talk)
    topic = topic_of(task.wish.about)
    found = fitting(topic, entries)
    if not topic and is_about_the_person(task.wish.about):
        found = [entry for entry in entries if entry.store == USER]
    texts = "; ".join(f"“{entry.text}”" for entry in found[:MOST_ENTRIES])
    store = ", ".join(dict.fromkeys(STORE_NAMES[entry.store] for entry in found[:MOST_ENTRIES]))
    return say(task.wish.language, "from_memory", store=store, entries=texts) if found else ""


def _search(task: Task, talk: Talk, **more: str) -> Part | None:
    # The search reads quotes, dashes and stars as signs of its own.
    query = re.sub(r"[\"“”«»*]|(?<!\w)-", " ", task.wish.about).strip()
    call = wanted(talk.tools, task.key, SEARCH, {"query": query, **more})
    return Part(calls=(call,)) if call else None


def _searched(task: Task, talk: Talk, otherwise: str) -> Part:
    """The best of what was found; where this project's sessions have nothing, all of them are searched once."""
    language, made = task.wish.language, task.made[-1]
    if problem := problem_in(made):
        return Part(say(language, "search_failed", reason=problem))
    if quote := _best_hit(task, json_of(made)):
        return Part(quote)
    is_narrow = len(task.made) == 1 and json_of(made).get("searched") == "project"
    if is_narrow and (wider := _search(task, talk, scope="all")):
        return wider
    return Part(_from_here(task, talk) or _from_memory(task, talk) or say(language, otherwise))


def _best_hit(task: Task, answer: dict[str, Any]) -> str:
    """The first hit that says something about the topic, the person's own words before the agent's."""
    topic = topic_of(task.wish.about)
    results = answer.get("results")
    hits = [hit for hit in results if isinstance(hit, dict)] if isinstance(results, list) else []
    fit = [hit for hit in hits if _says_something(topic, str(hit.get("text", "")))]
    fit.sort(key=lambda hit: hit.get("from") != "user")
    return _quoted(fit[0], task.wish.language) if fit else ""


def _says_something(topic: frozenset[str], text: str) -> bool:
    """Whether a past message is more than a question about the same."""
    return share(topic, text) >= ENOUGH and wish_of(text).kind not in {Kind.KNOW, Kind.DECIDED, Kind.FORGET}


def _quoted(hit: dict[str, Any], language: str) -> str:
    author = {"user": "person", "assistant": "agent"}.get(str(hit.get("from")), "program")
    return say(
        language,
        "from_session",
        session=hit.get("session", "?"),
        number=hit.get("number", "?"),
        time=str(hit.get("time", ""))[:10],
        author=say(language, author),
        text=shortened(str(hit.get("text", "")), language),
    )


def _from_here(task: Task, talk: Talk) -> str:
    """What the person said about it in this conversation, the newest; a search leaves this session out."""
    topic = topic_of(task.wish.about)
    said = [event.text for event in talk.events if isinstance(event, Said) and not event.is_from_a_program]
    fit = [text for text in said if _says_something(topic, text)]
    return say(task.wish.language, "from_here", text=shortened(fit[-1], task.wish.language)) if fit else ""
