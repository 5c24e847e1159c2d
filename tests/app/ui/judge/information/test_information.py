"""The rows of information about an object, with its label hidden in blind mode."""

from dataclasses import replace

from app.core.session.own_fields import OwnField
from app.core.session.records import Opinion, Verdict
from app.core.session.subclass_and_fields import field_values
from app.ui.judge.information.information_panel import CandidateFacts, sections
from tests.app.ui.judge.information.conftest import LAMOST_HEADER, candidate, rows, spectrum


def test_the_list_tells_what_the_file_does_not():
    own = {"mag_r": 15.5, "z": 0.5, "note": " two\nlines ", "empty": None}
    facts = {"candidate": candidate(own=own, score=0.91), "spectrum": spectrum(**LAMOST_HEADER)}
    listed = rows("list", **facts)
    assert listed == {"object": "J0801", "score": "0.91", "mag_r": "15.5", "note": "two lines"}
    assert rows("catalogue", **facts)["z"] == "0.0003"
    found = rows("catalogue", candidate=candidate(ra=1.5, dec=-2.0, own={"class": "STAR"}))
    assert found == {"object_id": "J0801", "ra": "1.5", "dec": "-2", "class": "STAR"}


def test_blind_mode_hides_the_label_and_whatever_says_the_same():
    facts = {"spectrum": spectrum(**LAMOST_HEADER), "hides": True}
    here = candidate(label="cv", own={"spectype": "CV", "note": "CV?"})
    known = CandidateFacts(candidate=here, label_column="known_as", **facts)
    hidden = [row for section in sections(known).values() for row in section if row.is_hidden]
    assert {row.name for row in hidden} == {"subclass", "known_as", "spectype"}
    assert {row.value for row in hidden} == {""}
    shown = rows("catalogue", candidate=here, label_column="known_as", **facts)
    assert shown["class"] == "STAR"
    shown = rows("catalogue", candidate=candidate(label=""), label_column="SubClass", **facts)
    assert shown["subclass"] == "" and shown["class"] == "STAR"


def test_headers_are_bounded_and_what_the_person_said_is_told():
    meta = {f"KEY{number}": "x" * 5000 for number in range(2000)}
    header = rows("header", spectrum=spectrum("", **meta))
    assert len(header) == 600 and max(map(len, header.values())) == 2000
    said = Opinion(
        verdict=Verdict.ACCEPT,
        subclass="DN/WZ Sge",
        fields=field_values({"ebv": 0.25, "seen": True, "gone": "text"}),
    )
    fields = (
        OwnField(name="ebv", kind="number", title="E(B-V)"),
        OwnField(name="seen", kind="tick"),
    )
    assert rows("opinion", opinion=said, fields=fields) == {
        "sub-class": "DN › WZ Sge", "E(B-V)": "0.25", "gone": "text", "seen": "yes",
    }  # fmt: skip


def test_catalogues_have_their_own_order_and_places():
    catalogue = rows("catalogue", spectrum=spectrum(**LAMOST_HEADER))
    assert list(catalogue) == [
        *("obsid", "designation", "obsdate", "lmjd", "planid", "spid", "fiberid", "ra", "dec"),
        *("snru", "snrz", "class", "subclass", "z"),
    ]
    assert catalogue["obsid"] == "677503031" and catalogue["snru"] == "3.25"
    assert rows("header", spectrum=spectrum(**LAMOST_HEADER)) == {"SEEING": "2.9"}
    meta = {"PLATEID": 266, "TARGETID": 39633345008634465, "OBSID": 5}
    for survey, first in [("SDSS", "plate"), ("DESI", "targetid"), ("LAMOST-MRS", "obsid")]:
        assert next(iter(rows("catalogue", spectrum=spectrum(survey, **meta)))) == first
    plate = {"PLATEID": 266, "RA": 145.89, "DEC": 0.06}
    read = replace(spectrum("SDSS", **plate), ra=147.32, dec=-0.0066)
    catalogue = rows("catalogue", spectrum=read)
    assert (catalogue["ra"], catalogue["dec"]) == ("147.32", "-0.0066")
    plugged = spectrum("SDSS", **plate, PLUG_RA=147.5, PLUG_DEC=-1.5)
    catalogue = rows("catalogue", spectrum=plugged)
    assert (catalogue["ra"], catalogue["dec"]) == ("147.5", "-1.5")
    assert "ra" not in rows("catalogue", spectrum=spectrum("SDSS", **plate))
