"""What is known of an object: the survey's own names, in the order of its catalogue."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.ui.information.information import CandidateFacts, sections
from app.ui.information.information_panel import InformationPanel
from tests.app.ui.steps import put_on_desk, shown_in

LAMOST_HEADER = {
    "SUBCLASS": "CV",
    "Z": 0.0003,
    "SNRZ": 12.5,
    "SNRU": 3.25,
    "DEC": 44.5,
    "RA": 120.25,
    "FIBERID": 31,
    "SPID": 3,
    "PLANID": "EG01",
    "LMJD": 58397,
    "DATE-OBS": "2018-10-05",
    "DESIG": "LAMOST J080100.00+443000.0",
    "OBSID": 677503031,
    "CLASS": "STAR",
    "SEEING": 2.9,
}


def spectrum(survey="LAMOST", **meta):
    wavelength = np.linspace(4000.0, 8000.0, 20)
    return Spectrum(wavelength=wavelength, flux=np.ones(20), survey=survey, meta=meta)


def candidate(**fields):
    given = {"id": 1, "list_id": 1, "line": 1, "object_id": "J0801", "path": "/a/b.fits", **fields}
    return Candidate(**given)


def rows(known, name):
    found = {section.name: section.rows for section in sections(known)}
    return {row.name: row.value for row in found.get(name, ())}


def test_lamost_in_the_order_of_its_catalogue():
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum(**LAMOST_HEADER))
    catalogue = rows(known, "catalogue")
    assert list(catalogue) == [
        *("obsid", "designation", "obsdate", "lmjd", "planid", "spid", "fiberid", "ra", "dec"),
        *("snru", "snrz", "class", "subclass", "z"),
    ]
    assert catalogue["obsid"] == "677503031"
    assert catalogue["snru"] == "3.25"
    assert rows(known, "header") == {"SEEING": "2.9"}


def test_the_lists_own_columns_are_not_told_twice():
    own = {"mag_r": 15.5, "z": 0.5, "note": " two\nlines ", "empty": None}
    known = CandidateFacts(
        candidate=candidate(own=own, score=0.91), spectrum=spectrum(**LAMOST_HEADER)
    )
    listed = rows(known, "list")
    assert listed == {"object": "J0801", "score": "0.91", "mag_r": "15.5", "note": "two lines"}
    assert rows(known, "catalogue")["z"] == "0.0003"


@pytest.mark.parametrize(
    "survey, first", [("SDSS", "plate"), ("DESI", "targetid"), ("LAMOST-MRS", "obsid")]
)
def test_every_survey_has_its_own(survey, first):
    meta = {"PLATEID": 266, "TARGETID": 39633345008634465, "OBSID": 5}
    known = CandidateFacts(candidate=candidate(), spectrum=spectrum(survey, **meta))
    assert next(iter(rows(known, "catalogue"))) == first


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


@pytest.fixture
def panel(qtbot, context):
    return shown_in(qtbot, InformationPanel(context), 290, 400)


def texts(panel):
    model = panel.model
    return {row.name: model.value_of(number) for number, row in enumerate(model.rows)}


def test_the_panel_follows_the_desk(qtbot, panel, context, session):
    assert panel.empty.isVisible()
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(2).object_id)
    assert not panel.empty.isVisible()
    put_on_desk(qtbot, context, 3)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(3).object_id)


def test_the_header_unfolds(qtbot, panel, context):
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: "header" in panel._headings.values())
    row = max(panel._headings)
    assert "VERSPIPE" not in texts(panel)
    panel.view.scrollToBottom()
    place = panel.view.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert "VERSPIPE" in texts(panel)


def test_the_label_is_hidden_in_blind_mode_and_back_after_the_verdict(
    qtbot, panel, context, session
):
    context.current.blind_mode.set_on(True)
    put_on_desk(qtbot, context, 2)
    label = session.candidate(2).label
    assert label
    qtbot.waitUntil(lambda: texts(panel).get("subclass") == "hidden: blind mode")
    assert label not in texts(panel).values()
    session.record_verdict(2, context.current.opinion.__class__(verdict="REJECT"))
    qtbot.waitUntil(lambda: texts(panel).get("subclass") == label)


def test_values_can_be_copied(qtbot, panel, context, session):
    put_on_desk(qtbot, context, 2)
    qtbot.waitUntil(lambda: "designation" in texts(panel))
    panel._open_menu(QPoint(5, 5))
    value, everything = panel.menu.actions()
    value.trigger()
    assert QGuiApplication.clipboard().text() == panel.model.value_of(0)
    everything.trigger()
    assert f"designation\t{session.candidate(2).object_id}" in QGuiApplication.clipboard().text()
    panel.menu.close()


def test_it_folds_away(qtbot, panel, context):
    put_on_desk(qtbot, context, 2)
    qtbot.mouseClick(panel.card.heading, Qt.MouseButton.LeftButton)
    assert not panel.view.isVisible()
    qtbot.mouseClick(panel.card.heading, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.view.isVisible)
