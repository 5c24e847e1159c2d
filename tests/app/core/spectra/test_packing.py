"""A packed session: everything that was decided, the spectra inside, and no other file needed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, insert, select, update

from agent.errors import ReadError
from agent.spectra.readers import read
from app.core.database.tables import metadata, packed_spectra
from app.core.errors import SessionError
from app.core.inspections.store import add_inspection, inspections_of
from app.core.progress import StoppedError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.spectra.packing import pack, packed_spectrum, read_spectrum
from app.core.statistics.repeats import record_repeat, repeats_of
from tests.agent.spectra.readers import samples
from tests.agent.spectra.test_spectrum_bytes import alike
from tests.app.core.exporting.catalogues import listed
from tests.app.core.inspected import said
from tests.app.core.sessions import REJECT, change

SAMPLE = Path(__file__).resolve().parents[4] / "resources" / "sample" / "spectra"
ACCEPT = Opinion(verdict=Verdict.ACCEPT, comment="宽")


@pytest.fixture
def spectra(tmp_path):
    folder = tmp_path / "spectra"
    folder.mkdir()
    (folder / "a.fits").write_bytes(samples.sdss())
    (folder / "b.fits").write_bytes(samples.desi())
    (folder / "c.fits").write_bytes(b"no spectrum")
    return folder


def rows_of(folder):
    target = int(read(folder / "b.fits", 1).object_id)
    paths = [("a.fits", 0), ("b.fits", 0), ("b.fits", target), ("c.fits", 0), ("none.fits", 0)]
    rows = [{"path": str(folder / name), "row": row, "own": {"n": 1}} for name, row in paths]
    return [*rows, {"path": ""}]


def contents(session):
    """All rows of all tables but the packed spectra."""
    with session.database.reading() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table)).all()))
            for table in metadata.sorted_tables
            if table is not packed_spectra
        }


def test_it_needs_no_other_file(location, tmp_path, spectra):
    told = []
    out = tmp_path / "sent.speco3"
    with listed(location, rows_of(spectra)) as session:
        session.record_verdict(2, ACCEPT, seconds=3.0)
        session.record_verdict(1, ACCEPT)
        session.undo()
        record_repeat(session, 2, REJECT, seconds=1.0)
        add_inspection(session, 3, said(number=3))
        wanted = [read_spectrum(session, session.candidate(number)) for number in (1, 2, 3)]
        report = pack(session, tmp_path / "sent", progress=lambda *done: told.append(done))
        assert packed_spectrum(session, 1) is None
        before = contents(session)
        identity = session.id
    assert (report.path, report.candidates, report.packed) == (out, 6, 3)
    assert [each.candidate_id for each in report.unreadable] == [4, 5, 6]
    assert "no such file" in report.unreadable[1].reason
    assert report.bytes == out.stat().st_size
    assert told == [(6, 6)]
    shutil.rmtree(spectra)
    with open_session(out, "Ben") as sent:
        assert sent.id == identity
        assert contents(sent) == before
        assert [each.candidate_id for each in repeats_of(sent)] == [2]
        assert inspections_of(sent, 3)[0].trajectory == said(number=3)
        for number, spectrum in enumerate(wanted, 1):
            assert alike(read_spectrum(sent, sent.candidate(number)), spectrum)
        assert wanted[2].object_id != wanted[1].object_id
        for number in (4, 5, 6):
            with pytest.raises(ReadError):
                read_spectrum(sent, sent.candidate(number))
        sent.record_verdict(1, ACCEPT)
        assert sent.undo() is not None
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"night.speco3", "sent.speco3"}


def test_what_is_packed_is_packed_again(tmp_path, spectra):
    first, second = tmp_path / "first.speco3", tmp_path / "second.speco3"
    with listed(tmp_path / "night.speco3", rows_of(spectra)) as session:
        pack(session, first)
    shutil.rmtree(spectra)
    with open_session(first, "Ben", read_only=True) as session:
        assert pack(session, second).packed == 3
    with open_session(second, "Cy") as session:
        assert len(read_spectrum(session, session.candidate(2))) > 2


def test_simulated_ones_say_so(tmp_path):
    sample = next(SAMPLE.rglob("*.fits.gz"))
    out = tmp_path / "out.speco3"
    with listed(tmp_path / "night.speco3", [{"path": str(sample)}]) as session:
        pack(session, out)
        plain = read_spectrum(session, session.candidate(1))
    with open_session(out, "Ben") as session:
        assert packed_spectrum(session, 1).simulated
        assert alike(packed_spectrum(session, 1), plain)


def test_nothing_is_left_where_it_stops(tmp_path, spectra):
    with listed(tmp_path / "night.speco3", rows_of(spectra)) as session:
        out = tmp_path / "out.speco3"
        before = {path.name for path in tmp_path.iterdir()}
        with pytest.raises(StoppedError):
            pack(session, out, should_stop=lambda: True)
        with pytest.raises(ZeroDivisionError):
            pack(session, out, progress=lambda *done: 1 // 0)
        assert {path.name for path in tmp_path.iterdir()} == before
        out.write_text("mine")
        with pytest.raises(SessionError, match="already exists"):
            pack(session, out)
        assert out.read_text() == "mine"
        with pytest.raises(SessionError, match="create it first"):
            pack(session, tmp_path / "none" / "out")


CRAMPED = """
import resource, sys
from pathlib import Path
from app.core.errors import SessionError
from app.core.spectra.packing import pack
from app.core.session.session import open_session

with open_session(sys.argv[1], "Ada", read_only=True) as session:
    session.count()
    sys.dont_write_bytecode = True
    for limit in (20_000, int(sys.argv[3])):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            pack(session, Path(sys.argv[2]))
        except SessionError as error:
            print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_no_room_for_the_copy(tmp_path):
    """Neither for the session nor, a little later, for the spectra: it is the copy's disk that is
    full, whatever the session's name is."""
    folder, night = tmp_path / "out", tmp_path / "night.speco3"
    folder.mkdir()
    rows = [{"path": str(path)} for path in sorted(SAMPLE.rglob("*.fits.gz"))[:5]]
    with listed(night, rows) as session:
        session.record_verdict(1, ACCEPT)
    room = night.stat().st_size + 4_096
    command = [sys.executable, "-c", CRAMPED, str(night), str(folder / "out.speco3"), str(room)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    for told in (first, second):
        assert told.startswith(f"{folder / 'out.speco3'} could not be written: ")
        assert "Nothing was lost" in told
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="rights hold nobody here")
def test_a_folder_nobody_may_write_to(tmp_path, spectra):
    folder = tmp_path / "out"
    folder.mkdir(mode=0o500)
    with (
        listed(tmp_path / "night.speco3", rows_of(spectra)) as session,
        pytest.raises(SessionError, match=r"out\.speco3 could not be written: .*rights"),
    ):
        pack(session, folder / "out.speco3")


def test_a_changed_packed_spectrum_is_told(tmp_path, spectra):
    out = tmp_path / "out.speco3"
    with listed(tmp_path / "night.speco3", rows_of(spectra)) as session:
        pack(session, out)
    with open_session(out, "Ben") as session:
        with session.database.writing() as connection:
            query = select(packed_spectra.c.content).where(packed_spectra.c.candidate_id == 1)
            content = connection.execute(query).scalar_one()
            connection.execute(update(packed_spectra).values(content=content[:-1] + b"\0"))
        with pytest.raises(ReadError, match="hash"):
            packed_spectrum(session, 1)
        change(session, "UPDATE packed_spectra SET content = 'text'")
        with pytest.raises(ReadError):
            packed_spectrum(session, 1)


def test_a_huge_one_is_not_even_read(tmp_path, monkeypatch):
    monkeypatch.setattr("app.core.spectra.packing.MAX_PACKED", 1000)
    with listed(tmp_path / "night.speco3", [{}]) as session:
        values = {"candidate_id": 1, "sha256": "", "content": bytes(1001)}
        with session.database.writing() as connection:
            connection.execute(insert(packed_spectra).values(values))
            assert connection.execute(select(func.count()).select_from(packed_spectra)).scalar()
        with pytest.raises(ReadError, match="too large"):
            packed_spectrum(session, 1)


def test_verdicts_go_on_meanwhile(tmp_path, spectra):
    """What is decided while it is packed stays in the session; the copy is of before."""
    out = tmp_path / "out.speco3"
    with listed(tmp_path / "night.speco3", rows_of(spectra)) as session:
        pack(session, out, progress=lambda *done: session.record_verdict(1, ACCEPT))
        assert session.judgement(1).opinion == ACCEPT
    with open_session(out, "Ada") as sent:
        assert sent.judgement(1) is None
        assert np.isfinite(packed_spectrum(sent, 1).wavelength).all()
