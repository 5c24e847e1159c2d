"""The rows of information about an object, with its label hidden in blind mode."""

from __future__ import annotations

from dataclasses import replace

from app.core.session.own_fields import OwnField
from app.core.session.records import Opinion, Verdict
from app.core.session.subclass_and_fields import field_values
from app.ui.judge.information.information import CandidateFacts, sections
from tests.app.ui.judge.information.conftest import LAMOST_HEADER, candidate, rows, spectrum


def test_the_list_tells_what_the_file_does_not():
    own = {"mag_r": 15.5, "z": 0.5, "note": " two\nlines ", "empty": None}
    known = CandidateFacts(
        candidate=candidate(own=own, score=0.91), spectrum=spectrum(**LAMOST_HEADER)
    )
    listed = rows(known, "list")
    assert listed == {"object": "J0801", "score": "0.91", "mag_r": "15.5", "note": "two lines"}
    assert rows(known, "catalogue")["z"] == "0.0003"
    known = CandidateFacts(candidate=candidate(ra=1.5, dec=-2.0, own={"class": "STAR"}))
    assert rows(known, "catalogue") == {
        "object_id": "J0801", "ra": "1.5", "dec": "-2", "class": "STAR",
    }  # fmt: skip


def test_blind_mode_hides_the_label_and_whatever_says_the_same():
    known = CandidateFacts(
        candidate=candidate(label="cv", own={"spectype": "CV", "note": "CV?"}),
        spectrum=spectrum(**LAMOST_HEADER),
        label_column="known_as",
        hides=True,
    )
    hidden = {row.name for section in sections(known) for row in section.rows if row.is_hidden}
    assert hidden == {"subclass", "known_as", "spectype"}
    values = [row.value for section in sections(known) for row in section.rows if row.is_hidden]
    assert set(values) == {""} and rows(known, "catalogue")["class"] == "STAR"
    known = replace(known, candidate=candidate(label=""), label_column="SubClass")
    assert rows(known, "catalogue")["subclass"] == ""
    assert rows(known, "catalogue")["class"] == "STAR"


def test_headers_are_bounded_and_what_the_person_said_is_told():
    meta = {f"KEY{number}": "x" * 5000 for number in range(2000)}
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum("", **meta))
    header = rows(known, "header")
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
    known = CandidateFacts(candidate=candidate(), opinion=said, fields=fields)
    assert rows(known, "opinion") == {
        "sub-class": "DN › WZ Sge", "E(B-V)": "0.25", "gone": "text", "seen": "yes",
    }  # fmt: skip


def test_catalogues_have_their_own_order_and_places():
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum(**LAMOST_HEADER))
    catalogue = rows(known, "catalogue")
    assert list(catalogue) == [
        *("obsid", "designation", "obsdate", "lmjd", "planid", "spid", "fiberid", "ra", "dec"),
        *("snru", "snrz", "class", "subclass", "z"),
    ]
    assert catalogue["obsid"] == "677503031" and catalogue["snru"] == "3.25"
    assert rows(known, "header") == {"SEEING": "2.9"}
    for survey, first in [("SDSS", "plate"), ("DESI", "targetid"), ("LAMOST-MRS", "obsid")]:
        meta = {"PLATEID": 266, "TARGETID": 39633345008634465, "OBSID": 5}
        known = CandidateFacts(candidate=candidate(), spectrum=spectrum(survey, **meta))
        assert next(iter(rows(known, "catalogue"))) == first
    plate = {"PLATEID": 266, "RA": 145.89, "DEC": 0.06}
    read = replace(spectrum("SDSS", **plate), ra=147.32, dec=-0.0066)
    catalogue = rows(CandidateFacts(candidate=candidate(), spectrum=read), "catalogue")
    assert (catalogue["ra"], catalogue["dec"]) == ("147.32", "-0.0066")
    plugged = spectrum("SDSS", **plate, PLUG_RA=147.5, PLUG_DEC=-1.5)
    catalogue = rows(CandidateFacts(candidate=candidate(), spectrum=plugged), "catalogue")
    assert (catalogue["ra"], catalogue["dec"]) == ("147.5", "-1.5")
    unknown = CandidateFacts(candidate=candidate(), spectrum=spectrum("SDSS", **plate))
    assert "ra" not in rows(unknown, "catalogue")
