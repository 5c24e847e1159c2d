"""The command line that starts a child process of ours, installed or frozen."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

CHILD_OPTION = "--child"


def child_command(name: str, script: Sequence[str], *arguments: str) -> list[str]:
    """Return the command that runs `script` (a file, or `-m` and a module) in a new Python.

    A frozen program ships no separate Python, so it starts itself with `--child name`.
    """
    if getattr(sys, "frozen", False):
        return [_frozen_program(), CHILD_OPTION, name, *arguments]
    # -P keeps the current folder off sys.path: a user's file must not shadow a module
    return [sys.executable, "-P", *script, *arguments]


def _frozen_program() -> str:
    """The running program; on Windows the console version, since a windowed one may lack pipes."""
    console = Path(sys.executable).with_name("spec-o3.exe")
    return str(console) if is_windows() and console.exists() else sys.executable


def is_windows() -> bool:
    return os.name == "nt"
