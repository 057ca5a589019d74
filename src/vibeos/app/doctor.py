"""`vibeos doctor`: is this home sound, and if not, what to do. It repairs nothing, and never fails half way. Like every
command that opens the record, it first migrates an older one (after a copy) and ends a deletion that was cut short.

Every check gives findings; a check that cannot be made is a finding too, never a silence.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from vibeos.ports.guard.files import exists
from vibeos.values.errors import VibeOSError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vibeos.app.vibeos import VibeOS


class Severity(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found. `remedy` says what to do, empty where all is well."""

    check: str
    severity: Severity
    message: str
    remedy: str = ""


class Doctor:
    """Runs every check over one home."""

    def __init__(self, app: VibeOS) -> None:
        self._app = app

    def run(self) -> tuple[CheckResult, ...]:
        """Every finding, in the order of the checks."""
        checks: dict[str, Callable[[], Iterator[CheckResult]]] = {
            "home": self._home,
            "config": self._config,
            "memory": self._memory,
            "record": self._record,
            "model": self._model,
        }
        return tuple(result for name, check in checks.items() for result in _safely(name, check))

    def _home(self) -> Iterator[CheckResult]:
        root = Path(self._app.scope.root)
        if not root.exists():
            yield CheckResult("home", Severity.OK, f"{root} does not exist yet; it is made when first needed")
        elif not root.is_dir():
            yield CheckResult(
                "home", Severity.FAULT, f"{root} is not a folder", "Move it away, or choose another home."
            )
        elif not os.access(root, os.W_OK | os.X_OK):
            yield CheckResult(
                "home",
                Severity.FAULT,
                f"{root} cannot be written",
                "Check its owner, or choose another home.",
            )
        else:
            yield CheckResult("home", Severity.OK, str(root))
            yield from self._leftovers()

    def _leftovers(self) -> Iterator[CheckResult]:
        for path in sorted(Path(self._app.scope.root).glob("**/.*.tmp")):
            yield CheckResult(
                "home",
                Severity.WARNING,
                f"{path} was left by a program that was killed",
                "It may be deleted.",
            )

    def _config(self) -> Iterator[CheckResult]:
        path = Path(self._app.scope.config_file)
        settings = [setting for setting in self._app.config.items() if setting.source != "default"]
        where = str(path) if path.exists() else f"{path} does not exist; defaults hold"
        yield CheckResult(
            "config", Severity.OK, f"{where} ({len(settings)} settings differ from the defaults)"
        )

    def _memory(self) -> Iterator[CheckResult]:
        snapshot = self._app.memory.snapshot()
        for notice in snapshot.notices:
            yield CheckResult("memory", Severity.FAULT, notice, "`vibeos memory show` shows the entries.")
        for store in self._app.memory.status():
            if store.usage is None:
                continue
            name, usage = store.target.file_name, store.usage
            if usage.used > usage.limit:
                yield CheckResult(
                    "memory",
                    Severity.WARNING,
                    f"{name} is over its limit: {usage.used}/{usage.limit} characters",
                    "Shorten or remove entries; nothing can be added until it fits.",
                )
            else:
                yield CheckResult(
                    "memory", Severity.OK, f"{name}: {usage.percent}%, {len(store.entries)} entries"
                )

    def _record(self) -> Iterator[CheckResult]:
        if not exists(self._app.scope.state_db):
            yield CheckResult("record", Severity.OK, "no record yet; the first session makes one")
            return
        faults = self._app.record.faults()
        for fault in faults:
            yield CheckResult(
                "record", Severity.FAULT, fault, "Copy state.db aside before anything else is done."
            )
        if not faults:
            yield CheckResult(
                "record", Severity.OK, f"{self._app.scope.state_db}: {self._app.sessions.count()} sessions"
            )

    def _model(self) -> Iterator[CheckResult]:
        if not self._app.config.text("model.name"):
            yield CheckResult(
                "model",
                Severity.WARNING,
                "no model is configured",
                "vibeos config set model.name openai:MODEL",
            )
            return
        yield CheckResult("model", Severity.OK, self._app.chat.route_name())


def _safely(name: str, check: Callable[[], Iterator[CheckResult]]) -> list[CheckResult]:
    results: list[CheckResult] = []
    try:
        results.extend(check())
    except VibeOSError as error:
        results.append(CheckResult(name, Severity.FAULT, error.message, error.remedy))
    except OSError as error:
        results.append(CheckResult(name, Severity.FAULT, str(error), "Check the owner and the permissions."))
    return results
