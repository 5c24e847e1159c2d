"""Which candidates are written, whose word it is, and what happens when it cannot be."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.inspections.store import add_inspection
from app.core.progress import StoppedError
from app.core.session.records import Opinion, Verdict
from tests.app.core.exporting.catalogues import (
    ACCEPT,
    FORMATS,
    REJECT,
    add_list,
    listed,
    people,
    read_back,
    read_csv,
)
from tests.app.core.inspected import said


def test_the_same_from_a_team(team_location, tmp_path):
    """A server's rows are a file's."""
    rows = [{"ra": 1.5, "own": {"n": number}} for number in range(1100)]
    tables = []
    for session_path in (tmp_path / "a.speco3", team_location):
        with listed(session_path, rows, [{"name": "n"}]) as session:
            session.record_verdict(7, Opinion(verdict=Verdict.ACCEPT, comment="宽"), seconds=2.0)
            session.record_verdict(1000, REJECT)
            assert export(session, tmp_path / "out.csv", which="judged").rows == 2
            export(session, tmp_path / "all.csv", which="all")
            found = read_csv(tmp_path / "all.csv")
            assert len(set(found.pop("decided_at"))) == 3
            tables.append(found)
    assert tables[0] == tables[1]


def test_it_is_there_whole_or_not_at_all(session_path, tmp_path):
    with people(session_path) as session:
        for suffix in FORMATS:
            out = tmp_path / f"out.{suffix}"
            out.write_text("as it was")
            before = sorted(path.name for path in tmp_path.iterdir())
            with pytest.raises(StoppedError):
                export(session, out, which="all", should_stop=lambda: True)
            with pytest.raises(ZeroDivisionError):
                export(session, out, which="all", progress=lambda done, total: 1 // 0)
            assert out.read_text() == "as it was"
            assert sorted(path.name for path in tmp_path.iterdir()) == before
            export(session, out, which="all")
            assert out.read_bytes() != b"as it was"
        assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


KILLED = """
import sys
from pathlib import Path
from app.core.exporting import export
from app.core.session.session import open_session

def wait_for_the_end(done, total):
    if done == total:
        print("written", flush=True)
        sys.stdin.read()

with open_session(sys.argv[1], "Ada", read_only=True) as session:
    export(session, Path(sys.argv[2]), which="all", progress=wait_for_the_end)
"""


@pytest.mark.parametrize("suffix", FORMATS)
def test_killed_half_way_the_old_file_is_still_there(session_path, suffix):
    out = session_path.with_suffix(f".{suffix}")
    out.write_text("as it was")
    with listed(session_path, [{} for _ in range(1200)]) as session:
        command = [sys.executable, "-c", KILLED, str(session_path), str(out)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=session_path.parent) as child:
            assert child.stdout.readline() == b"written\n"
            child.kill()
        assert out.read_text() == "as it was"
        assert export(session, out, which="all").rows == 1200
    assert out.read_bytes()[:9] != b"as it was"


CRAMPED = """
import resource, sys
from pathlib import Path
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.formats.records_file import write_records
from app.core.spectra.packing import read_spectrum
from app.core.report import write_report
from app.core.session.session import open_session

def write(session, out):
    if out.suffix == ".jsonl":
        write_records(session, out)
    elif out.suffix == ".html":
        write_report(session, out, lambda candidate: read_spectrum(session, candidate))
    else:
        export(session, out, which="all")

with open_session(sys.argv[1], "Ada", read_only=True) as session:
    session.count()
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
    for name in sys.argv[2:]:
        try:
            write(session, Path(name))
            print("written")
        except SessionError as error:
            print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_no_room_for_it(session_path, tmp_path):
    """A file that may not grow is a full disk to whoever writes it."""
    folder = tmp_path / "out"
    folder.mkdir()
    outs = [folder / f"out.{suffix}" for suffix in (*FORMATS, "jsonl", "html")]
    for out in outs:
        out.write_text("as it was")
    with people(session_path) as session:
        with session.database.writing() as connection:
            connection.execute(update(candidates).values(label="x" * 9_000))
        for number in range(1, 6):
            add_inspection(session, number, said())
        command = [sys.executable, "-c", CRAMPED, str(session_path), *map(str, outs)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == len(outs)
    for out, words in zip(outs, told, strict=True):
        assert words == f"{out} could not be written: File too large. No existing file was changed"
        assert out.read_text() == "as it was"
    assert sorted(folder.iterdir()) == sorted(outs)


def test_names_that_cannot_be_written(session_path, tmp_path):
    with people(session_path) as session:
        for name, told in (
            ("out.xlsx", r"\.csv, \.ecsv"),
            ("none/out.csv", "create it first"),
            ("none/out.fits", "create it first"),
        ):
            with pytest.raises(SessionError, match=told):
                export(session, tmp_path / name)
        (tmp_path / "folder.csv").mkdir()
        with pytest.raises(SessionError, match="this is a folder"):
            export(session, tmp_path / "folder.csv")


def test_a_list_is_not_overwritten(tmp_path):
    theirs = tmp_path / "list.csv"
    theirs.write_text("mine")
    with listed(tmp_path / "a.speco3", [{}]) as session:
        add_list(session, [], [], {}, path=str(theirs))
        with pytest.raises(SessionError, match="a list of this session"):
            export(session, tmp_path / "." / "list.csv")
    assert theirs.read_text() == "mine"


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_it_wrote_before_it_writes_again(session_path, suffix):
    """Without looking for it among a million spectra: here it would be found among them."""
    out = session_path.with_suffix(f".{suffix}")
    with listed(session_path, [{"path": str(out)}]) as session:
        assert export(session, out, which="all").rows == 1
        assert export(session, out, which="all").rows == 1


def test_a_spectrum_is_not_overwritten(tmp_path):
    theirs = tmp_path / "spec.fits"
    theirs.write_text("photons")
    link = tmp_path / "link.fits"
    link.symlink_to(theirs)
    with listed(tmp_path / "a.speco3", [{}, {"path": str(theirs)}]) as session:
        for out in (theirs, link, tmp_path / "." / "spec.fits"):
            with pytest.raises(SessionError, match="a spectrum file of this session"):
                export(session, out, which="all")
    assert theirs.read_text() == "photons"


@pytest.mark.parametrize("suffix", FORMATS)
def test_progress_reaches_its_end(session_path, suffix):
    told = []
    with listed(session_path, [{} for _ in range(1200)]) as session:
        export(
            session,
            session_path.with_suffix(f".{suffix}"),
            which="all",
            progress=lambda done, total: told.append((done, total)),
        )
    assert told == sorted(told)
    assert len(told) >= 3
    assert told[-1][0] == told[-1][1]


def test_progress_begins_again_with_the_work(session_path):
    """Where the last row has a column that its list did not announce."""
    told = []
    rows = [*({} for _ in range(1200)), {"own": {"late": 1}}]
    with listed(session_path, rows) as session:
        export(
            session,
            session_path.with_suffix(".csv"),
            which="all",
            progress=lambda done, total: told.append(done),
        )
    assert [done for done in told if done == 500] == [500, 500]
    assert told[-1] == 1201


def test_a_verdict_does_not_wait_for_an_export(session_path):
    """Nor is it seen by one that has begun."""
    with listed(session_path, [{} for _ in range(1200)]) as session:

        def judge(done, total):
            session.record_verdict(1200, ACCEPT)

        export(session, session_path.with_suffix(".ecsv"), which="all", progress=judge)
        assert not any(read_back(session_path.with_suffix(".ecsv"))["verdict"])
        assert session.judgement(1200) is not None


@pytest.mark.parametrize("suffix", FORMATS)
def test_without_what_blind_mode_hides(session_path, tmp_path, suffix):
    with people(session_path) as session:
        add_inspection(session, 1, said("YES"))
        whole = export(session, tmp_path / f"whole.{suffix}", which="all")
        out = tmp_path / f"out.{suffix}"
        report = export(session, out, which="all", without_agent=True)
    hidden = set(whole.columns) - set(report.columns)
    assert {"agent_verdict", "agent_p_yes", "agent_model"} <= hidden
    assert all(name.startswith("agent_") for name in hidden)
    assert report.rows == 5
    assert [name for name in whole.columns if name in report.columns] == list(report.columns)
    found = read_csv(out) if suffix == "csv" else read_back(out)
    assert list(found) == list(report.columns)
    assert len(found["verdict"]) == 5
