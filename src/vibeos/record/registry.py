"""What is running for a session, by name: commands now; watches, tasks, runs and open questions later.

The program writes what the program knows: a checkpoint lists these with their ids, whatever a model noted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class JobKind(StrEnum):
    """What a living job is."""

    COMMAND = "command"
    WATCH = "watch"
    TASK = "task"
    RUN = "run"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class LivingJob:
    """One thing that is still running or waiting; `name` is what a person would recognise it by."""

    kind: JobKind
    id: str
    name: str
    started_at: str


class JobRegistry(Protocol):
    """Names what runs for a session. Whoever starts a job adds it and takes it out when it has ended."""

    def add(self, session_id: str, job: LivingJob) -> None: ...

    def remove(self, session_id: str, job_id: str) -> None: ...

    def living(self, session_id: str) -> tuple[LivingJob, ...]:
        """What runs for the session now, the oldest first."""
        ...


class MemoryJobRegistry:
    """The registry of one process, for jobs that end with it."""

    def __init__(self) -> None:
        self._jobs: dict[str, dict[str, LivingJob]] = {}

    def add(self, session_id: str, job: LivingJob) -> None:
        self._jobs.setdefault(session_id, {})[job.id] = job

    def remove(self, session_id: str, job_id: str) -> None:
        self._jobs.get(session_id, {}).pop(job_id, None)

    def living(self, session_id: str) -> tuple[LivingJob, ...]:
        return tuple(self._jobs.get(session_id, {}).values())
