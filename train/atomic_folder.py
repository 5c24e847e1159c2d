"""Folders that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import WorkbenchError


def put_in_place(part: Path, folder: Path) -> None:
    """A folder that was written to its end takes the place of an older one."""
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    try:
        if folder.exists():
            folder.rename(old)
        part.rename(folder)
    except OSError as error:
        raise WorkbenchError(f"cannot write {folder}: {error.strerror or error}") from error
    shutil.rmtree(old, ignore_errors=True)


def is_free(out: Path) -> bool:
    """Whether a new folder can be put there: nothing, or one that is empty."""
    return not out.exists() or (out.is_dir() and not any(out.iterdir()))


@contextmanager
def written_whole(out: Path) -> Iterator[Path]:
    """A folder to write in, which takes the place of `out` once all has gone well."""
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        yield part
        put_in_place(part, out)
    except OSError as error:
        raise WorkbenchError(f"{out} could not be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
