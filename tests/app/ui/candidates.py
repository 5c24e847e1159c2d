"""Candidates of the bundled sample for tests of the window."""

import atexit
import csv
import shutil
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.session import Session, new_session

SAMPLE = Path(str(resources.files("resources"))) / "sample"


def take_sample(session: Session, count: int = 60) -> None:
    """Import the first candidates of the bundled sample."""
    place = Path(str(session.location)).with_name("candidates.csv")
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with place.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows[: count + 1])
    import_list(session, place, spectra=SAMPLE)


def sample_file(folder: Path, count: int = 12) -> Path:
    """Create a session of the first candidates of the sample, not judged, made by Ada."""
    return copied(_made(count), folder)


def sample_list(count: int = 12) -> Path:
    """The list from which `sample_file` was made."""
    return _made(count).with_name("candidates.csv")


def copied(place: Path, folder: Path) -> Path:
    """Copy a session for one test."""
    return Path(shutil.copy(place, folder / place.name))


@cache
def _made(count: int) -> Path:
    """The list is read by a child process, which takes ten times as long as a copy."""
    folder = Path(tempfile.mkdtemp(prefix="spec-o3-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    place = folder / "night.speco3"
    with new_session(place, find_task("CV"), "Ada") as made:
        take_sample(made, count)
    return place
