"""Whatever lies in the tables, what leaves a session is written, or a SessionError says why not."""

import itertools

import pytest
from sqlalchemy import insert, select

from agent.errors import ReadError
from app.core.database.tables import inspections, metadata, packed_spectra
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.log_file import log_lines, write_log
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing import merge
from app.core.spectra.packing import pack, packed_spectrum
from app.core.statistics.repeats import record_repeat
from tests.app.core.exporting.catalogues import listed
from tests.app.core.session.test_hostile_session import spoil
from tests.app.core.sessions import REJECT
from tests.night import BY_NIGHT

VALUES = ["x'00ff'", "'='||char(1)", "-7.5", "'[3]'", "NULL"]
PACKED = ("candidates", "packed_spectra")
UNUSED = ("facts", "refused_rows", "calibrations")
TABLES = [table.name for table in metadata.sorted_tables if table.name not in UNUSED]


def stranger(location):
    """A little of everything."""
    columns = [{"name": "a", "type": "float", "unit": ""}]
    rows = [{"own": {"a": 1.5}, "file_sha256": "ab"}, {"own": {}}, {}]
    with listed(location, rows, columns, roles={"score": "p"}) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, flags=("x",)), seconds=1.0)
        session.record_verdict(2, REJECT)
        session.undo()
        record_repeat(session, 1, REJECT, seconds=1.0)
        with session.database.writing() as connection:
            about = {"candidate_id": 1, "model": "nano", "model_sha256": "cd", "at": "2026"}
            said = {"verdict": "YES", "p_yes": 0.5, "stopped_by": "answer", "well_formed": True}
            connection.execute(insert(inspections).values(about | said | {"record": "{}"}))
            packed = {"candidate_id": 3, "sha256": "", "content": b"abc"}
            connection.execute(insert(packed_spectra).values(packed))
    with open_session(location, "Ben") as session:
        session.record_verdict(1, REJECT)


@pytest.mark.parametrize("table", TABLES)
def test_values_no_session_has(tmp_path, table):
    location, ours = tmp_path / "a.speco3", tmp_path / "ours.speco3"
    stranger(location)
    listed(ours, [{}, {}]).close()
    whole, mine = location.read_bytes(), ours.read_bytes()
    columns = [column.name for column in metadata.tables[table].columns]
    wheres = itertools.cycle(["", " WHERE rowid = 1"])
    pairs = list(itertools.product(columns, VALUES))
    # By day one value a column, and another in the next, so that all of them come.
    tried = pairs if BY_NIGHT else zip(columns, itertools.cycle(VALUES), strict=False)
    done = 0
    for (column, value), where in zip(tried, wheres, strict=False):
        location.write_bytes(whole)
        if not spoil(location, table, column, value, where):
            continue
        ours.write_bytes(mine)
        done += use(location, ours, tmp_path, is_packed=table in PACKED)
    assert done > 0


def use(location, ours, folder, *, is_packed):
    """How many of all that may be asked of it were done."""
    try:
        session = open_session(location, "Ada", read_only=True)
    except SessionError:
        return 0
    calls = [
        lambda: export(session, folder / "out.csv", which="all"),
        lambda: export(session, folder / "out.vot", which="judged"),
        lambda: export(session, folder / "out.fits", which=[1, 2], reviewer="Ada"),
        lambda: list(log_lines(session)),
        lambda: write_log(session, folder / "log.csv"),
        lambda: merged(session, ours),
    ]
    if is_packed:
        calls += [
            lambda: pack(session, folder / "packed.speco3"),
            lambda: packed_spectrum(session, 3),
        ]
    done = 0
    with session:
        for call in calls:
            try:
                call()
            except (SessionError, ReadError):
                continue
            done += 1
    (folder / "packed.speco3").unlink(missing_ok=True)
    return done


def merged(session, ours):
    with open_session(ours, "Ada") as into:
        merge(into, session)
        with into.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            connection.execute(select(inspections)).all()
