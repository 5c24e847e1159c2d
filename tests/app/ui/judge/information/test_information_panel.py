"""The information panel follows the current candidate; its label is hidden in blind mode."""

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from app.core.session.own_fields import OwnField
from app.core.session.records import Opinion, Verdict
from app.core.session.subclass_and_fields import field_values
from app.ui.judge.information.information_panel import CandidateFacts, sections
from tests.app.ui.judge.information.conftest import (
    LAMOST_HEADER,
    candidate,
    rows,
    shown,
    spectrum,
    texts,
)
from tests.app.ui.steps import click, show_painted


def test_the_panel_follows_folds_and_unfolds(qtbot, panel, context, session):
    assert panel.empty.isVisible()
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(2).object_id)
    assert not panel.empty.isVisible()
    show_painted(qtbot, context, 3)
    qtbot.waitUntil(lambda: texts(panel).get("designation") == session.candidate(3).object_id)
    show_painted(qtbot, context, 2)
    click(qtbot, panel.card.heading)
    assert not panel.view.isVisible()
    click(qtbot, panel.card.heading)
    qtbot.waitUntil(panel.view.isVisible)
    qtbot.waitUntil(lambda: "header" in panel._headings.values())
    row = max(panel._headings)
    assert "VERSPIPE" not in texts(panel)
    panel.view.scrollToBottom()
    position = panel.view.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert "VERSPIPE" in texts(panel)


def test_the_label_is_hidden_in_blind_mode_and_back_after_the_verdict(
    qtbot, panel, context, session
):
    context.current.blind_mode.set_on(True)
    show_painted(qtbot, context, 2)
    label = session.candidate(2).label
    assert label
    qtbot.waitUntil(lambda: texts(panel).get("subclass") == "hidden: blind mode")
    assert label not in texts(panel).values()
    session.record_verdict(2, context.current.opinion.__class__(verdict="REJECT"))
    qtbot.waitUntil(lambda: texts(panel).get("subclass") == label)


def test_values_can_be_copied(qtbot, panel, context, session):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: "designation" in texts(panel))
    panel._open_menu(QPoint(5, 5))
    value, everything = panel.menu.actions()
    value.trigger()
    assert QGuiApplication.clipboard().text() == panel.model.value_of(0)
    everything.trigger()
    assert f"designation\t{session.candidate(2).object_id}" in QGuiApplication.clipboard().text()
    panel.menu.close()


def test_empty_states_have_words(qtbot, nearby, context):
    assert "No object selected" in nearby.message.text()
    show_painted(qtbot, context, 3)
    qtbot.waitUntil(lambda: "within 3 arcsec" in nearby.message.text())
    show_painted(qtbot, context, 11)
    qtbot.waitUntil(lambda: "no position" in nearby.message.text())
    assert not nearby.table.isVisible()


def test_the_nearest_come_first_with_verdicts_and_clicks(qtbot, nearby, context, session):
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    name = session.candidate(2).object_id
    assert shown(nearby) == [
        ['1.0"', session.candidate(5).object_id, "2018-10-05", "–"],
        ['2.0"', session.candidate(8).object_id, "2017-09-04", "✕ rejected"],
        ["–", f"= {name}", "", "–"],
    ]
    assert not nearby.table.isColumnHidden(2)
    session.record_verdict(5, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: shown(nearby)[0][3] == "✓ accepted")
    position = nearby.table.visualRect(nearby.model.index(1, 1)).center()
    qtbot.mouseClick(nearby.table.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert context.current.candidate.id == 8
    show_painted(qtbot, context, 2)
    qtbot.waitUntil(lambda: len(shown(nearby)) == 3)
    qtbot.waitUntil(lambda: not nearby._delay.isActive())
    context.settings.change(language="zh")
    assert not nearby._delay.isActive()
    context.settings.change(neighbour_arcsec=1.5)
    assert nearby._delay.isActive()
    qtbot.waitUntil(lambda: len(shown(nearby)) == 2)


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
