"""Every error that VibeOS raises.

An error says what happened and to what; its remedy says what to do next. The docstring of a class is its
default message. Nothing here is a control signal: a refused memory write, for example, is a result.

VibeOSError
├── ConfigError             config.yaml cannot be used
├── HomeError               the home folder cannot be used
│   └── FileAccessError     one file of it cannot be read or written
│       └── LockedError     another program held its lock too long
├── NotFoundError           no such session, message, entry …
├── InvalidIdError          an id that is not of the form of an id
├── StoreError              the database cannot do what was asked
│   ├── StoreBusyError      another program held it too long
│   ├── StoreVersionError   it was written by a newer VibeOS
│   └── QueryError          a query of the person was refused or stopped
├── TurnLimitError          a turn went on too long and was ended by us
├── CheckpointError         one attempt at a checkpoint came to nothing; nothing was changed
├── ContextFullError        a conversation does not fit into its model, and nothing of it can be moved out
└── ModelError              a model could not be asked
    ├── ModelNotConfiguredError
    ├── InvalidRequestError the composed request breaks the rules of the provider; it was not sent
    └── ModelRequestError   the provider refused, or could not be reached
        ├── ContextOverflowError    the request is longer than the model takes
        └── ModelUnavailableError   not now: the same request may succeed later
            └── StreamBrokenError   the answer broke off before its end
"""

from __future__ import annotations


class VibeOSError(Exception):
    """Something went wrong in VibeOS."""

    exit_code = 1

    def __init__(self, message: str = "", *, remedy: str = "") -> None:
        """`message`: what happened, to what. `remedy`: what the person can do next, or empty."""
        self.message = message or (type(self).__doc__ or "").strip()
        self.remedy = remedy
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message


class ConfigError(VibeOSError):
    """The configuration cannot be used."""

    exit_code = 2


class HomeError(VibeOSError):
    """The home folder cannot be used."""


class FileAccessError(HomeError):
    """A file of the home cannot be read or written."""


class LockedError(FileAccessError):
    """Another program has held the lock for too long."""


class NotFoundError(VibeOSError):
    """There is no such thing."""


class InvalidIdError(VibeOSError):
    """This is not the form of an id."""

    exit_code = 2


class StoreError(VibeOSError):
    """The database cannot do what was asked."""


class StoreBusyError(StoreError):
    """Another program has been writing to the database for too long."""


class StoreVersionError(StoreError):
    """The database was written by a newer VibeOS."""


class QueryError(StoreError):
    """The query was refused."""

    exit_code = 2


class TurnLimitError(VibeOSError):
    """The turn went on too long and was ended."""


class CheckpointError(VibeOSError):
    """A checkpoint could not be made."""


class ContextFullError(VibeOSError):
    """This conversation is too long to go on reliably."""

    def __init__(self, part: str, number: int, size: int, most: int) -> None:
        """`part`: what is largest: `system`, `notes`, or `message` and `step` with their number; its size and what the model
        takes, in tokens."""
        self.part, self.number, self.size, self.most = part, number, size, most
        what = {
            "system": "the system prompt with the tools",
            "message": f"message #{number}",
            "notes": "the notes on what came before",
        }.get(part, f"the agent's step #{number} with its results")
        super().__init__(
            f"This conversation is too long to go on reliably: {what} takes about {size:,} tokens, and the model takes "
            f"{most:,} in all.",
            remedy="Begin a new one with /new (or `vibeos chat`). Everything said is kept and can be searched.",
        )


class ModelError(VibeOSError):
    """The model could not be asked."""

    exit_code = 3


class ModelNotConfiguredError(ModelError):
    """No model is configured."""


class InvalidRequestError(ModelError):
    """The composed request is not valid for any provider, so it was not sent."""


class ModelRequestError(ModelError):
    """The provider refused the request or could not be reached."""


class ContextOverflowError(ModelRequestError):
    """The request is longer than the model takes."""


class ModelUnavailableError(ModelRequestError):
    """The model cannot be asked just now; the same request may succeed later."""

    def __init__(self, message: str = "", *, remedy: str = "", retry_after: float | None = None) -> None:
        """`retry_after`: the seconds that the provider asked to wait, None when it named no time."""
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class StreamBrokenError(ModelUnavailableError):
    """The answer broke off before its end."""
