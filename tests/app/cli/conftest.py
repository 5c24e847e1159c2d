import shutil
from pathlib import Path

import pytest

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.cli.commands import FEW, MEASURED, run, sample_rows, write_list


@pytest.fixture(scope="session")
def few(tmp_path_factory):
    """A list of four: three that can be read, one whose file is damaged."""
    folder = tmp_path_factory.mktemp("lists")
    rows = sample_rows(folder, FEW - 1)
    damaged = {**rows[0], "file": "damaged.fits", "object_id": "damaged"}
    (folder / "damaged.fits").write_bytes(b"SIMPLE  =                    T" + b" " * 50)
    return write_list(folder, [*rows, damaged])


@pytest.fixture(scope="session")
def listed_night(few, tmp_path_factory):
    """A session of the four, and what was said when it was made."""
    place = tmp_path_factory.mktemp("sessions") / "night.speco3"
    return place, run("new", place, few, "--task", "cv", "--reviewer", "Ada")


@pytest.fixture
def night(listed_night, tmp_path):
    """A copy of that session."""
    return Path(shutil.copy(listed_night[0], tmp_path))


@pytest.fixture(scope="session")
def vetted(listed_night, tmp_path_factory):
    place = Path(shutil.copy(listed_night[0], tmp_path_factory.mktemp("vetted")))
    said = [listed_night[1], run("vet", place, *MEASURED)]
    with open_session(place, "Ada") as session:
        session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, comment="Hα =broad"))
    return place, said
