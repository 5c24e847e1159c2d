"""`spec-o3 info FILE`: what was read."""

from __future__ import annotations

from pathlib import Path


def info(file: Path) -> None:
    """Say what a spectrum file holds."""
