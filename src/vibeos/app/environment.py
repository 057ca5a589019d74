"""The only reader of the process's environment. Everything below gets values."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from vibeos.values.catalogue import language_of
from vibeos.values.errors import HomeError, VibeOSError
from vibeos.values.home import SESSION_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping


class Environment(NamedTuple):
    """What VibeOS takes from the process: variables by name, the folder it runs in, who runs it.

    `is_process`: these are this process's own, so what stands above it counts as well.
    """

    variables: Mapping[str, str] = {}
    folder: str = ""
    is_process: bool = False

    @classmethod
    def of_process(cls) -> Environment:
        try:
            folder = os.getcwd()
        except OSError:  # it was deleted; only who asks for the project minds
            folder = ""
        return cls(dict(os.environ), folder, is_process=True)

    def get(self, name: str) -> str:
        """The variable's value; empty when it is not set."""
        return self.variables.get(name, "")

    @property
    def home(self) -> str:
        """`VIBEOS_HOME`, or `.vibeos` in the person's home folder."""
        given = self.get("VIBEOS_HOME")
        if given:
            return resolved_home(given)
        person = self.get("HOME") or self.get("USERPROFILE")
        if not person:
            raise HomeError(
                "neither VIBEOS_HOME nor HOME is set, so there is no place for the home folder",
                remedy="Set VIBEOS_HOME, or give --home.",
            )
        return os.path.abspath(os.path.join(person, ".vibeos"))

    @property
    def agent_session(self) -> str:
        """The session whose agent runs this program in its shell; empty when a person or another program does.

        What such a program wants is the agent's wish, not the person's, also where the variable was taken off it.
        """
        session = self.get(SESSION_VARIABLE)
        if session or not self.is_process:
            return session
        from vibeos.ports.guard.lineage import session_above

        return session_above()

    def require_person(self, what: str) -> None:
        """Raise VibeOSError in an agent's shell: `what` it cannot do, in words.

        It keeps our own commands from doing it. What writes our files without them is a matter for a sandbox.
        """
        if self.agent_session:
            raise VibeOSError(
                f"an agent's shell cannot {what}; nothing was changed",
                remedy="The person does this in a shell of their own, or in the chat.",
            )

    @property
    def language(self) -> str:
        """The language of the person's locale."""
        return language_of(self.get("LC_ALL") or self.get("LC_MESSAGES") or self.get("LANG"))

    @property
    def person_name(self) -> str:
        """The name that stands in front of a message which looks like a marker line."""
        return self.get("USER") or self.get("USERNAME") or "User"


def resolved_home(given: str | os.PathLike[str]) -> str:
    """A home folder as given by a person, absolute, `~` expanded."""
    path = os.path.expanduser(given)
    if "\0" in path or path.startswith("~"):
        raise HomeError(f"{os.fspath(given)!r} cannot be a home folder", remedy="Give an absolute path.")
    return os.path.abspath(path)
