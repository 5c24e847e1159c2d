"""A small session with something in every table, and a file beside it that is nobody's business."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import insert, update

from agent.spectra.readers import read
from agent.spectra.spectrum_bytes import to_bytes
from app.core.database.tables import calibrations, candidates, packed_spectra, refused_rows
from app.core.inspections.store import add_inspection
from app.core.queue import LIST_ORDER, page, parse_filter
from app.core.queue.sorts import parse_sort
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, open_session
from app.core.statistics.repeats import record_repeat
from tests.agent.spectra.readers import samples
from tests.app.core.exporting.catalogues import listed
from tests.app.core.inspected import NANO, OTHER, said

NAME = "night.speco3"
OWN = "own.speco3"
SECRET = "secret.fits"
CANDIDATES = 12


def make(folder: Path) -> Path:
    """The session, closed and complete in one file; beside it one to merge with."""
    listed(folder / OWN, [{"own": {}}, {"path": ""}]).close()
    place = folder / NAME
    (folder / "a.fits").write_bytes(samples.sdss())
    columns = [{"name": "g", "type": "float", "unit": "mag"}, {"name": "plan", "type": "str"}]
    rows = [
        {"path": str(folder / "a.fits"), "own": {"g": 18.5, "plan": "x"}, "file_sha256": "ab"},
        {"path": str(folder / "a.fits"), "ra": 10.0, "dec": -5.0, "score": 0.5, "snr": 12.0},
        *({"path": "", "label": "CV", "ra": 10.0 + 0.0001 * n} for n in range(CANDIDATES - 2)),
    ]
    with listed(place, rows, columns, roles={"score": "p"}) as session:
        _fill(session, folder)
    with open_session(place, "Ben") as session:
        for number in (1, 3, 4):
            session.record_verdict(number, Opinion(verdict=Verdict.REJECT), seconds=2.0)
    with closing(sqlite3.connect(place)) as connection:  # so that there are free pages
        connection.execute("CREATE TABLE x AS SELECT hex(randomblob(30000))")
        connection.execute("DROP TABLE x")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return place


def _fill(session: Session, folder: Path) -> None:
    for number in range(1, 7):
        verdict = list(Verdict)[number % 3]
        opinion = Opinion(verdict=verdict, confidence=number % 5, flags=("x",), comment="Hα 宽")
        session.record_verdict(number, opinion, seconds=1.5, shown={"verdict": "YES"})
    session.undo()
    session.undo()
    session.redo()
    record_repeat(session, 1, Opinion(verdict=Verdict.REJECT), seconds=1.0)
    for number in (1, 2, 3):
        add_inspection(session, number, said(number=number))
        add_inspection(session, number, said("NO", 0.2, OTHER, number=number))
    content = to_bytes(read(str(folder / "a.fits")))
    calibration = {"model": NANO.name, "fitted_at": "2026-01-01", "content": "{}"}
    packed = {"candidate_id": 2, "sha256": hashlib.sha256(content).hexdigest(), "content": content}
    with session.database.writing() as connection:
        connection.execute(insert(refused_rows).values(list_id=1, line=5, reason="no path"))
        connection.execute(insert(calibrations).values(calibration))
        connection.execute(insert(packed_spectra).values(packed))
        faulty = update(candidates).where(candidates.c.id == 5)
        connection.execute(faulty.values(fault="no such file"))
    for order in ("score", "disagreeing", "random:7"):
        page(session, parse_filter("verdict:unjudged"), parse_sort(order))
    page(session, parse_filter("snr>3"), LIST_ORDER)
