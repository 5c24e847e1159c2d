"""Folders that take seconds to make, made once for all workers of a run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(
    factory: pytest.TempPathFactory,
    name: str,
    make: Callable[[Path], object],
    *,
    in_place: bool = False,
) -> Path:
    """A copy, which tests may change, of the folder that whoever asks first fills.

    `in_place` gives that folder itself, for files that name their own place; nobody may change it.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, done = shared / f"once-{name}", shared / f"{name}.done"
    with FileLock(shared / f"{name}.lock"):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of one who failed
            folder.mkdir()
            make(folder)
            done.touch()
    if in_place:
        return folder
    own = factory.mktemp(name)
    shutil.copytree(folder, own, dirs_exist_ok=True)
    return own
