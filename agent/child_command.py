"""The command that starts one of our own processes, in an installed program and in a frozen one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

CHILD_OPTION = "--child"


def child_command(name: str, script: Sequence[str], *arguments: str) -> list[str]:
    """A Python of its own that runs `script`, a file or `-m` and a module, with these arguments.

    A frozen program has no Python beside it: it is asked to be the child `name` itself.
    """
    if getattr(sys, "frozen", False):
        return [_frozen_program(), CHILD_OPTION, name, *arguments]
    # -P: nothing is imported from the folder the user happens to be in
    return [sys.executable, "-P", *script, *arguments]


def _frozen_program() -> str:
    """Itself, but on Windows the twin with a console: that surely has pipes to talk by."""
    twin = Path(sys.executable).with_name("spec-o3.exe")
    return str(twin) if is_windows() and twin.exists() else sys.executable


def is_windows() -> bool:
    return os.name == "nt"
