"""The person's own line lists beside those of the box."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent.spectra.lines import LineLists, load_line_lists


def user_line_lists(paths: Sequence[str]) -> LineLists:
    """Raises a WorkbenchError for a list that cannot be used."""
    return load_line_lists([Path(path) for path in paths])
