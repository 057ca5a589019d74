"""What the tests of the record share: envelopes, a clock that moves by itself, text of every kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from vibeos.record import open_record
from vibeos.values.envelopes import Envelope, InputRoute

if TYPE_CHECKING:
    from pathlib import Path

    from vibeos.record import Record
    from vibeos.values.clock import Clock

PERSON = Envelope.person("cli", author_id="ann", author_name="Ann")
WATCH = Envelope(InputRoute.WATCH, "harness", origin_id="w-1", origin_name="build")

# Any text at all: lone surrogates, NUL, line ends of every kind, signs that are drawn backwards.
ANY_TEXT = st.text(st.characters(), max_size=60) | st.text(
    "\x00\ud800\udfffa\r\n\u202e\ufeff[]é中", max_size=12
)

BEGIN = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)


def ticking(begin: datetime = BEGIN) -> Clock:
    """A clock that is a second later at each look."""
    seconds = count()
    return lambda: begin + timedelta(seconds=next(seconds))


def new_record(folder: Path) -> Record:
    return open_record(folder / "state.db", clock=ticking())


def say(record: Record, session_id: str, *texts: str) -> list[int]:
    """Record each text as a person's; the messages' ids."""
    return [record.messages.record_input(session_id, PERSON, text).id for text in texts]
