"""`spec-o3 render FILE OUT.png`: the picture the agent sees."""

from __future__ import annotations

from pathlib import Path


def render(file: Path, out: Path) -> None:
    """Draw a spectrum, or one window of it, as the agent sees it."""
