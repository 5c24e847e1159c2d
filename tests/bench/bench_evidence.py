"""Catalogues for a whole list: 10,000 candidates asked about with a kill -9 in between, and
100,000 matched with a million rows in a file and in a HATS folder, against astropy's own match.

The matches run in processes of their own, whose peak memory is that of the whole process.
"""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from astropy.table import Table
from sqlalchemy import func, select

from app.core.database.tables import evidence
from app.core.queue import count, page, parse_filter, parse_sort
from app.core.session.session import open_session
from app.services.catalogues.service import all_services
from tests.app.core.evidence.hats_folders import write_hats
from tests.app.services.fault_server import FaultServer, fault_server
from tests.bench.measuring import figure_line, ms_of, told_by
from tests.processes import wait_until

ASKED = 10_000
CANDIDATES, ROWS = 100_000, 1_000_000
ORDER = 2
"""Of the partitions of the HATS folder: 192 of them."""
CLI = (sys.executable, "-m", "app.cli.main")

ASTROPY = """
import json, sys, time
from tests.app.core.importing.memory import peak_mb
from astropy.coordinates import SkyCoord, match_coordinates_sky
from astropy.table import Table
began = time.monotonic()
ours, theirs = (Table.read(path) for path in sys.argv[1:3])
sky = [SkyCoord(each["ra"], each["dec"], unit="deg") for each in (ours, theirs)]
nearest, apart, _ = match_coordinates_sky(*sky)
found = int((apart.arcsec <= 2.0).sum())
print(json.dumps(dict(matched_s=time.monotonic() - began, found=found, mb=peak_mb())))
"""
OURS = """
import json, sys, time
from pathlib import Path
from tests.app.core.importing.memory import peak_mb
from app.core.evidence.local_catalogue import match_local
from app.core.session.session import open_session
began, read_at, mb = time.monotonic(), [], []
def progress(done, of):
    read_at.append(time.monotonic())
    mb.append(peak_mb())
with open_session(Path(sys.argv[1]), "Ada") as session:
    tally = match_local(session, Path(sys.argv[2]), "stars", 2.0, progress=progress)
print(json.dumps(dict(s=time.monotonic() - began, matched_s=read_at[-1] - began,
    found=tally.found, rows=tally.rows, matched_mb=mb[-1], mb=peak_mb())))
"""


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as name:
        yield from _asked(Path(name))
        yield from _matched(Path(name))


def _asked(folder: Path) -> Iterator[dict[str, object]]:
    draw = np.random.default_rng(1)
    ra, dec = draw.uniform(0.0, 360.0, ASKED), draw.uniform(-80.0, 80.0, ASKED)
    place = _session(folder / "asked", ra, dec)
    columns = all_services()["twomass"].columns
    blank = {each.column: 1.5 for each in columns} | {each.error: 0.1 for each in columns}
    with fault_server() as server:
        server.tables['"II/246/out"'] = [
            {**blank, "Qflg": "AAA", "RAJ2000": float(a), "DEJ2000": float(d)}
            for a, d in zip(ra[::2], dec[::2], strict=True)
        ]
        (folder / "asked" / "settings.toml").write_text(
            f'[service_changes]\n"twomass.url" = "{server.url}"\n'
        )
        environment = os.environ | {"SPEC_O3_CONFIG": str(folder / "asked")}
        words = [*CLI, "enrich", str(place), "--with", "twomass"]
        began = time.monotonic()
        asked_at = _watched(server)
        process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
        wait_until(lambda: len(server.asked) >= 5 or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = _stored(place)
        subprocess.run(words, env=environment, check=True, capture_output=True)
        seconds = time.monotonic() - began
    per_second = all_services()["twomass"].per_second
    gaps = np.diff(asked_at)
    yield figure_line("kept of 10,000 after kill -9 at the fifth upload", kept, "")
    yield figure_line("stored in the end", _stored(place), "", target=ASKED)
    yield figure_line("uploads of both runs", len(asked_at), "", target=11)
    yield figure_line("10,000 asked about, with the kill", seconds, "s")
    baseline = f"{1.0 / per_second:g} s, by the limit of the service"
    title = "least time between two uploads of a run"
    yield figure_line(title, float(gaps.min()), "s", baseline=baseline)


def _watched(server: FaultServer) -> list[float]:
    """When the server is asked; grows while it runs."""
    times: list[float] = []
    before = server.next_fault

    def noted() -> str:
        times.append(time.monotonic())
        return before()

    server.next_fault = noted  # type: ignore[method-assign]
    return times


def _matched(folder: Path) -> Iterator[dict[str, object]]:
    draw = np.random.default_rng(2)
    ra = draw.uniform(0.0, 360.0, ROWS)
    dec = np.degrees(np.arcsin(draw.uniform(-1.0, 1.0, ROWS)))
    mag = draw.uniform(10.0, 20.0, ROWS)
    stars = folder / "stars.fits"
    columns = {"ra": ra, "dec": dec, "mag": mag, "number": np.arange(ROWS)}
    Table(columns).write(stars)
    hats = write_hats(folder / "hats", columns, ORDER)
    near = draw.choice(ROWS, CANDIDATES, replace=False)
    ours_dec = np.clip(dec[near] + draw.normal(0.0, 1.5, CANDIDATES) / 3600.0, -90.0, 90.0)
    place = _session(folder / "matched", ra[near], ours_dec)
    listed = folder / "matched" / "list.fits"
    Table({"ra": ra[near], "dec": ours_dec}).write(listed)
    theirs, baseline = _child(ASTROPY, listed, stars), "Table.read, match_coordinates_sky"
    for what, path in (("file", stars), ("HATS folder", hats)):
        ours = _child(OURS, place, path)
        words = f"100,000 candidates, 1,000,000 rows in a {what}"
        beside = f"match_coordinates_sky: {theirs['found']}"
        yield figure_line(f"{words}: found", ours["found"], "", baseline=beside)
        ours_s, astropy_s = ours["matched_s"], theirs["matched_s"]
        seconds = {"ours_s": ours_s, "astropy_s": astropy_s, "baseline": baseline}
        title = f"{words}: read and matched, against astropy"
        yield figure_line(title, ours_s / astropy_s, "ratio", **seconds)
        yield figure_line(f"{words}: read, matched and stored", ours["s"], "s")
        yield figure_line(
            f"{words}: peak memory when matched, against astropy's",
            ours["matched_mb"] / theirs["mb"], "ratio", ours_mb=ours["matched_mb"],
            astropy_mb=theirs["mb"], stored_mb=ours["mb"], baseline=baseline
        )  # fmt: skip
    field = (np.abs(ra[near] - 180.0) < 5.0) & (np.abs(ours_dec) < 5.0)
    small = f"{field.sum()} candidates in a field of 10 degrees"
    few = _child(OURS, _session(folder / "field", ra[near][field], ours_dec[field]), hats)
    title = f"{small}: rows of the HATS folder read"
    yield figure_line(title, few["rows"], "", baseline=f"{ROWS:,} in the folder", s=few["s"])
    yield from _queue(place)


def _queue(place: Path) -> Iterator[dict[str, object]]:
    with open_session(place, "Ada") as session:
        names = ["stars.mag"]
        few, many = (parse_filter(f"stars.mag<{mag}", names) for mag in ("10.001", "15"))
        calls = {
            "first page of a filter that many meet": lambda: page(session, many),
            "first page of a filter that few meet": lambda: page(session, few),
            "count of a filter that many meet": lambda: count(session, many),
            "first page in the order of a value, read once": lambda: page(
                session, sort=parse_sort("own.stars.mag")
            ),
            "next page in that order": lambda: page(session, sort=parse_sort("own.stars.mag")),
        }
        for name, call in calls.items():
            yield figure_line(f"queue of 100,000: {name}", ms_of(call), "ms")


def _session(folder: Path, ra: np.ndarray, dec: np.ndarray) -> Path:
    folder.mkdir()
    with (folder / "list.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["object", "ra", "dec"])
        writer.writerows((f"s{n}", *pair) for n, pair in enumerate(zip(ra, dec, strict=True)))
    words = [*CLI, "new", folder / "night.speco3", folder / "list.csv", "--task", "cv"]
    subprocess.run(list(map(str, words)), check=True, capture_output=True)
    return folder / "night.speco3"


def _stored(place: Path) -> int:
    query = select(func.count()).select_from(evidence)
    opened = open_session(place, "Ada", read_only=True)
    with opened as session, session.database.reading() as connection:
        return connection.execute(query).scalar_one()


def _child(code: str, *paths: Path) -> dict[str, float]:
    found: dict[str, float] = told_by("-c", code, *map(str, paths))
    return found
