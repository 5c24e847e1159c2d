"""What an export has written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ExportReport:
    """`metadata` is the file beside a CSV that tells its units and provenance."""

    path: Path
    format: str
    rows: int
    columns: tuple[str, ...]
    renamed: Mapping[str, str]
    """Columns of a list that are called something else here, as another had their name."""
    selection: str
    metadata: Path | None = None
