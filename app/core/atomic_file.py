"""Atomic file writing: the target is replaced only after the new content is complete on disk."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SessionError

DEFAULT_MODE = 0o666
FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT)
DISK_FULL = "the disk is full"


@contextmanager
def atomic_write(out: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `out` when the block ends without an exception."""
    with atomic_path(out) as temporary, temporary.open("r+b") as file:
        yield file


@contextmanager
def atomic_path(out: Path) -> Iterator[Path]:
    """Like `atomic_write`, but yield the path of the temporary file, for writers that open it."""
    out = out.resolve() if out.is_symlink() else out
    with disk_errors(out):
        temporary = _temporary_file(out)
        try:
            yield temporary
            _sync_file(temporary)
            temporary.replace(out)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    sync_folder(out.parent)


@contextmanager
def disk_errors(out: Path) -> Iterator[None]:
    """Turn an OSError raised while writing `out` into a SessionError."""
    try:
        yield
    except OSError as error:
        reason = DISK_FULL if error.errno in FULL_ERRNOS else error.strerror or error
        raise SessionError(
            f"{out} could not be written: {reason}. No existing file was changed"
        ) from error


def _temporary_file(out: Path) -> Path:
    if out.is_dir():
        raise IsADirectoryError(0, "this is a folder")
    if not out.parent.is_dir():
        raise FileNotFoundError(0, f"{out.parent} is not an existing folder: create it first")
    number, name = tempfile.mkstemp(prefix=f".{out.name[:60]}.", suffix=".part", dir=out.parent)
    os.close(number)
    temporary = Path(name)
    with suppress(OSError):  # some file systems have no permissions
        temporary.chmod(out.stat().st_mode & 0o777 if out.exists() else DEFAULT_MODE & ~_umask())
    return temporary


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_file(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush the directory entry too, so the new name survives a power cut (not on Windows)."""
    if os.name == "nt":
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
