"""How long a catalogue of 1,000,000 candidates takes in each format, and in how much memory.

CSV against `sqlite3 -csv` (Python's csv module where that is absent) with the same columns of the
same session; FITS against astropy writing the same table, which it has ready in memory. Each
export runs in a process of its own, in turn with what it is compared with.
"""

from __future__ import annotations

import csv
import json
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from astropy.table import Table
from sqlalchemy import insert

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, judgements, lists, log
from app.core.session import verdict_log
from app.core.session.session import Session, new_session
from tests.bench.measuring import figure_line, seconds_of

ROWS = 1_000_000
JUDGED = 10
"""One in so many has a verdict."""
AT_ONCE = 20_000
ROUNDS = 3
AT = "2026-01-01T00:00:00.000+00:00"
OWN = {"teff": "float", "g_mag": "float", "plan": "str", "fiberid": "int", "binary": "bool"}

QUERY = """
SELECT c.object_id, c.ra, c.dec, c.path, c.row, j.verdict, j.confidence, j.flags, j.comment,
    r.name, j.at, l.seconds, c.agent_verdict, c.agent_p_yes, c.agent_model, c.agent_stopped_by,
    l.shown <> '{}', c.score, c.snr, c.own ->> '$.teff', c.own ->> '$.g_mag', c.own ->> '$.plan',
    c.own ->> '$.fiberid', c.own ->> '$.binary'
FROM candidates c LEFT JOIN judgements j ON j.candidate_id = c.id
    LEFT JOIN reviewers r ON r.id = j.reviewer_id LEFT JOIN log l ON l.id = j.log_id
ORDER BY c.id
"""

EXPORT = """
import sys, time
from pathlib import Path
from app.core.exporting import export
from app.core.session.session import open_session
from tests.app.core.importing.memory import peak_mb

with open_session(Path(sys.argv[1]), "Ada", read_only=True) as session:
    start = time.perf_counter()
    export(session, Path(sys.argv[2]), which="all")
    seconds = time.perf_counter() - start
print(seconds, peak_mb())
"""


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = folder / "million.speco3"
        fill(place)
        yield from _csv(place)
        yield from _fits(place)
        for suffix in ("ecsv", "vot", "parquet"):
            seconds, megabytes = _export(place, suffix)
            yield from _plain(suffix, seconds, megabytes)


def _csv(place: Path) -> Iterator[dict[str, object]]:
    theirs = _sqlite_csv if shutil.which("sqlite3") else _python_csv
    ours, baseline, megabytes = _in_turn(place, "csv", lambda: theirs(place))
    yield from _plain("csv", ours, megabytes)
    name = "sqlite3 -csv" if theirs is _sqlite_csv else "Python's csv module"
    yield _ratio("csv", ours, baseline, name, 3.0)


def _fits(place: Path) -> Iterator[dict[str, object]]:
    _export(place, "fits")
    table = Table.read(place.with_suffix(".fits"))
    table.convert_bytestring_to_unicode()
    table.meta.clear()
    out = place.with_name("theirs.fits")
    ours, baseline, megabytes = _in_turn(place, "fits", lambda: table.write(out, overwrite=True))
    yield from _plain("fits", ours, megabytes)
    yield _ratio("fits", ours, baseline, "astropy's Table.write of the ready table", 2.0)


def _in_turn(place: Path, suffix: str, theirs: Callable[[], object]) -> tuple[float, float, float]:
    """Median seconds of ours and of theirs, and our megabytes at most."""
    ours, baseline, most = [], [], 0.0
    for _ in range(ROUNDS):
        seconds, megabytes = _export(place, suffix)
        ours.append(seconds)
        most = max(most, megabytes)
        baseline.append(seconds_of(theirs))
    return statistics.median(ours), statistics.median(baseline), most


def _export(place: Path, suffix: str) -> tuple[float, float]:
    """Seconds, and megabytes at most."""
    words = [sys.executable, "-c", EXPORT, str(place), str(place.with_suffix(f".{suffix}"))]
    told = subprocess.run(words, check=True, capture_output=True, text=True)
    seconds, megabytes = map(float, told.stdout.split())
    return seconds, megabytes


def _sqlite_csv(place: Path) -> None:
    with place.with_name("theirs.csv").open("wb") as out:
        words = ["sqlite3", "-csv", "-header", f"file:{place}?mode=ro", QUERY]
        subprocess.run(words, check=True, stdout=out)


def _python_csv(place: Path) -> None:
    out = place.with_name("theirs.csv")
    with closing(sqlite3.connect(place)) as connection, out.open("w", newline="") as file:
        csv.writer(file).writerows(connection.execute(QUERY))


def _plain(suffix: str, seconds: float, megabytes: float) -> Iterator[dict[str, object]]:
    yield figure_line(f"{suffix} of {ROWS:,} rows", seconds, "s")
    yield figure_line(f"{suffix} of {ROWS:,} rows: memory at most", megabytes, "MB", target=600.0)


def _ratio(
    suffix: str, ours: float, theirs: float, baseline: str, target: float
) -> dict[str, object]:
    return figure_line(
        f"{suffix} of {ROWS:,} rows against {baseline}", ours / theirs, "ratio", baseline=baseline,
        ours_s=round(ours, 2), theirs_s=round(theirs, 2), target=target
    )  # fmt: skip


def fill(place: Path) -> None:
    """A session as an import of a LAMOST list and a run of the agent would leave it."""
    chance = random.Random(1)
    columns = [{"name": name, "type": kind, "unit": ""} for name, kind in OWN.items()]
    about = {"name": "list.csv", "path": "/lists/list.csv", "sha256": "ab", "format": "CSV"}
    read = {"rows_read": ROWS, "rows_used": ROWS, "imported_at": AT}
    told = {"roles": json.dumps({"score": "prob"}), "columns": json.dumps(columns)}
    with new_session(place, find_task("CV"), "Ada") as session:
        with session.database.writing() as connection:
            connection.execute(insert(lists).values(about | read | told))
            for start in range(1, ROWS + 1, AT_ONCE):
                rows = [_row(number, chance) for number in range(start, start + AT_ONCE)]
                connection.execute(insert(candidates), rows)
        _judge(session, chance)


def _row(number: int, chance: random.Random) -> dict[str, object]:
    own = {
        "teff": round(chance.uniform(3000, 30000), 1), "g_mag": round(chance.uniform(10, 20), 3),
        "plan": f"HD{number // 1000:06d}N0{number % 9}", "fiberid": number % 250,
        "binary": number % 7 == 0,
    }  # fmt: skip
    return {
        "list_id": 1, "line": number,
        "object_id": f"J{chance.uniform(0, 240000):09.2f}+{number:07d}",
        "path": f"/data/dr11/spec-{number // 250:05d}-sp{number % 16:02d}-{number % 250:03d}.fits",
        "row": 0, "ra": round(chance.uniform(0, 360), 6), "dec": round(chance.uniform(-10, 60), 6),
        "score": round(chance.random(), 4), "label": "", "snr": round(chance.uniform(1, 90), 2),
        "own": json.dumps(own), "agent_verdict": chance.choice(["YES", "NO"]),
        "agent_p_yes": chance.random(), "agent_model": "nano", "agent_stopped_by": "answer",
    }  # fmt: skip


def _judge(session: Session, chance: random.Random) -> None:
    with session.database.writing() as connection:
        reviewer = verdict_log.reviewer_id(connection, "Ada")
        lines = [
            {
                "at": AT, "reviewer_id": reviewer, "candidate_id": number,
                "verdict": chance.choice(["ACCEPT", "REJECT"]), "confidence": chance.randint(0, 4),
                "flags": "[]", "comment": "Hα is broad" if chance.random() < 0.05 else "",
            }
            for number in range(1, ROWS + 1, JUDGED)
        ]  # fmt: skip
        more = {"action": "set", "seconds": 3.5, "shown": "{}"}
        connection.execute(insert(log), [line | more for line in lines])
        numbered = [line | {"log_id": number} for number, line in enumerate(lines, 1)]
        connection.execute(insert(judgements), numbered)
