"""`spec-o3 enrich`: resumed after kill -9, interrupted, failures told; local catalogues."""

import csv
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sqlalchemy import func, select

from app.core.database.tables import evidence
from app.core.session.session import open_session
from app.services.catalogues.service import all_services
from tests.app.cli.commands import both_said, fails, invoke, run
from tests.app.core.evidence.hats_folders import write_hats
from tests.app.services.conftest import server  # noqa: F401
from tests.processes import wait_until

COUNT = 2500


@pytest.fixture
def place(tmp_path, monkeypatch, server):  # noqa: F811
    """A session of 2,500 candidates; every second one is in the stand-in's 2MASS."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    (tmp_path / "settings.toml").write_text(f'[service_changes]\n"twomass.url" = "{server.url}"\n')
    columns = all_services()["twomass"].columns
    blank = {each.column: 1.5 for each in columns} | {each.error: 0.1 for each in columns}
    stars = [(number * 0.1, -30.0 + number * 0.01) for number in range(COUNT)]
    server.tables['"II/246/out"'] = [
        {**blank, "Qflg": "AAA", "RAJ2000": ra, "DEJ2000": dec} for ra, dec in stars[::2]
    ]
    with (tmp_path / "list.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["object", "ra", "dec"])
        writer.writerows([f"s{n}", ra, dec] for n, (ra, dec) in enumerate(stars))
    run("new", tmp_path / "night.speco3", tmp_path / "list.csv", "--task", "cv")
    return tmp_path / "night.speco3"


def states(place):
    with open_session(place, "Ada", read_only=True) as session:
        query = select(evidence.c.state, func.count()).group_by(evidence.c.state)
        with session.database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}


def test_a_run_that_was_killed_asks_only_what_is_missing(place, server, monkeypatch):  # noqa: F811
    environment = os.environ | {"SPEC_O3_CONFIG": str(place.parent)}
    words = [sys.executable, "-m", "app.cli.main", "enrich", str(place), "--with", "twomass"]
    server.faults = ["", "", "stall"]
    process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(server.asked) == 3 or process.poll() is not None)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert sum(states(place).values()) == 2000
    said = run("enrich", place, "--with", "twomass")
    assert "2,000 known before" in said and "0 failed" in said
    assert states(place) == {"found": COUNT // 2, "nothing": COUNT // 2}
    assert len(server.asked) == 4
    assert "2,500 known before" in run("enrich", place, "--with", "twomass")


def test_what_leaves_the_machine_is_told_and_failures_have_reasons(place, server):  # noqa: F811
    server.always = "html"
    done = invoke("enrich", place, "--with", "twomass", "--limit", "5")
    assert done.exit_code == 1 and "The position of each candidate" in done.stderr
    assert "twomass: 0 found, 0 nothing there, 5 failed" in done.stdout
    assert "failed for 5: the answer is no table but a web page" in done.stderr
    assert states(place) == {"failed": 5}


def test_interrupted_it_keeps_what_was_answered(place, server, monkeypatch):  # noqa: F811
    from app.core.evidence import enriching

    asked = enriching.match_positions

    def interrupted(*words):
        if len(server.asked) == 1:
            raise KeyboardInterrupt
        return asked(*words)

    monkeypatch.setattr(enriching, "match_positions", interrupted)
    done = invoke("enrich", place, "--with", "twomass")
    assert done.exit_code == 130 and "to continue" in done.stderr
    assert sum(states(place).values()) == 1000


def test_a_catalogue_of_the_users_own(place, tmp_path):
    (tmp_path / "mine.csv").write_text("ra,dec,mag\n0.0,-30.0,11.5\n0.1,-29.99,12.5\n")
    said = both_said("enrich", place, "--catalogue", tmp_path / "mine.csv", "--radius", "1")
    assert "mine: 2 found, 2,498 nothing there, of 2 rows" in said and "mine.mag" in said


def test_a_folder_in_the_hats_layout(place, tmp_path, monkeypatch):
    columns = {"ra": np.array([0.0, 200.0]), "dec": np.array([-30.0, 60.0])}
    folder = write_hats(tmp_path / "Sky map", {**columns, "mag": np.array([11.5, 12.0])}, 2)
    said = both_said("enrich", place, "--catalogue", folder, "--radius", "1")
    assert "sky_map: 1 found, 2,499 nothing there, of 1 row" in said
    assert "1 of 2 partitions are near a candidate and were read" in said and "sky_map.mag" in said
    monkeypatch.chdir(folder)
    assert "sky_map: 1 found" in run("enrich", place, "--catalogue", ".")
    (folder / "hats.properties").unlink()
    assert "Sky map: this folder is no catalogue" in fails("enrich", place, "--catalogue", folder)


def test_what_cannot_be_asked(place):
    assert "choose from simbad" in fails("enrich", place, "--with", "nobody")
    assert "one candidate at a time" in fails("enrich", place, "--with", "ztf")
