"""The rows of information about an object, with its label hidden in blind mode."""

from __future__ import annotations

from app.core.session.finer_values import field_values
from app.core.session.own_fields import OwnField
from app.core.session.records import Opinion, Verdict
from app.ui.information.information import CandidateFacts, sections
from tests.app.ui.information.facts import LAMOST_HEADER, candidate, rows, spectrum


def test_the_lists_own_columns_are_not_told_twice():
    own = {"mag_r": 15.5, "z": 0.5, "note": " two\nlines ", "empty": None}
    known = CandidateFacts(
        candidate=candidate(own=own, score=0.91), spectrum=spectrum(**LAMOST_HEADER)
    )
    listed = rows(known, "list")
    assert listed == {"object": "J0801", "score": "0.91", "mag_r": "15.5", "note": "two lines"}
    assert rows(known, "catalogue")["z"] == "0.0003"


def test_before_the_file_is_there_the_list_tells():
    known = CandidateFacts(candidate=candidate(ra=1.5, dec=-2.0, own={"class": "STAR"}))
    assert rows(known, "catalogue") == {
        "object_id": "J0801",
        "ra": "1.5",
        "dec": "-2",
        "class": "STAR",
    }


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
    assert set(values) == {""}
    assert rows(known, "catalogue")["class"] == "STAR"


def test_blind_mode_hides_the_column_of_the_label_in_the_header_too():
    known = CandidateFacts(
        candidate=candidate(label=""),
        spectrum=spectrum(**LAMOST_HEADER),
        label_column="SubClass",
        hides=True,
    )
    assert rows(known, "catalogue")["subclass"] == ""
    assert rows(known, "catalogue")["class"] == "STAR"


def test_a_strangers_header_is_bounded():
    meta = {f"KEY{number}": "x" * 5000 for number in range(2000)}
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum("", **meta))
    header = rows(known, "header")
    assert len(header) == 600
    assert max(map(len, header.values())) == 2000


def test_what_the_person_said_beyond_the_verdict():
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
        "sub-class": "DN › WZ Sge",
        "E(B-V)": "0.25",
        "gone": "text",
        "seen": "yes",
    }
