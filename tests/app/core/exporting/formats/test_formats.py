"""What each format says of itself, and what other programs say of it."""

import csv
import math
import shutil
import subprocess
from functools import cache
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest
import yaml
from astropy.io import fits
from hypothesis import given
from hypothesis import strategies as st

from agent.trajectory.trajectory_file import read_trajectories
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.formats import csv_file, fits_file
from app.core.exporting.formats.csv_file import (
    EscapeCache,
    cells_text,
    is_plain,
    lines_text,
    metadata_path,
    quoted,
)
from app.core.exporting.formats.ecsv_file import yaml_line
from app.core.exporting.formats.records_file import write_records
from app.core.exporting.rows import selected_ids
from app.core.inspections.store import add_inspection
from app.core.progress import StoppedError
from app.core.session.records import Opinion, Verdict
from app.core.statistics.adjudication import set_adjudicator
from tests.app.core.exporting.catalogues import CONTRACT, FORMATS, listed, people, read_csv
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.session.test_provenance import inspected
from tests.app.core.sessions import change


def verify(path):
    if shutil.which("fitsverify") is None:
        pytest.skip("fitsverify is not installed: apt-get install fitsverify")
    told = subprocess.run(["fitsverify", path], capture_output=True, text=True, check=False)
    assert "0 warning(s) and 0 error(s)" in told.stdout, told.stdout


def odd_session(file_location):
    """Of everything a format might stumble over."""
    columns = [
        {"name": "W(Hα)", "type": "float", "unit": "Angstrom", "description": "§ & <Å>", "ucd": ""},
        {"name": "mag", "type": "float", "unit": "mag", "description": "", "ucd": "phot.mag"},
        {"name": "known", "type": "bool", "unit": "", "description": "", "ucd": ""},
        {"name": "n", "type": "int", "unit": "", "description": "", "ucd": "meta.number"},
        {"name": "words", "type": "str", "unit": "", "description": "", "ucd": ""},
    ]
    odd = ["a\nb", "<&>", 'q"', " x ", "宽 \U0001f31f", "\x07", "", None, "100%", "x" * 300]
    rows = [
        {
            "ra": None if n % 3 else n * 1.5,
            "dec": -1e-300 * n,
            "own": {
                "W(Hα)": [None, float("nan"), math.inf, -math.inf, 1.5][n % 5],
                "mag": None if n == 4 else n / 7,
                "known": [True, False, None][n % 3],
                "n": None if n == 2 else (-1) ** n * (2**63 - 1 - n),
                "words": odd[n % 10],
            },
        }
        for n in range(1300)
    ]
    session = listed(file_location, rows, columns)
    session.record_verdict(
        2,
        Opinion(verdict=Verdict.ACCEPT, confidence=0, flags=("ü",), comment="a\r\n\tHα"),
        seconds=1,
    )
    return session


STILTS = pytest.mark.skipif(
    shutil.which("stilts") is None, reason="stilts is not installed: apt-get install stilts"
)


def stilts(*words):
    told = subprocess.run(["stilts", *words], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return told.stdout + told.stderr


@pytest.mark.parametrize("suffix", FORMATS)
def test_where_it_comes_from(file_location, suffix):
    out = file_location.with_suffix(f".{suffix}")
    with people(file_location) as session:
        add_inspection(session, 1, said(model=NANO))
        export(session, out, which="all")
        text = out.read_bytes()
        if suffix == "csv":
            text = file_location.with_suffix(".csv-metadata.json").read_bytes()
        if suffix == "parquet":
            text = pq.read_schema(out).metadata[b"provenance"]
        for wanted in (session.id, "night", NANO.sha256, "ab" * 32, "list.csv", "Ben", "ACCEPT"):
            assert wanted.encode() in text
    if suffix == "fits":
        header = fits.getheader(out, 1)
        assert (header["MODEL1"], header["MSHA1"], header["MCNT1"]) == ("nano", NANO.sha256, 1)
        assert (header["REV2"], header["RCNT2"]) == ("Ben", "ACCEPT 1, REJECT 1, UNSURE 0")
        assert header["TASKID"] == "CV"


@pytest.mark.parametrize("suffix", FORMATS)
def test_simulated_spectra_say_so(file_location, suffix):
    out = file_location.with_suffix(f".{suffix}")
    with listed(file_location, [{}]) as session:
        inspected(session, 1, simulated=True)
        export(session, out, which="all")
    if suffix == "fits":
        assert fits.getheader(out, 1)["SIMULATD"] == "all 1"
        verify(out)
    else:
        text = metadata_path(out) if suffix == "csv" else out
        told = text.read_bytes()
        if suffix == "parquet":
            told = pq.read_schema(out).metadata[b"provenance"]
        wanted = b'name="simulated" value="all 1"' if suffix == "vot" else b'"simulated": "all 1"'
        assert wanted in told


@STILTS
@pytest.mark.parametrize("suffix", FORMATS)
def test_topcat_reads_it(file_location, suffix):
    out = file_location.with_suffix(f".{suffix}")
    with odd_session(file_location) as session:
        export(session, out, which="all")
    kind = {"vot": "votable", "parquet": "parquet"}.get(suffix, suffix)
    if kind not in stilts_formats():
        pytest.skip(f"this stilts was built without {kind}")
    picked = stilts("tpipe", f"in={out}", f"ifmt={kind}", "ofmt=csv", "cmd=keepcols mag")
    head, _, second, *others = picked.splitlines()
    assert (head, second, len(others)) == ("mag", "0.14285714285714285", 1298)


@cache
def stilts_formats():
    told = subprocess.run(
        ["stilts", "tpipe", "-help=ifmt"], capture_output=True, text=True, check=True
    )
    return told.stdout.split("Known in-formats:")[1].split()


# Cells as text, and the cache of escaped ones.
@pytest.mark.parametrize(
    "text", ["a,b", 'say "x"', "two\nlines", " x", "x ", "#x", "\u2028", "plain"]
)
def test_a_quoted_cell_is_read_back(text):
    line = lines_text([[quoted(text)], ["1"]])
    assert next(csv.reader(line.splitlines(keepends=True))) == [text, "1"]
    assert not is_plain(text) or quoted(text) == text


def test_each_text_is_escaped_once_as_long_as_there_is_room(monkeypatch):
    monkeypatch.setattr(csv_file, "MAX_CACHED", 2)
    calls = []

    def escape(text):
        calls.append(text)
        return text.upper()

    cache = EscapeCache(escape, str.isdigit)
    assert cells_text(["a", "b", "a", None], cache) == ["A", "B", "A", ""]
    assert calls[:2] == ["a", "b"]
    assert cache.all(["1", "c", "c"]) == ["1", "C", "C"]
    assert calls[-2:] == ["c", "c"]  # the cache is full
    assert len(cache) == 2


def test_numbers_and_missing_values_but_no_other_types():
    cache = EscapeCache(quoted, is_plain)
    assert cells_text([1, None], cache) == ["1", ""]
    assert cells_text([0.1, 2.0], cache) == ["0.1", "2.0"]
    assert cells_text([True, "a,b", None], cache) == ["True", '"a,b"', ""]
    with pytest.raises(TypeError, match="object"):
        yaml_line(object())


# CSV.
def test_formulas_are_escaped(file_location):
    cells = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'x", " =1", "＝1", "-1.5e3", "+7", "a=b", "-"]
    cells += ["a;=1+1", "b\t @x", "c;'d", "e;-5", "f; -5;g", "h;", "i\n=1"]
    with listed(file_location, [{"object_id": cell} for cell in cells]) as session:
        out = file_location.with_suffix(".csv")
        export(session, out, which="all")
    assert read_csv(out)["object_id"] == cells
    raw = out.read_bytes().decode()
    for cell in ("=1+1", "+x", "-x", "@x", "'x"):
        assert f"\n'{cell}," in raw
    for number in ("-1.5e3", "+7", "a=b", "e;-5", "f; -5;g", "h;"):
        assert f"\n{number}," in raw
    for cell in ("a;'=1+1", "b\t' @x", "c;''d"):
        assert f"\n{cell}," in raw
    assert '\n"i\n\'=1",' in raw


# YAML in the header of ECSV.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("aβ: ", max_size=4), inner),
    max_leaves=8,
)


@given(VALUES)
def test_any_value_is_one_line_of_ascii_that_is_read_back(value):
    line = yaml_line(value)
    assert line.isascii()
    assert line.isprintable()
    assert yaml.safe_load(line) == value


# FITS tables.
def test_long_comments_do_not_make_all_rows_long(file_location, monkeypatch):
    monkeypatch.setattr(fits_file, "MAX_FIXED_BYTES", 20_000)
    long = "宽 " * 300  # of 3,600 bytes: thirty rows of that are more than there may be
    out = file_location.with_suffix(".fits")
    with listed(file_location, [{} for _ in range(30)]) as session:
        session.record_verdict(3, Opinion(verdict=Verdict.ACCEPT, comment=long))
        session.record_verdict(30, Opinion(comment="100% sure"))
        export(session, out, which="all")
    assert out.stat().st_size < 70_000
    with fits.open(out) as file:
        column = file[1].data["comment"]
        texts = [unquote("".join(cell)) for cell in column]
    assert texts == ["", "", long, *[""] * 26, "100% sure"]
    verify(out)


def test_wide_lists(file_location):
    own = {f"c{number}": number for number in range(1200)}
    with listed(file_location, [{"own": own}], [{"name": name} for name in own]) as session:
        with pytest.raises(SessionError, match="999 columns"):
            export(session, file_location.with_suffix(".fits"), which="all")
        assert not file_location.with_suffix(".fits").exists()
        export(session, file_location.with_suffix(".csv"), which="all")
        assert read_csv(file_location.with_suffix(".csv"))["c1199"] == ["1199"]


@pytest.mark.parametrize("which", ["all", "accepted"])
def test_fitsverify_finds_nothing(file_location, which):
    out = file_location.with_suffix(".fits")
    with odd_session(file_location) as session:
        export(session, out, which=which)
        verify(out)
        export(session, out, which=[])
        verify(out)


# Keywords of the FITS table.
def test_names_that_fits_would_not_tell_apart(file_location):
    out = file_location.with_suffix(".fits")
    columns = [
        {"name": name, "unit": unit} for name, unit in (("Hα", "Å"), ("Hβ", "µm"), ("h_", "°"))
    ]
    with listed(file_location, [{"own": {"Hα": 1.0, "Hβ": 2.0, "h_": 3.0}}], columns) as session:
        export(session, out, which="all")
    header = fits.getheader(out, 1)
    first = len(CONTRACT) + 1
    assert [header[f"TTYPE{first + n}"] for n in range(3)] == ["H", "H_2", "h_"]
    assert [header[f"TUNIT{first + n}"] for n in range(3)] == ["Angstrom", "um", "deg"]
    assert header[f"TCOMM{first}"] == "in the list: H%CE%B1"
    assert header["NCAND"] == 1


# Parquet.
def test_parquet_without_pyarrow(file_location, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with listed(file_location, [{}]) as session, pytest.raises(SessionError, match=r"\[formats\]"):
        export(session, file_location.with_suffix(".parquet"), which="all")


# VOTable.
@STILTS
def test_votlint_finds_nothing(file_location):
    out = file_location.with_suffix(".vot")
    with odd_session(file_location) as session:
        export(session, out, which="all")
    assert stilts("votlint", str(out)).strip() == ""


# The agents' records: of which candidates, in which order, and whole or not at all.
@pytest.fixture
def session(location):
    """Five candidates: all inspected but the fourth, the first by two models."""
    with people(location) as opened:
        for number, model in ((3, NANO), (1, NANO), (2, NANO), (5, NANO), (1, MEASURED)):
            add_inspection(opened, number, said(model=model, number=number))
        yield opened


def written(session, out, **which):
    count = write_records(session, out, **which)
    found = [(each.spectrum.object_id[-1], each.model.name) for each in read_trajectories(out)]
    assert count == len(found)
    return found


def test_of_all_as_they_were_made(session, tmp_path):
    found = written(session, tmp_path / "all.jsonl")
    assert found == [
        *(("3", "nano"), ("1", "nano"), ("2", "nano"), ("5", "nano"), ("1", "measured"))
    ]
    (_, _, _, _, last) = read_trajectories(tmp_path / "all.jsonl")
    assert last == said(model=MEASURED)


def test_of_some_by_candidate(session, tmp_path):
    out = tmp_path / "some.jsonl"
    first = [("1", "nano"), ("1", "measured")]
    assert written(session, out, which="judged") == [*first, ("2", "nano"), ("3", "nano")]
    assert written(session, out, which="accepted") == first
    assert written(session, out, which="accepted", reviewer="Ada") == [*first, ("2", "nano")]
    assert written(session, out, which=[5, 4, 1]) == [("5", "nano"), *first]
    assert written(session, out, which=[]) == []


def test_those_a_catalogue_would_have(session):
    assert list(selected_ids(session, "judged")) == [1, 2, 3]
    assert list(selected_ids(session, "accepted")) == [1]
    assert list(selected_ids(session, "all")) == [1, 2, 3, 4, 5]
    set_adjudicator(session, "Ada")
    assert list(selected_ids(session, "accepted")) == [1, 2]
    assert list(selected_ids(session, [3, 1])) == [3, 1]
    with pytest.raises(SessionError, match="no reviewer Cy"):
        selected_ids(session, "judged", "Cy")


def test_whole_or_not_at_all(session, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "records.jsonl"
    out.write_text("as it was")
    with pytest.raises(StoppedError):
        write_records(session, out, should_stop=lambda: True)
    change(session, "UPDATE inspections SET record = '{}' WHERE candidate_id = 2")
    with pytest.raises(SessionError, match="damaged"):
        write_records(session, out)
    assert out.read_text() == "as it was"
    assert list(folder.iterdir()) == [out]


def test_how_far_it_is(session, tmp_path, monkeypatch):
    monkeypatch.setattr("app.core.exporting.formats.records_file.PROGRESS_EVERY", 2)
    told = []
    write_records(session, tmp_path / "all.jsonl", progress=lambda *done: told.append(done))
    assert told == [(2, 5), (4, 5), (5, 5)]
