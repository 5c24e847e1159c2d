"""A file that is there whole or not at all; what bore its name before stays until then."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SessionError

OPEN_TO_ALL = 0o666


@contextmanager
def written_whole(out: Path) -> Iterator[BinaryIO]:
    """A new file to write into; under its name, and on the disk, once the block has ended well."""
    with whole_path(out) as draft, draft.open("r+b") as file:
        yield file


@contextmanager
def whole_path(out: Path) -> Iterator[Path]:
    """The same for those who open the file themselves: an empty one in the same folder."""
    out = out.resolve() if out.is_symlink() else out
    with disk_errors(out):
        draft = _draft(out)
        try:
            yield draft
            _flush(draft)
            draft.replace(out)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
    flush_folder(out.parent)


@contextmanager
def disk_errors(out: Path) -> Iterator[None]:
    """What the disk refuses while `out` is made, in words."""
    try:
        yield
    except OSError as error:
        told = error.strerror or error
        raise SessionError(
            f"{out} could not be written: {told}. Nothing there was changed"
        ) from error


def _draft(out: Path) -> Path:
    if out.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    if not out.parent.is_dir():
        raise FileNotFoundError(0, f"{out.parent} is not a folder; make it first")
    number, name = tempfile.mkstemp(prefix=f".{out.name[:60]}.", suffix=".part", dir=out.parent)
    os.close(number)
    draft = Path(name)
    with suppress(OSError):  # not every file system knows of rights
        draft.chmod(out.stat().st_mode & 0o777 if out.exists() else OPEN_TO_ALL & ~_umask())
    return draft


def _umask() -> int:
    """There is no other way to learn it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _flush(draft: Path) -> None:
    with draft.open("r+b") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """So that the name outlives a power cut as well, where the system can do that."""
    if os.name == "nt":
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
