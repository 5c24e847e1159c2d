"""A list of a million rows into a session, against `sqlite3 .import` of the same file.

Each is a process of its own, in turns; the quickest of each counts, since the machine is shared.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench.measuring import figure_line, seconds_of, told_by

ROWS = 1_000_000
ROUNDS = 3
HEADER = "obsid,designation,ra,dec,snrg,class,subclass,z,score,path\n"

OURS = """
import json, resource, sys, time
from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from tests.app.core.importing.memory import peak_mb
with new_session(sys.argv[2], find_task("CV"), "Ada") as session:
    start = time.perf_counter()
    report = import_list(session, sys.argv[1])
    seconds = time.perf_counter() - start
helper_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
told = {"seconds": seconds, "rows": report.rows_used, "mb": peak_mb(), "helper_mb": helper_mb}
print(json.dumps(told))
"""
PLAIN = """
import csv, sqlite3, sys
database = sqlite3.connect(sys.argv[2])
with open(sys.argv[1], newline="") as file:
    rows = csv.reader(file)
    names = ", ".join(f'"{name}"' for name in next(rows))
    database.execute(f"CREATE TABLE t ({names})")
    marks = ", ".join("?" * (names.count(",") + 1))
    with database:
        database.executemany(f"INSERT INTO t VALUES ({marks})", rows)
"""


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_csv(folder / "list.csv")
        ours: list[dict[str, float]] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            theirs.append(_baseline(path, folder / "plain.db"))
            ours.append(_imported(path, folder / "night.speco3"))
        best = min(ours, key=lambda run: run["seconds"])
        yield figure_line(
            f"import, {ROWS:,} rows of CSV, times sqlite3 .import", best["seconds"] / min(theirs),
            "ratio",
            baseline="sqlite3 .import" if shutil.which("sqlite3") else "csv and executemany",
            ours_s=round(best["seconds"], 2), baseline_s=round(min(theirs), 2), rows=best["rows"],
            megabytes=round(path.stat().st_size / 1e6), target=3.0
        )  # fmt: skip
        title = f"import, {ROWS:,} rows of CSV, peak memory of both processes"
        value = max(run["mb"] + run["helper_mb"] for run in ours)
        yield figure_line(title, value, "MB", target=600)
        for kind in ("fits", "parquet"):
            other = _imported(_converted(path, kind), folder / "night.speco3")
            title = f"import, {ROWS:,} rows of {kind.upper()}"
            peak_mb = round(other["mb"] + other["helper_mb"])
            yield figure_line(title, other["seconds"], "s", peak_mb=peak_mb)


def write_csv(path: Path, rows: int = ROWS) -> Path:
    """As a survey's catalogue of candidates might be: 130 bytes a row."""
    chance = random.Random(20260601)
    with path.open("w") as file:
        file.write(HEADER)
        for number in range(rows):
            night, fiber = divmod(number, 1000)
            ra, dec = 360 * chance.random(), 120 * chance.random() - 30
            file.write(
                f"{100_000_000 + 7 * number},J{ra * 1e4:09.2f}{dec * 1e4:+010.2f},{ra:.6f},"
                f"{dec:.6f},{100 * chance.random():.2f},STAR,"
                f"{chance.choice('OBAFGKM')}{fiber % 10},{chance.gauss(0, 1e-4):.8f},"
                f"{chance.random():.5f},spectra/{night:04d}/spec-{55000 + night}-"
                f"F{night:04d}_sp{fiber % 16 + 1:02d}-{fiber % 250 + 1:03d}.fits.gz\n"
            )
    return path


def _converted(path: Path, kind: str) -> Path:
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.csv.read_csv(path)
    other = path.with_suffix(f".{kind}")
    if kind == "parquet":
        pyarrow.parquet.write_table(table, other, row_group_size=100_000)
    else:
        from astropy.table import Table

        columns = {name: table[name].to_numpy() for name in table.column_names}
        for name, values in columns.items():
            columns[name] = values.astype("S") if values.dtype == "O" else values
        Table(columns).write(other)
    return other


def _imported(path: Path, session: Path) -> dict[str, float]:
    for suffix in ("", "-wal", "-shm"):
        session.with_name(session.name + suffix).unlink(missing_ok=True)
    found: dict[str, float] = told_by("-c", OURS, str(path), str(session))
    assert found["rows"] == ROWS
    return found


def _baseline(path: Path, database: Path) -> float:
    database.unlink(missing_ok=True)
    command = [sys.executable, "-c", PLAIN, str(path), str(database)]
    if shutil.which("sqlite3"):
        command = ["sqlite3", str(database), f".import --csv {path} t"]
    return seconds_of(partial(subprocess.run, command, check=True, capture_output=True))
