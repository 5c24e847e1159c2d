"""Previews of several lists and of a folder."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.ui.importing.page_user import cell, run_import, show


def test_several_lists(qtbot, page, sample_list, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("object_id,ra,dec\nstar,1.5,2.5\n")
    show(qtbot, page, sample_list, other)
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert page.list.tabs.count() == 2
    assert page.list.shown.text() == "the first 20 shown" and page.list.shown.isVisible()
    rect = page.list.tabs.tabRect(1)
    qtbot.mouseClick(page.list.tabs, Qt.MouseButton.LeftButton, pos=rect.center())
    assert page.list.name.text() == "other.csv"
    assert cell(page, 0, 0) == "star"
    assert not page.list.shown.isVisible()
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "61"


def test_a_folder_of_spectra(qtbot, page, sample_list):
    folder = sample_list.parent / "spectra"
    show(qtbot, page, folder)
    assert not page.list.roles.boxes["path"].isEnabled()
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "60"
    assert (folder.parent / "spectra.speco3").exists()
