"""What each format says of itself, and what other programs say of it."""

from __future__ import annotations

import subprocess

import pyarrow.parquet as pq
import pytest
from astropy.io import fits
from sqlalchemy import insert, update

from app.core.database.tables import candidates, inspections
from app.core.exporting import export
from app.core.exporting.formats.csv_file import metadata_path
from tests.app.core.exporting.catalogues import FORMATS, listed, people
from tests.app.core.exporting.formats.checkers import STILTS, odd_session, stilts, verify
from tests.app.core.session.test_simulated import inspected


@pytest.mark.parametrize("suffix", FORMATS)
def test_where_it_comes_from(session_path, suffix):
    out = session_path.with_suffix(f".{suffix}")
    with people(session_path) as session:
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
            text = session_path.with_suffix(".csv-metadata.json").read_bytes()
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
def test_simulated_spectra_say_so(session_path, suffix):
    out = session_path.with_suffix(f".{suffix}")
    with listed(session_path, [{}]) as session:
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
def test_topcat_reads_it(session_path, suffix):
    out = session_path.with_suffix(f".{suffix}")
    with odd_session(session_path) as session:
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
