"""Columns of a catalogue: names, units and descriptions."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from astropy.io import fits
from astropy.io.votable import parse_single_table
from astropy.table import Table
from sqlalchemy import update

from agent.trajectory.trajectory import ModelRef
from app.core.database.tables import candidates
from app.core.evidence.local_catalogue import match_local
from app.core.evidence.store import save
from app.core.exporting import export
from app.core.exporting.columns import read_layout
from app.core.exporting.further_columns import MAX_MODELS
from app.core.inspections.store import add_inspection
from app.core.session.measurements import record_measurement, withdraw_measurement
from app.core.session.own_fields import OwnField, set_own_fields
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.session.subclass_and_fields import field_values
from app.services.catalogues.answer import Exchange, Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.exporting.catalogues import (
    CONTRACT,
    FORMATS,
    TYPED,
    listed,
    read_back,
    read_csv,
    there_and_back,
)
from tests.app.core.inspected import MEASURED, NANO, OTHER, said
from tests.app.core.session.test_measurements import BARE, HALPHA
from tests.app.core.sessions import ACCEPT, change


@pytest.mark.parametrize("suffix", FORMATS)
def test_units_names_and_words(file_location, suffix):
    columns = [
        {"name": "ra", "type": "float", "unit": "h", "description": "of old", "ucd": ""},
        {"name": "Comment", "type": "str", "unit": "", "description": "", "ucd": "meta.note"},
        {"name": "v", "type": "float", "unit": "km/s", "description": 'a < b & "c"', "ucd": "phot"},
        {"name": "W(Hα)", "type": "float", "unit": "Å", "description": "Weite in Å", "ucd": ""},
        {"name": "p", "type": "float", "unit": "", "description": "of the net", "ucd": ""},
    ]
    own = {"ra": 1.5, "Comment": "=x", "v": -3.25, "W(Hα)": 2.5}
    out = file_location.with_suffix(f".{suffix}")
    rows = [{"own": own, "score": 0.25, "ra": 10.0}]
    with listed(file_location, rows, columns, roles={"score": "p"}) as session:
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
        assert pq.read_schema(out).field("v").metadata[b"unit"] == b"km/s"
    table = Table.read(out, **({"format": "votable"} if suffix == "vot" else {}))
    assert str(table["ra"].unit) == "deg"
    assert str(table["v"].unit) == "km / s"
    if suffix == "fits":
        header = fits.getheader(out, 1)
        number = table.colnames.index(width) + 1
        assert header[f"TUNIT{number}"] == "Angstrom"
        assert header[f"TCOMM{number}"].endswith("in the list: W(H%CE%B1)")
        assert header["TUCD2"] == "pos.eq.ra;meta.main"
    else:
        assert table["v"].description == 'a < b & "c"'
        assert table["ra"].meta["ucd"] == "pos.eq.ra;meta.main"


# Kinds of columns, known only after the last row.
@pytest.mark.parametrize("suffix", TYPED)
def test_kinds_that_change_on_the_way(file_location, suffix):
    """A column is what all of its values are, whatever the first thousand look like."""
    many = 1200
    names = ("late word", "late real", "late large", "large first", "huge")
    names += ("true or 1", "never", "17 digits")
    values = [
        {"late word": 1, "late real": 2, "late large": 3, "huge": 4, "true or 1": 1, "never": None}
        | {"17 digits": f"{39627834455786901 + number:020d}"}
        for number in range(many)
    ]
    values[-1] |= {"late word": "n/a", "late real": 0.5, "late large": 2**53 + 1, "huge": 2**70}
    values[-1] |= {"true or 1": True}
    values[-2] |= {"late large": 0.5}
    for number, value in enumerate(values):
        value["large first"] = 2**53 + 1 if number < many // 2 else 0.5
    columns = [{"name": name, "unit": ""} for name in names]
    with listed(file_location, [{"own": own} for own in values], columns) as session:
        export(session, file_location.with_suffix(f".{suffix}"), which="all")
    found = read_back(file_location.with_suffix(f".{suffix}"))
    real = {name.replace("_", " "): cells for name, cells in found.items()}
    assert real["late word"] == ["1"] * (many - 1) + ["n/a"]
    assert real["late real"] == [2.0] * (many - 1) + [0.5]
    assert real["late large"] == ["3"] * (many - 2) + ["0.5", str(2**53 + 1)]
    assert real["large first"] == [str(2**53 + 1)] * (many // 2) + ["0.5"] * (many // 2)
    assert real["huge"] == ["4"] * (many - 1) + [str(2**70)]
    assert real["true or 1"] == ["1"] * (many - 1) + ["True"]
    assert not any(real["never"])
    assert real["17 digits"] == [row["17 digits"] for row in values]


# What catalogues weigh, in a catalogue: beside p(YES), with units, UCD and words on each claim.
VSX = all_services()["vsx"]
HERE = Position(ra=10.0, dec=41.0)
NAMES = ("p_combined", "catalogue_log_odds", "catalogue_claims")


@pytest.fixture
def session(file_location):
    with listed(file_location, [{"ra": 10.0, "dec": 41.0}, {}, {}]) as made:
        change(made, update(candidates).values(agent_p_yes=0.5, p_combined=0.5))
        yield made


def found(session):
    save(session, 1, VSX, answer_of([Match(values={"type": "UGSU"}, separation_arcsec=0.1)]), None,
         HERE)  # fmt: skip
    save(session, 2, VSX, failed("busy"), None, HERE)


@pytest.mark.parametrize("suffix", ["csv", "fits"])
def test_they_stand_beside_the_agents_own(session, tmp_path, suffix):
    found(session)
    table = there_and_back(session, tmp_path, suffix)
    assert [float(each) for each in table["agent_p_yes"]] == [0.5, 0.5, 0.5]
    combined = [round(float(each), 3) for each in table["p_combined"]]
    assert combined == [0.818, 0.5, 0.5]
    odds = ["" if each is None else str(each) for each in table["catalogue_log_odds"]]
    assert odds[0] == "1.5" and set(odds[1:]) <= {"", "nan", "--"}
    claims = [str(each) for each in table["catalogue_claims"]]
    assert "vsx_type +1.50" in claims[0] and "blue not asked" in claims[0]
    assert "vsx_type failed" in claims[1] and "vsx_type not asked" in claims[2]


def test_they_have_ucd_and_words_and_are_hidden_with_the_agents_opinion(session, tmp_path):
    with session.database.reading() as connection:
        assert read_layout(connection, session.task).weighed is None  # nobody was asked
    found(session)
    with session.database.reading() as connection:
        layout = read_layout(connection, session.task)
        assert read_layout(connection).weighed is None
    columns = {column.name: column for column in layout.columns}
    assert columns["p_combined"].ucd == "stat.probability"
    assert "not calibrated" in columns["p_combined"].description
    hidden = {layout.columns[index].name for index in layout.giving_class_away}
    assert hidden >= {*NAMES, "agent_p_yes", "vsx_type"}
    report = export(session, tmp_path / "blind.csv", which="all", without_agent=True)
    assert not set(NAMES) & set(report.columns)


# What services said, in every format of a catalogue.
GAIA, SIMBAD = all_services()["gaia"], all_services()["simbad"]
AT = "2026-11-26T10:00:00+00:00"
BIG = 4_611_686_018_427_387_905
"""A source number that no float holds."""


@pytest.fixture
def asked(file_location):
    with listed(file_location, [{"ra": 10.0, "dec": 41.0}, {}, {}, {}]) as made:
        reply = Exchange(url="https://example.org", asked_at=AT, content=b"x")
        star = {"bp_rp": 0.5, "source_id": BIG, "parallax": 2, "parallax_error": 0.25}
        save(made, 1, GAIA, answer_of([Match(values=star, separation_arcsec=0.5)]), reply, HERE)
        save(made, 2, GAIA, answer_of([]), reply, HERE)
        save(made, 3, GAIA, failed("busy"), reply, HERE)
        simbad = answer_of([Match(values={"type": "CV*"}, separation_arcsec=0.1)])
        save(made, 1, SIMBAD, simbad, reply, HERE)
        yield made


@pytest.mark.parametrize("suffix", FORMATS)
def test_values_state_and_source_come_back(asked, tmp_path, suffix):
    found = there_and_back(asked, tmp_path, suffix)
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


def test_columns_have_unit_ucd_description_and_the_header_the_release(asked, tmp_path):
    export(asked, tmp_path / "out.vot", which="all")
    field = parse_single_table(tmp_path / "out.vot").get_field_by_id_or_name("gaia_bp_rp")
    assert str(field.unit) == "mag" and field.ucd == "phot.color;em.opt.B;em.opt.R"
    assert field.description == "BP - RP (Gaia DR3)"
    export(asked, tmp_path / "out.fits", which="all")
    header = fits.getheader(tmp_path / "out.fits", 1)
    assert (header["SERV1"], header["SERVN1"]) == ("gaia DR3", 2)
    assert header["SERV2"] == "simbad"


def test_a_catalogue_in_a_file_keeps_its_units(asked, tmp_path):
    (tmp_path / "mine.csv").write_text("ra,dec,mag,star\n10.0,41.0,11.5,a\n")
    match_local(asked, tmp_path / "mine.csv", "mine", 2.0)
    found = there_and_back(asked, tmp_path, "csv")
    assert found["mine_mag"][0] == "11.5" and found["mine_star"][0] == "a"
    assert found["mine_state"][0] == "found"


def test_blind_mode_hides_the_columns_of_services_that_know_the_class(asked):
    with asked.database.reading() as connection:
        layout = read_layout(connection)
    hidden = {layout.columns[index].name for index in layout.giving_class_away}
    assert {"simbad_type", "simbad_state", "agent_verdict"} <= hidden
    assert not {name for name in hidden if name.startswith("gaia")} and "verdict" not in hidden


# Sub-classes and own fields in catalogues of every format, with UCD and description.
FIELDS = (
    OwnField(name="quality", kind="choice", choices=("good", "poor"), title="Quality"),
    OwnField(name="ebv", kind="number", unit="mag"),
    OwnField(name="binary", kind="tick"),
    OwnField(name="row", kind="text"),  # the name of a column that every catalogue has
)
FINER = ("subclass", "subclass_path", "quality", "ebv", "binary", "field_row")


def accepted(subclass="", **values):
    return Opinion(verdict=Verdict.ACCEPT, subclass=subclass, fields=field_values(values))


@pytest.fixture
def two(file_location):
    """1: both, DN of two kinds. 2: Ada alone. 3: nobody."""
    columns = [{"name": "subclass", "type": "str", "unit": "", "description": "", "ucd": ""}]
    rows = [{"own": {"subclass": "A1V"}} for _ in range(3)]
    with listed(file_location, rows, columns, reviewer="Ben") as ben:
        ben.record_verdict(1, accepted("DN/WZ Sge", quality="good", ebv=0.5))
    with open_session(file_location, "Ada") as session:
        set_own_fields(session, FIELDS)
        session.record_verdict(1, accepted("DN/DN outburst", quality="poor", ebv=0.5, binary=True))
        session.record_verdict(2, accepted("NL", row="=1+1"))
        yield session


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format(two, file_location, suffix):
    out = file_location.with_suffix(f".{suffix}")
    report = export(two, out, which="all")
    assert report.columns == (*CONTRACT, *FINER, "subclass_list")
    if suffix == "csv":
        found = read_csv(out)
        assert found["subclass"] == ["DN", "NL", ""]
        assert found["ebv"] == ["0.5", "", ""]
        assert found["field_row"] == ["", "=1+1", ""]
        beside = json.loads(report.metadata.read_text())["tableSchema"]["columns"]
        about = next(each for each in beside if each["name"] == "ebv")
        assert about["schema:unit"] == "mag"
        assert about["dc:description"] == "ebv, filled in by the reviewer"
        return
    found = read_back(out)
    assert found["subclass"][:2] == ["DN", "NL"]
    assert found["subclass_path"][0] == "DN"  # as far as both agree
    assert found["quality"][0] in ("", None)  # they differ
    assert found["ebv"][0] == 0.5
    assert [bool(each) for each in found["binary"][:2]] == [True, False]


def test_one_persons_catalogue_and_what_columns_mean(two, file_location):
    export(two, file_location.with_suffix(".csv"), which="all", reviewer="Ada")
    found = read_csv(file_location.with_suffix(".csv"))
    assert found["subclass_path"] == ["DN/DN outburst", "NL", ""]
    assert found["quality"] == ["poor", "", ""]
    out = file_location.with_suffix(".vot")
    export(two, out, which="all")
    table = Table.read(out, format="votable")
    said = {name: (table[name].meta.get("ucd"), table[name].description) for name in FINER}
    assert said["subclass"][0] == "meta.code.class"
    assert said["ebv"][0] == "stat.value"
    assert said["quality"] == ("meta.code", "Quality, filled in by the reviewer: good, poor")
    with fits.open(export(two, file_location.with_suffix(".fits"), which="all").path) as opened:
        assert {*FINER} <= {each.lower() for each in opened[1].columns.names}


def test_a_session_without_any_of_these_has_none_of_the_columns(file_location):
    """Neither sub-classes and fields nor services, models and measured lines."""
    with listed(file_location, [{}]) as session:
        session.record_verdict(1, ACCEPT)
        report = export(session, file_location.with_suffix(".csv"), which="all")
    assert report.columns == tuple(CONTRACT)


# What every model said, and what people measured, in every format.
LINE_COLUMNS = ("ew_{}", "ew_err_{}", "fwhm_kms_{}", "centroid_{}", "measured_by_{}")


def plain(cells, kind=str):
    return [None if cell in ("", None) else kind(cell) for cell in cells]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_model_has_its_columns(file_location, tmp_path, suffix):
    with listed(file_location, [{}, {}, {}]) as session:
        add_inspection(session, 1, said("YES", 0.75, NANO, number=1))
        add_inspection(session, 2, said("NO", 0.25, NANO, number=2))
        add_inspection(session, 1, said("NO", 0.125, MEASURED, number=1))
        add_inspection(session, 3, said(None, None, OTHER, number=3))
        found = there_and_back(session, tmp_path, suffix)
    names = [*found][len(CONTRACT) :]
    assert names == [
        *("agent_measured_verdict", "agent_measured_p_yes", "agent_measured_model"),
        *("agent_nano_verdict", "agent_nano_p_yes", "agent_nano_model"),
        *("agent_nano_2_verdict", "agent_nano_2_p_yes", "agent_nano_2_model"),
    ]
    assert plain(found["agent_nano_verdict"]) == ["YES", "NO", None]
    assert plain(found["agent_nano_p_yes"], float) == [0.75, 0.25, None]
    nano = f"nano {'a' * 12}"
    assert plain(found["agent_nano_model"]) == [nano, nano, None]
    assert plain(found["agent_measured_verdict"]) == ["NO", None, None]
    assert plain(found["agent_nano_2_model"]) == [None, None, f"nano {'b' * 12}"]


def test_names_of_models_become_valid_ones_and_are_few(file_location, tmp_path):
    hostile = ["a/b c", "a.b-c", "变星", "=cmd()", *(f"m{n:02d}" for n in range(12))]
    with listed(file_location, [{"own": {"agent_m00_verdict": "x"}}]) as session:
        for name in hostile:
            add_inspection(session, 1, said(model=ModelRef(name=name, sha256="cc")))
        found = there_and_back(session, tmp_path, "csv")
    verdicts = [name for name in found if name.startswith("agent_") and name.endswith("_verdict")]
    assert len(verdicts) == 1 + MAX_MODELS
    assert verdicts[1:] == [
        *("agent_cmd_verdict", "agent_a_b_c_verdict", "agent_a_b_c_2_verdict"),
        *(f"agent_m{n:02d}_verdict" for n in range(5)),
    ]
    assert found["agent_m00_verdict_list"] == ["x"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_measured_lines(file_location, tmp_path, suffix):
    with listed(file_location, [{}, {}]) as session:
        record_measurement(session, 1, replace(HALPHA, ew=-99.0))
        record_measurement(session, 1, HALPHA)
        record_measurement(session, 2, BARE)
        gone = record_measurement(session, 2, replace(HALPHA, line="gone"))
        withdraw_measurement(session, gone.id)
        found = there_and_back(session, tmp_path, suffix)
    lines = [*found][len(CONTRACT) :]
    names = ("He_II_4686", "Halpha")
    assert lines == [each.format(name) for name in names for each in LINE_COLUMNS]
    assert plain(found["ew_Halpha"], float) == [-15.5, None]
    assert plain(found["ew_err_Halpha"], float) == [0.5, None]
    assert plain(found["fwhm_kms_Halpha"], float) == [354.0, None]
    assert plain(found["centroid_Halpha"], float) == [6564.9, None]
    assert plain(found["ew_He_II_4686"], float) == [None, 2.0]
    assert plain(found["ew_err_He_II_4686"]) == [None, None]
    assert plain(found["measured_by_Halpha"]) == ["Ada", None]


def test_the_last_of_each_reviewer(file_location, tmp_path):
    with listed(file_location, [{}]) as session:
        record_measurement(session, 1, replace(HALPHA, ew=1.0))
        record_measurement(session, 1, replace(HALPHA, ew=2.0))
    with open_session(file_location, "Ben") as ben:
        record_measurement(ben, 1, replace(HALPHA, ew=3.0))
        found = there_and_back(ben, tmp_path, "ecsv")
        assert (found["ew_Halpha"], found["measured_by_Halpha"]) == ([3.0], ["Ben"])
        assert there_and_back(ben, tmp_path, "ecsv", reviewer="Ada")["ew_Halpha"] == [2.0]
