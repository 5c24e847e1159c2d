"""`spec-o3 enrich`: resumed after kill -9, interrupted, failures told; local catalogues.

By night GAVO DaCHS, a real TAP server, is asked about 10,000 candidates.
"""

import csv
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sqlalchemy import func, select

from app.core.database.tables import evidence, service_replies
from app.core.evidence.store import answers_of
from app.core.session.session import open_session
from app.services.catalogues.answer import State
from app.services.catalogues.service import all_services
from tests.app.cli.commands import both_said, fails, invoke, run
from tests.app.core.evidence.hats_folders import write_hats
from tests.app.services.dachs import running_dachs
from tests.night import BY_NIGHT
from tests.processes import wait_until

COUNT = 2500


def made_night(folder, monkeypatch, service, url, head, rows):
    """A session of these rows; the service is asked at this address."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(folder))
    (folder / "settings.toml").write_text(f'[service_changes]\n"{service}.url" = "{url}"\n')
    with (folder / "list.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    run("new", folder / "night.speco3", folder / "list.csv", "--task", "cv")
    return folder / "night.speco3"


def kill_when(has_come, place, service):
    """Begin to ask a service, and kill the program once something has come."""
    words = [sys.executable, "-m", "app.cli.main", "enrich", str(place), "--with", service]
    environment = os.environ | {"SPEC_O3_CONFIG": str(place.parent)}
    process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: has_come() or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def counted(place, column=evidence.c.state):
    with open_session(place, "Ada", read_only=True) as session:
        query = select(column, func.count()).select_from(evidence).group_by(column)
        return {row[0]: row[1] for row in session.database.rows(query)}


@pytest.fixture
def place(tmp_path, monkeypatch, server):
    """A session of 2,500 candidates; every second one is in the stand-in's 2MASS."""
    columns = all_services()["twomass"].columns
    blank = {each.column: 1.5 for each in columns} | {each.error: 0.1 for each in columns}
    stars = [(number * 0.1, -30.0 + number * 0.01) for number in range(COUNT)]
    server.tables['"II/246/out"'] = [
        {**blank, "Qflg": "AAA", "RAJ2000": ra, "DEJ2000": dec} for ra, dec in stars[::2]
    ]
    rows = [(f"s{n}", ra, dec) for n, (ra, dec) in enumerate(stars)]
    return made_night(tmp_path, monkeypatch, "twomass", server.url, ("object", "ra", "dec"), rows)


def test_a_run_that_was_killed_asks_only_what_is_missing(place, server):
    server.faults = ["", "", "stall"]
    kill_when(lambda: len(server.asked) == 3, place, "twomass")
    assert sum(counted(place).values()) == 2000
    said = run("enrich", place, "--with", "twomass")
    assert "2,000 known before" in said and "0 failed" in said
    assert counted(place) == {"found": COUNT // 2, "nothing": COUNT // 2}
    assert len(server.asked) == 4
    assert "2,500 known before" in run("enrich", place, "--with", "twomass")


def test_what_leaves_the_machine_is_told_and_failures_have_reasons(place, server):
    server.always = "html"
    done = invoke("enrich", place, "--with", "twomass", "--limit", "5")
    assert done.exit_code == 1 and "The position of each candidate" in done.stderr
    assert "twomass: 0 found, 0 nothing there, 5 failed" in done.stdout
    assert "failed for 5: the answer is no table but a web page" in done.stderr
    assert counted(place) == {"failed": 5}


def test_interrupted_it_keeps_what_was_answered(place, server, monkeypatch):
    from app.core.evidence import enriching

    asked = enriching.match_positions

    def interrupted(*words):
        if len(server.asked) == 1:
            raise KeyboardInterrupt
        return asked(*words)

    monkeypatch.setattr(enriching, "match_positions", interrupted)
    done = invoke("enrich", place, "--with", "twomass")
    assert done.exit_code == 130 and "to continue" in done.stderr
    assert sum(counted(place).values()) == 1000


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


MANY, UPLOAD, YEAR = 10_000, 1000, 2000.0


@pytest.mark.timeout(900)  # on a busy machine
@pytest.mark.skipif(
    not BY_NIGHT, reason="by night only: starts DaCHS and asks about 10,000 candidates"
)
def test_ten_thousand_at_a_real_server_with_a_kill_between(tmp_path, monkeypatch):
    """Every second one is in the catalogue, and moves: positions are of 2000."""
    gaia, draw = all_services()["gaia"], np.random.default_rng(5)
    ra = draw.uniform(0.0, 360.0, MANY)
    dec = np.degrees(np.arcsin(draw.uniform(-1.0, 1.0, MANY)))
    ra[:4], dec[:4] = [0.0, 359.99999, 0.0, 12.0], [0.0, 30.0, 89.9999, -89.9999]
    there = {number for number in range(0, MANY, 2) if dec[number] < 89.9}
    blank = {each.column: 1.5 for each in gaia.columns}
    blank |= {each.error: 0.1 for each in gaia.columns if each.error}
    blank |= {"phot_variable_flag": "VARIABLE", "pmra": 0.0, "pmdec": 160.0}
    # Farther north by 160 mas a year: beyond the radius without its proper motion.
    north = 0.16 * (gaia.epoch - YEAR) / 3600.0
    rows = [{**blank, "source_id": n, "ra": ra[n], "dec": dec[n] + north} for n in sorted(there)]
    listed = [(f"s{n}", *pair, YEAR) for n, pair in enumerate(zip(ra, dec, strict=True))]
    head = ("object", "ra", "dec", "epoch")
    with running_dachs(gaia, rows) as server:
        place = made_night(tmp_path, monkeypatch, "gaia", server.url, head, listed)
        before = server.asked
        kill_when(lambda: server.asked - before >= 5, place, "gaia")
        before, kept = server.asked, sum(counted(place).values())
        assert kept in range(4 * UPLOAD, MANY, UPLOAD)
        said = run("enrich", place, "--with", "gaia")
        assert f"{kept:,} known before" in said and "0 failed" in said
        assert server.asked - before == (MANY - kept) // UPLOAD
    assert set(counted(place, evidence.c.reply_id).values()) == {UPLOAD}
    assert counted(place) == {"found": len(there), "nothing": MANY - len(there)}
    with open_session(place, "Ada", read_only=True) as session:
        found = answers_of(session, range(1, MANY + 1))
        questions = session.database.scalars(select(service_replies.c.question))
    assert len(questions) == MANY // UPLOAD and all("TAP_UPLOAD" in each for each in questions)
    for number in range(MANY):
        answer = found[number + 1]["gaia"].answer
        assert (answer.state is State.FOUND) == (number in there)
        if number in there:
            assert answer.nearest.values["source_id"] == number
            assert answer.nearest.values["variable"] == "VARIABLE"
            assert answer.nearest.separation_arcsec < 0.01
