"""The folder with the licences of all parts, which comes with the program as a download."""

from __future__ import annotations

import sys
from pathlib import Path


def licence_folder() -> Path | None:
    """None where pip installed the program: each package brings its own licence there."""
    program = Path(sys.executable).resolve().parent
    # On macOS the program is in Contents/MacOS of the application.
    for folder in (program / "licences", program.parent / "Resources" / "licences"):
        if getattr(sys, "frozen", False) and folder.is_dir():
            return folder
    return None
