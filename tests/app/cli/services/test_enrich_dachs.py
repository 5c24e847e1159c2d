"""`spec-o3 enrich` asks GAVO DaCHS, a real TAP server, about 10,000 candidates; by night."""

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
from tests.app.cli.commands import run
from tests.app.services.dachs import running_dachs
from tests.night import BY_NIGHT
from tests.processes import wait_until

pytestmark = [
    pytest.mark.timeout(900),  # on a busy machine
    pytest.mark.skipif(
        not BY_NIGHT, reason="by night only: starts DaCHS and asks about 10,000 candidates"
    ),
]
COUNT, UPLOAD = 10_000, 1000
GAIA = all_services()["gaia"]
YEAR = 2000.0


@pytest.fixture(scope="module")
def stars():
    """Positions in 2000 of all candidates; every second one is in the catalogue, and moves."""
    draw = np.random.default_rng(5)
    ra = draw.uniform(0.0, 360.0, COUNT)
    dec = np.degrees(np.arcsin(draw.uniform(-1.0, 1.0, COUNT)))
    ra[:4], dec[:4] = [0.0, 359.99999, 0.0, 12.0], [0.0, 30.0, 89.9999, -89.9999]
    return ra, dec


@pytest.fixture(scope="module")
def server(stars):
    ra, dec = stars
    years = GAIA.epoch - YEAR
    blank = {each.column: 1.5 for each in GAIA.columns}
    blank |= {each.error: 0.1 for each in GAIA.columns if each.error}
    rows = [
        {
            **blank,
            "source_id": number,
            "phot_variable_flag": "VARIABLE",
            "ra": ra[number],
            # Farther north by 160 mas a year: beyond the radius without its proper motion.
            "dec": dec[number] + 0.16 * years / 3600.0,
            "pmra": 0.0,
            "pmdec": 160.0,
        }
        for number in range(0, COUNT, 2)
        if dec[number] < 89.9
    ]
    with running_dachs(GAIA, rows) as running:
        yield running


@pytest.fixture
def place(tmp_path, monkeypatch, server, stars):
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    (tmp_path / "settings.toml").write_text(f'[service_changes]\n"gaia.url" = "{server.url}"\n')
    with (tmp_path / "list.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["object", "ra", "dec", "epoch"])
        writer.writerows([f"s{n}", *pair, YEAR] for n, pair in enumerate(zip(*stars, strict=True)))
    run("new", tmp_path / "night.speco3", tmp_path / "list.csv", "--task", "cv")
    return tmp_path / "night.speco3"


def counted(place, column):
    with open_session(place, "Ada", read_only=True) as session:
        query = select(column, func.count()).select_from(evidence).group_by(column)
        with session.database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}


def test_ten_thousand_with_a_kill_between(place, server, stars):
    words = [sys.executable, "-m", "app.cli.main", "enrich", str(place), "--with", "gaia"]
    environment = os.environ | {"SPEC_O3_CONFIG": str(place.parent)}
    before = server.asked
    process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: server.asked - before >= 5 or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = server.asked
    kept = sum(counted(place, evidence.c.state).values())
    assert kept in range(4 * UPLOAD, COUNT, UPLOAD)

    said = run("enrich", place, "--with", "gaia")
    assert f"{kept:,} known before" in said and "0 failed" in said
    assert server.asked - before == (COUNT - kept) // UPLOAD
    assert set(counted(place, evidence.c.reply_id).values()) == {UPLOAD}
    states = counted(place, evidence.c.state)
    there = set(range(0, COUNT, 2)) - {n for n in range(COUNT) if stars[1][n] >= 89.9}
    assert states == {"found": len(there), "nothing": COUNT - len(there)}
    with open_session(place, "Ada", read_only=True) as session:
        found = answers_of(session, range(1, COUNT + 1))
        with session.database.reading() as connection:
            questions = connection.execute(select(service_replies.c.question)).scalars().all()
    assert len(questions) == COUNT // UPLOAD and all("TAP_UPLOAD" in each for each in questions)
    for number in range(COUNT):
        answer = found[number + 1]["gaia"].answer
        assert (answer.state is State.FOUND) == (number in there)
        if number in there:
            assert answer.nearest.values["source_id"] == number
            assert answer.nearest.values["variable"] == "VARIABLE"
            assert answer.nearest.separation_arcsec < 0.01
