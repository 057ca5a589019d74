"""Outputs that are too long to be shown: cut in the middle, the whole kept in a file that the note names.

Begin and end tell most, so both are shown. The files belong to one session and go with it.
"""

from __future__ import annotations

import os

from vibeos.ports.guard.files import ensure_folder, refused

SHOWN = 30_000  # characters of one result
_HEAD = 0.6  # the part of what is shown that stands before the cut


def kept_whole(text: str, folder: str, limit: int = SHOWN) -> str:
    """The text as a model is shown it: itself up to `limit` characters, else its two ends and where the whole is."""
    if len(text) <= limit:
        return text
    path = keep(text.encode("utf-8", "surrogatepass"), folder)
    return shortened(text, limit, f"the whole is in {path}")


def shortened(text: str, limit: int, where: str) -> str:
    """The two ends of a text, with a note between them."""
    head = int(limit * _HEAD)
    tail = limit - head
    note = f"\n\n[… {len(text) - limit:,} characters are not shown; {where} …]\n\n"
    return text[:head] + note + text[-tail:]


def keep(data: bytes, folder: str) -> str:
    """Write the bytes into a new file of the folder, which is made if missing; the file's path.

    Raises FileAccessError. No file is ever written over, and no link followed.
    """
    path, descriptor = new_file(folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
    except OSError as error:
        raise refused("write", path, error) from error
    return path


def new_file(folder: str) -> tuple[str, int]:
    """A new empty file in the folder, named by the next number, for its owner alone; open for writing."""
    ensure_folder(folder)
    number = len(os.listdir(folder)) + 1
    while True:
        path = os.path.join(folder, f"{number:04d}.txt")
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise refused("write", path, error) from error
