"""Which candidates are written, whose word it is, and what happens when it cannot be."""

from __future__ import annotations

import subprocess
import sys

import pytest
from astropy.table import Table
from sqlalchemy import update

from app.core.database.tables import candidates, judgements
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.inspections.store import add_inspection
from app.core.progress import StoppedError
from app.core.session.records import Opinion, Verdict
from app.core.statistics.adjudication import set_adjudicator
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


@pytest.fixture
def place(tmp_path):
    return tmp_path / "night.speco3"


def test_whose_verdict_it_is(place):
    out = place.with_suffix(".ecsv")
    with people(place) as session:
        assert export(session, out, which="all").rows == 5
        found = read_back(out)
        assert found["verdict"] == ["ACCEPT", None, "REJECT", None, None]
        assert found["reviewer"] == ["Ada;Ben", "Ada;Ben", "Ada", "Ada", None]
        assert found["flags"] == [None, "disagreement", "a%3Bb%25;c", None, None]
        assert found["comment"] == ["Ada: clear", None, None, "later", None]
        assert found["seconds_spent"] == [5.0, 1.0, 5.0, None, None]
        # the flags came after the agent had spoken, the verdict before
        assert found["agent_seen_before"] == [False, True, False, False, False]
        assert [bool(at) for at in found["decided_at"]] == [True, False, True, False, False]
        assert export(session, out, which="judged").rows == 3
        assert read_back(out)["object_id"] == ["J000001", "J000002", "J000003"]
        assert export(session, out, which="accepted").rows == 1
        assert export(session, out, which="accepted", reviewer="Ada").rows == 2
        assert read_back(out)["reviewer"] == ["Ada", "Ada"]
        assert export(session, out, reviewer="Ben").rows == 2
        assert read_back(out)["verdict"] == ["ACCEPT", "REJECT"]
        set_adjudicator(session, "Ben")
        assert export(session, out, which="judged").rows == 3
        assert read_back(out)["verdict"] == ["ACCEPT", "REJECT", "REJECT"]
        with pytest.raises(SessionError, match=r"no reviewer Cy.*Ada, Ben"):
            export(session, out, reviewer="Cy")


def test_those_that_were_picked(place):
    out = place.with_suffix(".ecsv")
    with people(place) as session:
        picked = (number for number in (5, 3, 1))
        report = export(session, out, which=picked, filter_text="p_yes>0.9")
        assert report.rows == 3
        assert read_back(out)["object_id"] == ["J000005", "J000003", "J000001"]
        assert report.selection == "3 selected candidates; filter: p_yes>0.9"
        assert Table.read(out).meta["provenance"]["selection"] == report.selection
        assert export(session, out, which=[]).rows == 0
        assert read_back(out)["object_id"] == []
        with pytest.raises(SessionError, match="no candidate 99"):
            export(session, out, which=[1, 99])
        many = [number % 5 + 1 for number in range(1234)]
        assert export(session, out, which=many).rows == 1234
        assert read_back(out)["object_id"] == [f"J{number:06d}" for number in many]


def test_the_same_from_a_team(team_place, tmp_path):
    """A server's rows are a file's."""
    rows = [{"ra": 1.5, "own": {"n": number}} for number in range(1100)]
    tables = []
    for place in (tmp_path / "a.speco3", team_place):
        with listed(place, rows, [{"name": "n"}]) as session:
            session.record_verdict(7, Opinion(verdict=Verdict.ACCEPT, comment="宽"), seconds=2.0)
            session.record_verdict(1000, REJECT)
            assert export(session, tmp_path / "out.csv", which="judged").rows == 2
            export(session, tmp_path / "all.csv", which="all")
            found = read_csv(tmp_path / "all.csv")
            assert len(set(found.pop("decided_at"))) == 3
            tables.append(found)
    assert tables[0] == tables[1]


def test_it_is_there_whole_or_not_at_all(place, tmp_path):
    with people(place) as session:
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


def test_a_full_disk_is_told(place, tmp_path, monkeypatch):
    with people(place) as session:

        def refuse(number):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("app.core.atomic_file.os.fsync", refuse)
        for suffix in FORMATS:
            with pytest.raises(SessionError, match=r"No space left.*No existing file was changed"):
                export(session, tmp_path / f"out.{suffix}", which="all")
        assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


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
def test_killed_half_way_the_old_file_is_still_there(place, suffix):
    out = place.with_suffix(f".{suffix}")
    out.write_text("as it was")
    with listed(place, [{} for _ in range(1200)]) as session:
        command = [sys.executable, "-c", KILLED, str(place), str(out)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=place.parent) as child:
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
from app.core.packing import read_spectrum
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
def test_no_room_for_it(place, tmp_path):
    """A file that may not grow is a full disk to whoever writes it."""
    folder = tmp_path / "out"
    folder.mkdir()
    outs = [folder / f"out.{suffix}" for suffix in (*FORMATS, "jsonl", "html")]
    for out in outs:
        out.write_text("as it was")
    with people(place) as session:
        with session.database.writing() as connection:
            connection.execute(update(candidates).values(label="x" * 9_000))
        for number in range(1, 6):
            add_inspection(session, number, said())
        command = [sys.executable, "-c", CRAMPED, str(place), *map(str, outs)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == len(outs)
    for out, words in zip(outs, told, strict=True):
        assert words == f"{out} could not be written: File too large. No existing file was changed"
        assert out.read_text() == "as it was"
    assert sorted(folder.iterdir()) == sorted(outs)


def test_names_that_cannot_be_written(place, tmp_path):
    with people(place) as session:
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
def test_what_it_wrote_before_it_writes_again(place, suffix):
    """Without looking for it among a million spectra: here it would be found among them."""
    out = place.with_suffix(f".{suffix}")
    with listed(place, [{"path": str(out)}]) as session:
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


def test_a_link_stays_one(place, tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "out.csv"
    link.symlink_to(tmp_path / "real" / "out.csv")
    with people(place) as session:
        export(session, link)
    assert link.is_symlink()
    assert len((tmp_path / "real" / "out.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize("suffix", FORMATS)
def test_progress_reaches_its_end(place, suffix):
    told = []
    with listed(place, [{} for _ in range(1200)]) as session:
        export(
            session,
            place.with_suffix(f".{suffix}"),
            which="all",
            progress=lambda done, total: told.append((done, total)),
        )
    assert told == sorted(told)
    assert len(told) >= 3
    assert told[-1][0] == told[-1][1]


def test_progress_begins_again_with_the_work(place):
    """Where the last row has a column that its list did not announce."""
    told = []
    rows = [*({} for _ in range(1200)), {"own": {"late": 1}}]
    with listed(place, rows) as session:
        export(
            session,
            place.with_suffix(".csv"),
            which="all",
            progress=lambda done, total: told.append(done),
        )
    assert [done for done in told if done == 500] == [500, 500]
    assert told[-1] == 1201


def test_a_verdict_does_not_wait_for_an_export(place):
    """Nor is it seen by one that has begun."""
    with listed(place, [{} for _ in range(1200)]) as session:

        def judge(done, total):
            session.record_verdict(1200, ACCEPT)

        export(session, place.with_suffix(".ecsv"), which="all", progress=judge)
        assert not any(read_back(place.with_suffix(".ecsv"))["verdict"])
        assert session.judgement(1200) is not None


def test_a_damaged_session_is_told(place):
    for _, text in (("own", "[1]"), ("own", "{"), ("own", "[" * 100_000)):
        with (
            listed(place, [{}, {"own": text}]) as session,
            pytest.raises(SessionError, match="damaged"),
        ):
            export(session, place.with_suffix(".csv"), which="all")
        place.unlink()
    with listed(place, [{}]) as session:
        session.record_verdict(1, ACCEPT)
        with session.database.writing() as connection:
            connection.execute(update(judgements).values(verdict="=cmd()", confidence="+x"))
        export(session, place.with_suffix(".csv"), which="all")
        found = read_csv(place.with_suffix(".csv"))
        assert "'=cmd()" in place.with_suffix(".csv").read_text()
        assert (found["verdict"], found["confidence"]) == (["=cmd()"], ["+x"])
        export(session, place.with_suffix(".fits"), which="all")
        assert read_back(place.with_suffix(".fits"))["confidence"] == ["+x"]
