"""Files and folders that are written completely or not at all.

After an error, or a power cut, there is all that was there before or all that is new, and no part.
What goes on where it was interrupted, such as a download, keeps its part under a name of its own.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO


def write_file(path: Path, content: str | bytes) -> None:
    """Write a whole file. Raises OSError."""
    with atomic_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` if the block succeeds. Raises OSError."""
    with atomic_path(path) as part, part.open("r+b") as file:
        yield file


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Like `atomic_file`, but yield the path of an empty file, for writers that open it.

    A link stays one, and a file that is replaced leaves its permissions to the new one.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.is_dir():
        raise IsADirectoryError(0, "this is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(0, f"{path.parent} is not an existing folder: create it first")
    part = _beside(path)
    part.open("xb").close()
    try:
        with suppress(OSError):  # there is no file yet, or the file system has no permissions
            part.chmod(path.stat().st_mode & 0o777)
        yield part
        with part.open("r+b") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Make a folder that replaces `folder` if the block succeeds. Raises OSError."""
    part = _beside(folder)
    try:
        part.mkdir(parents=True)
        yield part
        replace_folder(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def replace_folder(part: Path, folder: Path) -> None:
    """Move the finished folder `part` to `folder`, replacing an older one. Raises OSError."""
    for path in part.rglob("*"):
        if path.is_file():
            _sync(path)
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    had_one = folder.exists()
    if had_one:
        folder.rename(old)
    try:
        part.rename(folder)
    except OSError:
        if had_one:
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
    sync_folder(folder.parent)


def is_missing_or_empty(folder: Path) -> bool:
    """Whether nothing is there, or an empty folder."""
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder, so that a new one survives a power cut."""
    with suppress(OSError):
        _sync(folder)


def _sync(path: Path) -> None:
    if os.name == "nt":  # it has no folders to open, and syncs nothing that is open for reading
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _beside(path: Path) -> Path:
    """A name that no other writer takes."""
    return path.with_name(f".{path.name[:60]}.{token_hex(4)}.part")
