"""What each format says of itself, and what other programs say of it."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest
from astropy.io import fits
from astropy.table import Table
from sqlalchemy import insert, update

from app.core.database.tables import candidates, inspections
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.formats import fits_file
from app.core.exporting.formats.csv_file import metadata_path
from app.core.session.records import Opinion, Verdict
from tests.app.core.exporting.catalogues import (
    CONTRACT,
    FORMATS,
    add_list,
    listed,
    people,
    read_back,
    read_csv,
)
from tests.app.core.test_simulated import inspected


@pytest.fixture
def place(tmp_path):
    return tmp_path / "night.speco3"


@pytest.mark.parametrize("suffix", FORMATS)
def test_units_names_and_words(place, suffix):
    columns = [
        {"name": "ra", "type": "float", "unit": "h", "description": "of old", "ucd": ""},
        {"name": "Comment", "type": "str", "unit": "", "description": "", "ucd": "meta.note"},
        {"name": "v", "type": "float", "unit": "km/s", "description": 'a < b & "c"', "ucd": "phot"},
        {"name": "W(Hα)", "type": "float", "unit": "Å", "description": "Weite in Å", "ucd": ""},
        {"name": "p", "type": "float", "unit": "", "description": "of the net", "ucd": ""},
    ]
    own = {"ra": 1.5, "Comment": "=x", "v": -3.25, "W(Hα)": 2.5}
    out = place.with_suffix(f".{suffix}")
    rows = [{"own": own, "score": 0.25, "ra": 10.0}]
    with listed(place, rows, columns, roles={"score": "p"}) as session:
        report = export(session, out, which="all")
    assert report.columns == (*CONTRACT, "p", "ra_list", "Comment_list", "v", "W(Hα)")
    assert report.renamed == {"ra": "ra_list", "Comment": "Comment_list"}
    if suffix == "csv":
        found = read_csv(out)
        assert found["v"] == ["-3.25"]
        assert out.read_text().splitlines()[1].endswith(",0.25,1.5,'=x,-3.25,2.5")
        beside = json.loads(report.metadata.read_text())["tableSchema"]["columns"]
        said = {each["name"]: each for each in beside}
        assert said["ra"]["schema:unit"] == "deg"
        assert said["p"]["dc:description"] == "of the net"
        return
    width = "W_H" if suffix == "fits" else "W(Hα)"
    found = read_back(out)
    assert [found[name][0] for name in ("ra", "ra_list", "Comment_list", "v", width, "p")] == [
        *(10.0, 1.5, "=x", -3.25, 2.5, 0.25)
    ]
    if suffix == "parquet":
        field = pq.read_schema(out).field("v")
        assert field.metadata[b"unit"] == b"km/s"
    table = Table.read(out, **({"format": "votable"} if suffix == "vot" else {}))
    assert str(table["ra"].unit) == "deg"
    assert str(table["v"].unit) == "km / s"
    if suffix == "fits":
        header = fits.getheader(out, 1)
        number = table.colnames.index(width) + 1
        assert header[f"TUNIT{number}"] == "Angstrom"
        assert header[f"TCOMM{number}"].endswith(
            "in the list: W%28H%CE%B1%29".replace("%28", "(").replace("%29", ")")
        )
        assert header["TUCD2"] == "pos.eq.ra;meta.main"
    else:
        assert table["v"].description == 'a < b & "c"'
        assert table["ra"].meta["ucd"] == "pos.eq.ra;meta.main"


@pytest.mark.parametrize("suffix", FORMATS)
def test_where_it_comes_from(place, suffix):
    out = place.with_suffix(f".{suffix}")
    with people(place) as session:
        with session.database.writing() as connection:
            seen = {"candidate_id": 1, "model": "nano", "model_sha256": "cd" * 32}
            about = {"at": "2026-01-02", "verdict": "YES", "p_yes": 0.5, "stopped_by": "answer"}
            values = seen | about | {"well_formed": True, "record": "{}"}
            connection.execute(insert(inspections).values(values))
            connection.execute(
                update(candidates)
                .where(candidates.c.id == 1)
                .values(agent_verdict="YES", agent_p_yes=0.5, agent_model="nano")
            )
        export(session, out, which="all")
        text = out.read_bytes()
        if suffix == "csv":
            text = place.with_suffix(".csv-metadata.json").read_bytes()
        if suffix == "parquet":
            text = pq.read_schema(out).metadata[b"provenance"]
        for wanted in (session.id, "night", "cd" * 32, "ab" * 32, "list.csv", "Ben", "ACCEPT"):
            assert wanted.encode() in text
    if suffix == "fits":
        header = fits.getheader(out, 1)
        assert (header["MODEL1"], header["MSHA1"], header["MCNT1"]) == ("nano", "cd" * 32, 1)
        assert (header["REV2"], header["RCNT2"]) == ("Ben", "ACCEPT 1, REJECT 1, UNSURE 0")
        assert header["TASKID"] == "CV"


@pytest.mark.parametrize("suffix", FORMATS)
def test_simulated_spectra_say_so(place, suffix):
    out = place.with_suffix(f".{suffix}")
    with listed(place, [{}]) as session:
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


def test_two_lists_and_columns_nobody_announced(place):
    with listed(
        place, [{"own": {"g": 1.0, "t": "a", "x": 5}}], [{"name": "g", "unit": "mag"}]
    ) as s:
        add_list(
            s,
            [{"own": {"g": 2.0, "T": "b"}}, {"own": {"g": None, "T": None, "x": 6}}],
            [{"name": "g", "unit": "Jy"}, {"name": "T", "unit": ""}],
            {},
        )
        for suffix in FORMATS:
            report = export(s, place.with_suffix(f".{suffix}"), which="all")
            assert report.columns[len(CONTRACT) :] == ("g", "g_list", "T", "t_list", "x", "x_list")
    found = read_back(place.with_suffix(".ecsv"))
    assert found["g"] == [1.0, None, None]
    assert found["g_list"] == [None, 2.0, None]
    assert found["T"] == [None, "b", None]
    assert found["t_list"] == ["a", None, None]
    assert found["x"] == [5, None, None]
    assert found["x_list"] == [None, None, 6]
    assert read_csv(place.with_suffix(".csv"))["T"] == ["", "b", ""]
    assert read_back(place.with_suffix(".fits"))["T"] == [None, "b", None]


def test_formulas_are_escaped(place):
    cells = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'x", " =1", "＝1", "-1.5e3", "+7", "a=b", "-"]
    with listed(place, [{"object_id": cell} for cell in cells]) as session:
        out = place.with_suffix(".csv")
        export(session, out, which="all")
    assert read_csv(out)["object_id"] == cells
    raw = out.read_bytes().decode()
    for cell in ("=1+1", "+x", "-x", "@x", "'x"):
        assert f"\n'{cell}," in raw
    for number in ("-1.5e3", "+7", "a=b"):
        assert f"\n{number}," in raw


def test_long_comments_do_not_make_all_rows_long(place, monkeypatch):
    monkeypatch.setattr(fits_file, "MAX_FIXED_BYTES", 20_000)
    long = "宽 " * 1500
    out = place.with_suffix(".fits")
    with listed(place, [{} for _ in range(30)]) as session:
        session.record_verdict(3, Opinion(verdict=Verdict.ACCEPT, comment=long))
        session.record_verdict(30, Opinion(comment="100% sure"))
        export(session, out, which="all")
    assert out.stat().st_size < 70_000
    with fits.open(out) as file:
        column = file[1].data["comment"]
        texts = [unquote("".join(cell)) for cell in column]
    assert texts == ["", "", long, *[""] * 26, "100% sure"]
    verify(out)


def test_wide_lists(place):
    own = {f"c{number}": number for number in range(1200)}
    with listed(place, [{"own": own}], [{"name": name} for name in own]) as session:
        with pytest.raises(SessionError, match="999 columns"):
            export(session, place.with_suffix(".fits"), which="all")
        assert not place.with_suffix(".fits").exists()
        export(session, place.with_suffix(".csv"), which="all")
        assert read_csv(place.with_suffix(".csv"))["c1199"] == ["1199"]


def verify(path):
    if shutil.which("fitsverify") is None:
        pytest.skip("fitsverify is not installed: apt-get install fitsverify")
    told = subprocess.run(["fitsverify", path], capture_output=True, text=True, check=False)
    assert "0 warning(s) and 0 error(s)" in told.stdout, told.stdout


def odd_session(place):
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
    session = listed(place, rows, columns)
    session.record_verdict(
        2,
        Opinion(verdict=Verdict.ACCEPT, confidence=0, flags=("ü",), comment="a\r\n\tHα"),
        seconds=1,
    )
    return session


@pytest.mark.parametrize("which", ["all", "accepted"])
def test_fitsverify_finds_nothing(place, which):
    out = place.with_suffix(".fits")
    with odd_session(place) as session:
        export(session, out, which=which)
        verify(out)
        export(session, out, which=[])
        verify(out)


STILTS = pytest.mark.skipif(
    shutil.which("stilts") is None, reason="stilts is not installed: apt-get install stilts"
)


def stilts(*words):
    told = subprocess.run(["stilts", *words], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return told.stdout + told.stderr


@STILTS
def test_votlint_finds_nothing(place):
    out = place.with_suffix(".vot")
    with odd_session(place) as session:
        export(session, out, which="all")
    assert stilts("votlint", str(out)).strip() == ""


@STILTS
@pytest.mark.parametrize("suffix", FORMATS)
def test_topcat_reads_it(place, suffix):
    out = place.with_suffix(f".{suffix}")
    with odd_session(place) as session:
        export(session, out, which="all")
    kind = {"vot": "votable", "parquet": "parquet"}.get(suffix, suffix)
    if kind not in stilts_formats():
        pytest.skip(f"this stilts was built without {kind}")
    counted = stilts("tpipe", f"in={out}", f"ifmt={kind}", "omode=count")
    assert counted.split() == ["columns:", "23", "rows:", "1300"] or "1300" in counted
    picked = stilts(
        "tpipe", f"in={out}", f"ifmt={kind}", "ofmt=csv", "cmd=rowrange 2 2", "cmd=keepcols mag"
    )
    assert picked.split() == ["mag", "0.14285714285714285"]


def stilts_formats():
    told = subprocess.run(
        ["stilts", "tpipe", "-help=ifmt"], capture_output=True, text=True, check=True
    )
    return told.stdout.split("Known in-formats:")[1].split()


def test_parquet_without_pyarrow(place, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with listed(place, [{}]) as session, pytest.raises(SessionError, match=r"\[formats\]"):
        export(session, place.with_suffix(".parquet"), which="all")
