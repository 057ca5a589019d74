"""The record: the append-only database of sessions and messages; what was really said.

| module | what |
|---|---|
| `sessions` | conversations: start, list, rename, export, delete |
| `messages` | what a person, the agent or the harness wrote; the only copy of the text |
| `context` | the rows that a session resumes from |
| `checkpoints` | what stands in for the older part of a conversation, and every attempt to make it |
| `inbox` | inputs that have arrived and wait for their turn, each delivered once |
| `snapshots` | the curated memory as a session saw it when it began |
| `projects` | folders that a session belongs to |
| `questions` | what a session asked the person and nobody has answered yet |
| `skill_loads` | which skills a session loaded, and when |
| `search` | finding messages by words, without a model |
| `index` | the terms of messages; follows them by the batch, at the latest before a search; can always be made again |

**One numbering.** Every input and every response of a session takes the next `context_seq` when it enters the
context; tool results share their response's number and are no messages. A message's `id` is unique in the whole
database. Any text comes back exactly as it was given. What is deleted is gone from the files too.

Importing this package loads no database library; `open_record` does.
"""

from __future__ import annotations

from vibeos.record.checkpoints import Attempt, Checkpoint, CheckpointDraft, CheckpointMode
from vibeos.record.context import ContextKind, ContextRow
from vibeos.record.inbox import QueuedInput
from vibeos.record.message import Message, MessageType
from vibeos.record.projects import project_of
from vibeos.record.questions import OpenQuestion
from vibeos.record.record import Record, open_record, query_record
from vibeos.record.search import SearchHit
from vibeos.record.sessions import Deletion, Session
from vibeos.record.skill_loads import SkillLoad

__all__ = [
    "Attempt",
    "Checkpoint",
    "CheckpointDraft",
    "CheckpointMode",
    "ContextKind",
    "ContextRow",
    "Deletion",
    "Message",
    "MessageType",
    "OpenQuestion",
    "QueuedInput",
    "Record",
    "SearchHit",
    "Session",
    "SkillLoad",
    "open_record",
    "project_of",
    "query_record",
]
