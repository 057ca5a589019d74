"""Files that keep whole what a model is shown cut. They belong to one session and go with it."""

from __future__ import annotations

import os

from vibeos.ports.guard.files import ensure_folder, refused

SHOWN = 30_000  # characters of one result


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
