"""Which candidates are written, whose word it is, and what happens when it cannot be."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from astropy.table import Table
from sqlalchemy import update

from app.core.database.tables import candidates, judgements
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.rows import selected_ids
from app.core.exporting.selection import count_candidates, count_disputed, make_selection
from app.core.inspections.store import add_inspection
from app.core.progress import StoppedError
from app.core.session.records import Opinion, Verdict
from app.core.statistics.adjudication import final_opinion, set_adjudicator
from tests.app.core.exporting.catalogues import (
    ACCEPT,
    CONTRACT,
    FORMATS,
    REJECT,
    TYPED,
    add_list,
    listed,
    people,
    read_back,
    read_csv,
)
from tests.app.core.inspected import said
from tests.app.core.judged_sessions import say
from tests.app.core.sessions import change


def test_the_same_from_a_team(team_location, tmp_path):
    """A server's rows are a file's."""
    rows = [{"ra": 1.5, "own": {"n": number}} for number in range(1100)]
    tables = []
    for location in (tmp_path / "a.speco3", team_location):
        with listed(location, rows, [{"name": "n"}]) as session:
            session.record_verdict(7, Opinion(verdict=Verdict.ACCEPT, comment="宽"), seconds=2.0)
            session.record_verdict(1000, REJECT)
            assert export(session, tmp_path / "out.csv", which="judged").rows == 2
            export(session, tmp_path / "all.csv", which="all")
            found = read_csv(tmp_path / "all.csv")
            assert len(set(found.pop("decided_at"))) == 3
            tables.append(found)
    assert tables[0] == tables[1]


def test_it_is_there_whole_or_not_at_all(file_location, tmp_path):
    with people(file_location) as session:
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
import os, signal, sys
from pathlib import Path
from app.core.exporting import export
from app.core.session.session import open_session

def until_the_end(done, total):
    if done == total:
        os.kill(os.getpid(), signal.SIGKILL)

for name in sys.argv[2:]:
    if (child := os.fork()) == 0:
        with open_session(sys.argv[1], "Ada", read_only=True) as session:
            export(session, Path(name), which="all", progress=until_the_end)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork there")
def test_killed_half_way_the_old_file_is_still_there(file_location):
    outs = [file_location.with_suffix(f".{suffix}") for suffix in FORMATS]
    for out in outs:
        out.write_text("as it was")
    with listed(file_location, [{} for _ in range(1200)]) as session:
        command = [sys.executable, "-c", KILLED, file_location, *outs]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        assert done.stdout.split() == [str(-signal.SIGKILL)] * len(outs)
        for out in outs:
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
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
    for name in sys.argv[2:]:
        try:
            write(session, Path(name))
            print("written")
        except SessionError as error:
            print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_no_room_for_it(file_location, tmp_path):
    """A file that may not grow is a full disk to whoever writes it."""
    folder = tmp_path / "out"
    folder.mkdir()
    outs = [folder / f"out.{suffix}" for suffix in (*FORMATS, "jsonl", "html")]
    for out in outs:
        out.write_text("as it was")
    with people(file_location) as session:
        change(session, update(candidates).values(label="x" * 9_000))
        for number in range(1, 6):
            add_inspection(session, number, said())
        command = [sys.executable, "-c", CRAMPED, str(file_location), *map(str, outs)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == len(outs)
    for out, words in zip(outs, told, strict=True):
        assert words == f"{out} could not be written: File too large. No existing file was changed"
        assert out.read_text() == "as it was"
    assert sorted(folder.iterdir()) == sorted(outs)


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    with people(tmp_path / "night.speco3") as session:

        def refuse(number):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("agent.atomic_file.os.fsync", refuse)
        for suffix in FORMATS:
            with pytest.raises(SessionError, match=r"disk is full.*No existing file was changed"):
                export(session, tmp_path / f"out.{suffix}", which="all")
        assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_names_that_cannot_be_written(file_location, tmp_path):
    with people(file_location) as session:
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


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_it_wrote_before_it_writes_again(file_location, suffix):
    """Without looking for it among a million spectra: here it would be found among them."""
    out = file_location.with_suffix(f".{suffix}")
    with listed(file_location, [{"path": str(out)}]) as session:
        assert export(session, out, which="all").rows == 1
        assert export(session, out, which="all").rows == 1


def test_neither_a_list_nor_a_spectrum_is_overwritten(tmp_path):
    listing, theirs, link = (tmp_path / name for name in ("list.csv", "spec.fits", "link.fits"))
    listing.write_text("mine")
    theirs.write_text("photons")
    link.symlink_to(theirs)
    with listed(tmp_path / "a.speco3", [{}, {"path": str(theirs)}]) as session:
        add_list(session, [], [], {}, path=str(listing))
        with pytest.raises(SessionError, match="a list of this session"):
            export(session, tmp_path / "." / "list.csv")
        for out in (theirs, link, tmp_path / "." / "spec.fits"):
            with pytest.raises(SessionError, match="a spectrum file of this session"):
                export(session, out, which="all")
    assert (listing.read_text(), theirs.read_text()) == ("mine", "photons")


@pytest.mark.parametrize("suffix", FORMATS)
def test_progress_reaches_its_end(file_location, suffix):
    told, out = [], file_location.with_suffix(f".{suffix}")
    with listed(file_location, [{} for _ in range(1200)]) as session:
        export(session, out, which="all", progress=lambda *done: told.append(done))
    assert told == sorted(told)
    assert len(told) >= 3
    assert told[-1][0] == told[-1][1]


def test_progress_begins_again_with_the_work(file_location):
    """Where the last row has a column that its list did not announce."""
    told, out = [], file_location.with_suffix(".csv")
    rows = [*({} for _ in range(1200)), {"own": {"late": 1}}]
    with listed(file_location, rows) as session:
        export(session, out, which="all", progress=lambda done, _: told.append(done))
    assert [done for done in told if done == 500] == [500, 500]
    assert told[-1] == 1201


def test_a_verdict_does_not_wait_for_an_export(file_location):
    """Nor is it seen by one that has begun."""
    with listed(file_location, [{} for _ in range(1200)]) as session:

        def judge(done, total):
            session.record_verdict(1200, ACCEPT)

        export(session, file_location.with_suffix(".ecsv"), which="all", progress=judge)
        assert not any(read_back(file_location.with_suffix(".ecsv"))["verdict"])
        assert session.judgement(1200) is not None


@pytest.mark.parametrize("suffix", FORMATS)
def test_without_what_blind_mode_hides(file_location, tmp_path, suffix):
    with people(file_location) as session:
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


def test_time_spent_is_told_to_the_millisecond(file_location):
    out = file_location.with_suffix(".ecsv")
    with listed(file_location, [{"ra": 1.5}]) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT), seconds=10 / 3)
        export(session, out, which="all")
    assert read_back(out)["seconds_spent"][0] == 3.333


# Whose verdicts a catalogue contains.
def test_whose_verdict_it_is(file_location):
    out = file_location.with_suffix(".ecsv")
    with people(file_location) as session:
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


# Values under columns that their list did not declare, and damaged ones.
def test_two_lists_and_columns_nobody_announced(file_location):
    with listed(
        file_location, [{"own": {"g": 1.0, "t": "a", "x": 5}}], [{"name": "g", "unit": "mag"}]
    ) as s:
        add_list(
            s,
            [{"own": {"g": 2.0, "T": "b"}}, {"own": {"g": None, "T": None, "x": 6}}],
            [{"name": "g", "unit": "Jy"}, {"name": "T", "unit": ""}],
            {},
        )
        for suffix in FORMATS:
            report = export(s, file_location.with_suffix(f".{suffix}"), which="all")
            assert report.columns[len(CONTRACT) :] == ("g", "g_list", "T", "t_list", "x", "x_list")
    found = read_back(file_location.with_suffix(".ecsv"))
    assert found["g"] == [1.0, None, None]
    assert found["g_list"] == [None, 2.0, None]
    assert found["T"] == [None, "b", None]
    assert found["t_list"] == ["a", None, None]
    assert found["x"] == [5, None, None]
    assert found["x_list"] == [None, None, 6]
    assert read_csv(file_location.with_suffix(".csv"))["T"] == ["", "b", ""]
    assert read_back(file_location.with_suffix(".fits"))["T"] == [None, "b", None]


def test_a_damaged_session_is_told(file_location):
    for _, text in (("own", "[1]"), ("own", "{"), ("own", "[" * 100_000)):
        with (
            listed(file_location, [{}, {"own": text}]) as session,
            pytest.raises(SessionError, match="damaged"),
        ):
            export(session, file_location.with_suffix(".csv"), which="all")
        file_location.unlink()
    with listed(file_location, [{}]) as session:
        session.record_verdict(1, ACCEPT)
        change(session, update(judgements).values(verdict="=cmd()"))
        export(session, file_location.with_suffix(".csv"), which="all")
        found = read_csv(file_location.with_suffix(".csv"))
        assert "'=cmd()" in file_location.with_suffix(".csv").read_text()
        assert found["verdict"] == ["=cmd()"]
        export(session, file_location.with_suffix(".fits"), which="all")
        assert read_back(file_location.with_suffix(".fits"))["verdict"] == ["=cmd()"]
        change(session, update(judgements).values(confidence="+x"))
        for suffix in (".csv", ".fits"):
            with pytest.raises(SessionError, match="a text where a whole number belongs"):
                export(session, file_location.with_suffix(suffix), which="all")


# Which candidates a catalogue contains.
def test_those_that_were_picked(file_location):
    out = file_location.with_suffix(".ecsv")
    with people(file_location) as session:
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


@pytest.mark.parametrize("adjudicator", ["", "Ada", "Li Wei", "Cleo"])
def test_accepted_are_those_whose_final_opinion_is_to_accept(file_location, adjudicator):
    """The rule in SQL and that of `final_opinion` agree on any verdicts of three people."""
    numbers = np.random.default_rng(3)
    with listed(file_location, [{}] * 120) as session:
        for name in ("Ada", "Li Wei", "Cleo"):
            given = numbers.choice([None, *Verdict, Verdict.ACCEPT], 120)
            say(session, name, {n: each for n, each in enumerate(given, 1) if each is not None})
        if adjudicator:
            set_adjudicator(session, adjudicator)
        final = (final_opinion(session.judgements(n), adjudicator or None) for n in range(1, 121))
        wanted = [n for n, each in enumerate(final, 1) if each.opinion.verdict is Verdict.ACCEPT]
        assert 20 < len(wanted) < 100
        assert list(selected_ids(session, "accepted")) == wanted
        report = export(session, file_location.with_suffix(".csv"), which="accepted")
        assert report.rows == len(wanted)
        by_ada = list(selected_ids(session, "accepted", "Ada"))
        said = (session.judgements(n) for n in by_ada)
        assert {each[0].opinion.verdict for each in said} == {Verdict.ACCEPT}
        with session.database.reading() as connection:
            chosen = make_selection(connection, "accepted", None)
            assert count_candidates(connection, chosen) == len(wanted)
            said = {n: [each.opinion for each in session.judgements(n)] for n in range(1, 121)}
            somebody = {n for n, opinions in said.items() if ACCEPT in opinions}
            assert count_disputed(connection, chosen) == len(somebody - set(wanted))


# Texts that a format cannot represent.
ALONE = (
    "x ", " x", "\t", "a\nb", "100%", "a+b", "%41", "Hα", "\x7f", "\x85", "\u2028", "\r", "x" * 300,
)  # fmt: skip


@pytest.mark.parametrize("suffix", TYPED)
def test_each_odd_text_alone(file_location, suffix):
    """In a column with nothing else that would have it escaped."""
    own = {f"c{number}": text for number, text in enumerate(ALONE)}
    out = file_location.with_suffix(f".{suffix}")
    rows = [{"own": own}, {"own": dict.fromkeys(own, "plain")}]
    with listed(file_location, rows, [{"name": name} for name in own]) as session:
        export(session, out, which="all")
    found = read_back(out)
    assert {name: found[name] for name in own} == {
        name: [text, "plain"] for name, text in own.items()
    }


def test_half_characters_stop_nothing(file_location):
    with listed(file_location, [{"own": '{"a": "x\\ud83d"}'}], [{"name": "a"}]) as session:
        for suffix in FORMATS:
            assert export(session, file_location.with_suffix(f".{suffix}"), which="all").rows == 1
    assert read_csv(file_location.with_suffix(".csv"))["a"] == ["x?"]
    assert Table.read(file_location.with_suffix(".fits"))["a"][0] == "x%ED%A0%BD"
