"""Folders that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import WorkbenchError


def replace_folder(part: Path, folder: Path) -> None:
    """Move the finished folder `part` to `folder`, replacing an older one."""
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    try:
        if folder.exists():
            folder.rename(old)
        part.rename(folder)
    except OSError as error:
        raise WorkbenchError(f"cannot write {folder}: {error.strerror or error}") from error
    shutil.rmtree(old, ignore_errors=True)


def is_missing_or_empty(out: Path) -> bool:
    """Whether nothing is there, or an empty folder."""
    return not out.exists() or (out.is_dir() and not any(out.iterdir()))


@contextmanager
def atomic_folder(out: Path) -> Iterator[Path]:
    """A temporary folder to write into; it replaces `out` if the block succeeds."""
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        yield part
        replace_folder(part, out)
    except OSError as error:
        raise WorkbenchError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
