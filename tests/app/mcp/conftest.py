from __future__ import annotations

import csv

import pytest

from tests.app.cli.commands import SAMPLE, run
from tests.app.core.importing.list_nursery import list_readers, quick_lists

__all__ = ["list_readers", "quick_lists"]


@pytest.fixture(scope="session")
def night(tmp_path_factory):
    """A session of three candidates beside their spectra. Read it; copy it to write."""
    folder = tmp_path_factory.mktemp("mcp")
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["row"] == "0"][:3]
    for row in rows:
        source = SAMPLE / row["file"]
        row["file"] = source.name
        (folder / source.name).write_bytes(source.read_bytes())
    with (folder / "few.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    run("new", folder / "night.speco3", folder / "few.csv", "--task", "CV")
    return folder / "night.speco3"


@pytest.fixture
def own_night(night, tmp_path):
    """A copy of the session that may be written to."""
    for path in night.parent.glob("*.gz"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    place = tmp_path / night.name
    place.write_bytes(night.read_bytes())
    return place
