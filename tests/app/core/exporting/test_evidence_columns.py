"""What services said, in every format of a catalogue."""

from __future__ import annotations

import pytest
from astropy.io import fits
from astropy.io.votable import parse_single_table

from app.core.evidence.local_catalogue import match_local
from app.core.evidence.store import save
from app.core.exporting import export
from app.core.exporting.columns import read_layout
from app.services.catalogues.answer import Exchange, Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.exporting.catalogues import FORMATS, listed, read_back, read_csv

GAIA, SIMBAD = all_services()["gaia"], all_services()["simbad"]
HERE = Position(ra=10.0, dec=41.0)
AT = "2026-11-26T10:00:00+00:00"
BIG = 4_611_686_018_427_387_905
"""A source number that no float holds."""


@pytest.fixture
def session(session_path):
    with listed(session_path, [{"ra": 10.0, "dec": 41.0}, {}, {}, {}]) as made:
        reply = Exchange(url="https://example.org", asked_at=AT, content=b"x")
        star = {"bp_rp": 0.5, "source_id": BIG, "parallax": 2, "parallax_error": 0.25}
        found = answer_of([Match(values=star, separation_arcsec=0.5)])
        save(made, 1, GAIA, found, reply, HERE)
        save(made, 2, GAIA, answer_of([]), reply, HERE)
        save(made, 3, GAIA, failed("busy"), reply, HERE)
        simbad = answer_of([Match(values={"type": "CV*"}, separation_arcsec=0.1)])
        save(made, 1, SIMBAD, simbad, reply, HERE)
        yield made


@pytest.mark.parametrize("suffix", FORMATS)
def test_values_state_and_source_come_back(session, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    report = export(session, out, which="all")
    found = read_csv(out) if suffix == "csv" else read_back(out)
    assert tuple(found) == report.columns
    plain = {name: ["" if each is None else str(each) for each in found[name]] for name in found}
    assert [float(each) for each in plain["gaia_bp_rp"][:1]] == [0.5]
    assert plain["gaia_source_id"][0] == str(BIG)
    assert float(plain["gaia_parallax_error"][0]) == 0.25
    assert float(plain["gaia_separation_arcsec"][0]) == 0.5
    assert plain["gaia_state"] == ["found", "nothing", "failed", ""]
    assert plain["gaia_asked_at"] == [AT, AT, AT, ""]
    assert plain["gaia_release"] == ["DR3", "DR3", "DR3", ""]
    assert plain["simbad_type"][0] == "CV*"
    assert plain["gaia_bp_rp"][1:] in (["", "", ""], ["nan", "nan", "nan"])


def test_columns_have_unit_ucd_description_and_the_header_the_release(session, tmp_path):
    export(session, tmp_path / "out.vot", which="all")
    table = parse_single_table(tmp_path / "out.vot")
    field = table.get_field_by_id_or_name("gaia_bp_rp")
    assert str(field.unit) == "mag" and field.ucd == "phot.color;em.opt.B;em.opt.R"
    assert field.description == "BP - RP (Gaia DR3)"
    export(session, tmp_path / "out.fits", which="all")
    header = fits.getheader(tmp_path / "out.fits", 1)
    assert (header["SERV1"], header["SERVN1"]) == ("gaia DR3", 2)
    assert header["SERV2"] == "simbad"


def test_a_catalogue_in_a_file_keeps_its_units(session, tmp_path):
    (tmp_path / "mine.csv").write_text("ra,dec,mag,star\n10.0,41.0,11.5,a\n")
    match_local(session, tmp_path / "mine.csv", "mine", 2.0)
    export(session, tmp_path / "out.csv", which="all")
    found = read_csv(tmp_path / "out.csv")
    assert found["mine_mag"][0] == "11.5" and found["mine_star"][0] == "a"
    assert found["mine_state"][0] == "found"


def test_blind_mode_hides_the_columns_of_services_that_know_the_class(session):
    with session.database.reading() as connection:
        layout = read_layout(connection)
    hidden = {layout.columns[index].name for index in layout.giving_class_away}
    assert {"simbad_type", "simbad_state", "agent_verdict"} <= hidden
    assert not {name for name in hidden if name.startswith("gaia")} and "verdict" not in hidden


def test_a_session_that_asked_nothing_has_no_columns(session_path, tmp_path):
    with listed(session_path, [{}]) as session:
        report = export(session, tmp_path / "out.csv", which="all")
    assert not [name for name in report.columns if "gaia" in name]
