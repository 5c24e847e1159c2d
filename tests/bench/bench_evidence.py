"""Catalogues for a whole list: 10,000 candidates asked about with a kill -9 in between, and
100,000 matched with a million rows in a file and in a HATS folder, against astropy's own match.

The matches run in processes of their own, whose peak memory is that of the whole process.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
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

ASKED = 10_000
CANDIDATES, ROWS = 100_000, 1_000_000
ORDER = 2
"""Of the partitions of the HATS folder: 192 of them."""
CLI = (sys.executable, "-m", "app.cli.main")

ASTROPY = """
import json, resource, sys, time
import astropy.units as u
from astropy.coordinates import SkyCoord
from astropy.table import Table
began = time.monotonic()
ours, theirs = (Table.read(path) for path in sys.argv[1:3])
sky = [SkyCoord(each["ra"], each["dec"], unit="deg") for each in (ours, theirs)]
nearest, apart, _ = sky[0].match_to_catalog_sky(sky[1])
found = int((apart.arcsec <= 2.0).sum())
print(json.dumps({"s": time.monotonic() - began, "found": found,
    "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
OURS = """
import json, resource, sys, time
from pathlib import Path
from app.core.evidence.local_catalogue import match_local
from app.core.session.session import open_session
began = time.monotonic()
with open_session(Path(sys.argv[1]), "Ada") as session:
    tally = match_local(session, Path(sys.argv[2]), "stars", 2.0)
print(json.dumps({"s": time.monotonic() - began, "found": tally.found, "rows": tally.rows,
    "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
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
        tick = threading.Event()
        while len(server.asked) < 5 and process.poll() is None:
            tick.wait(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = _stored(place)
        subprocess.run(words, env=environment, check=True, capture_output=True)
        seconds = time.monotonic() - began
    per_second = all_services()["twomass"].per_second
    gaps = np.diff(asked_at)
    yield {"figure": "kept of 10,000 after kill -9 at the fifth upload", "value": kept, "unit": ""}
    yield {"figure": "stored in the end", "value": _stored(place), "unit": "", "target": ASKED}
    yield {"figure": "uploads of both runs", "value": len(asked_at), "unit": "", "target": 11}
    yield {"figure": "10,000 asked about, with the kill", "value": seconds, "unit": "s"}
    yield {
        "figure": "least time between two uploads of a run",
        "value": float(gaps.min()),
        "unit": "s",
        "baseline": f"{1.0 / per_second:g} s, by the limit of the service",
    }


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
    theirs = _child(ASTROPY, listed, stars)
    for what, path in (("file", stars), ("HATS folder", hats)):
        ours = _child(OURS, place, path)
        words = f"100,000 candidates, 1,000,000 rows in a {what}"
        yield {"figure": f"{words}: found", "value": ours["found"], "unit": "",
               "baseline": f"astropy's match_to_catalog_sky: {theirs['found']}"}  # fmt: skip
        yield {
            "figure": f"{words}: read, matched and stored against read and matched by astropy",
            "value": ours["s"] / theirs["s"], "unit": "ratio", "ours_s": ours["s"],
            "astropy_s": theirs["s"], "baseline": "Table.read and match_to_catalog_sky",
        }  # fmt: skip
        yield {
            "figure": f"{words}: peak memory against astropy's",
            "value": ours["mb"] / theirs["mb"], "unit": "ratio", "ours_mb": ours["mb"],
            "astropy_mb": theirs["mb"], "baseline": "Table.read and match_to_catalog_sky",
        }  # fmt: skip
    field = (np.abs(ra[near] - 180.0) < 5.0) & (np.abs(ours_dec) < 5.0)
    few = _child(OURS, _session(folder / "field", ra[near][field], ours_dec[field]), hats)
    yield {
        "figure": f"{field.sum()} candidates in one field of 10 degrees: rows of the HATS folder read",
        "value": few["rows"], "unit": "", "baseline": f"{ROWS:,} in the folder", "s": few["s"],
    }  # fmt: skip
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
            began = time.monotonic()
            call()
            yield {
                "figure": f"queue of 100,000: {name}",
                "value": 1e3 * (time.monotonic() - began),
                "unit": "ms",
            }


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
    with (
        open_session(place, "Ada", read_only=True) as session,
        session.database.reading() as connection,
    ):
        return connection.execute(query).scalar_one()


def _child(code: str, *paths: Path) -> dict[str, float]:
    words = [sys.executable, "-c", code, *map(str, paths)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found
