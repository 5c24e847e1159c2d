"""Candidates of the bundled sample for tests of the window."""

from __future__ import annotations

import csv
from importlib import resources
from pathlib import Path

from app.core.importing.importer import import_list
from app.core.session.session import Session

SAMPLE = Path(str(resources.files("resources"))) / "sample"


def take_sample(session: Session, count: int = 60) -> None:
    """Import the first candidates of the bundled sample."""
    place = Path(str(session.location)).with_name("candidates.csv")
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with place.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows[: count + 1])
    import_list(session, place, spectra=SAMPLE)
