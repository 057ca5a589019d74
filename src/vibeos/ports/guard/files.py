"""Safe files: a read never takes a failure for emptiness, a write is whole or not at all.

A write goes to a temporary neighbour, is flushed to disk and then takes the place of the old file, so at
every moment, also after a power cut, the path holds either the old bytes or the new ones. Writers of one
path hold its lock (`lock.locked`); therefore the neighbour has a fixed name, and what a killed writer left
is overwritten by the next one.
"""

from __future__ import annotations

import errno
import os
import stat

from vibeos.values.errors import FileAccessError

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)  # no pipe keeps us waiting
_ANY_WRITE = 0o222
_ABOUT_THE_NEIGHBOUR = {errno.EISDIR, errno.ELOOP, errno.ENXIO}

_REMEDIES = {
    errno.ENOSPC: "The disk is full. Free some space, then try again.",
    errno.EDQUOT: "The disk quota is used up. Free some space, then try again.",
    errno.EROFS: "The file system is read-only. Point VIBEOS_HOME or --home at a folder that can be written.",
    errno.EACCES: "Check the owner and the permissions of the file and its folder.",
    errno.EPERM: "Check the owner and the permissions of the file and its folder.",
    errno.ENOTDIR: "Something on the way to it is a file, not a folder. Move it, or choose another home.",
    errno.EISDIR: "There is a folder where a file should be. Move it away.",
    errno.ELOOP: "There is a link where a file should be. Remove the link.",
}


def refused(action: str, path: str, error: OSError) -> FileAccessError:
    """The error for an operating system's refusal to `action` (a verb) the path."""
    why = (error.strerror or type(error).__name__).lower()
    remedy = _REMEDIES.get(error.errno or 0, "`vibeos doctor` checks the home folder.")
    return FileAccessError(f"cannot {action} {path!r}: {why}", remedy=remedy)


def read_bytes(path: str, *, most: int | None = None) -> bytes | None:
    """The file's bytes; None when, and only when, there is no such file. Raises `FileAccessError`.

    Only an ordinary file is read, so that no pipe or device keeps the reader waiting; `most` bounds its size.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refused("read", path, error) from error
    try:
        _check_ordinary(os.fstat(descriptor), path, most)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    except OSError as error:
        raise refused("read", path, error) from error
    finally:
        os.close(descriptor)


def _check_ordinary(status: os.stat_result, path: str, most: int | None) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _not_a_file("read", path)
    if most is not None and status.st_size > most:
        raise FileAccessError(
            f"{path!r} has {status.st_size:,} bytes; at most {most:,} are read", remedy="Make it shorter."
        )


def exists(path: str) -> bool:
    """Whether there is something at the path; raises `FileAccessError` when that cannot be known."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise refused("look at", path, error) from error
    return True


def _not_a_file(action: str, path: str) -> FileAccessError:
    return FileAccessError(
        f"cannot {action} {path!r}: it is a folder, a pipe or a device, not a file", remedy="Move it away."
    )


def ensure_folder(path: str) -> None:
    """Make the folder, and those above it, open to their owner only, where missing. Raises `FileAccessError`."""
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    if above != path:
        ensure_folder(above)
    try:
        os.mkdir(path, 0o700)
    except OSError as error:
        if not os.path.isdir(path):  # another program may have made it meanwhile
            raise refused("make the folder", path, error) from error


def leads_out(path: str, folder: str) -> bool:
    """Whether the path, its links followed, lies outside the folder."""
    inside = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), inside]) != inside


def atomic_write(path: str, data: bytes, *, durable: bool = True, new_mode: int = 0o600) -> None:
    """Put `data` in the file's place, whole or not at all. Raises `FileAccessError`; then nothing has changed.

    A link is followed, the file behind it replaced; an existing file keeps its mode, a new one is the owner's
    alone unless `new_mode` says otherwise. `durable=False` skips the flush to disk, for data that may be lost in a power cut.
    """
    target = os.path.realpath(path)
    neighbour = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.tmp")
    ensure_folder(os.path.dirname(target))
    mode = _mode_of(target, new_mode)
    if exists(target) and not mode & _ANY_WRITE:
        raise FileAccessError(f"{path!r} is read-only; nothing was written", remedy="Make it writable first.")
    try:
        _write(neighbour, data, mode, durable=durable)
    except OSError as error:
        _discard(neighbour)
        raise refused("write", neighbour if error.errno in _ABOUT_THE_NEIGHBOUR else path, error) from error
    try:
        os.replace(neighbour, target)
    except OSError as error:
        _discard(neighbour)
        raise refused("write", path, error) from error
    if durable:
        _flush_folder(os.path.dirname(target))


def put_bytes(path: str, data: bytes) -> None:
    """Write where a person said: a file whole or not at all, a pipe or a device as it is. Makes no folder."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileAccessError(
            f"there is no folder {folder!r}", remedy="Make it first, or choose another place."
        )
    if not exists(path) or os.path.isfile(path):
        atomic_write(os.path.abspath(path), data)
        return
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise refused("write", path, error) from error


def remove_folder(path: str) -> None:
    """Remove a folder with all that is in it; no link in it is followed, and a missing one is no error."""
    import shutil  # noqa: PLC0415 - start-up is a feature

    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise refused("remove", path, error) from error


def _mode_of(path: str, new_mode: int) -> int:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return new_mode
    except OSError as error:
        raise refused("write", path, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise _not_a_file("write", path)
    return status.st_mode & 0o777


def _write(path: str, data: bytes, mode: int, *, durable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _AT_ONCE | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, mode)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(path: str) -> None:
    """Make a rename durable where the system has a way. The new file is in its place by now, and flushed itself, so
    a folder that cannot be opened (or a system without such handles) is no failure of the write."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
