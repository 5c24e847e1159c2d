"""The menu of a row in the queue."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.ui.judge.queue.table_parts import sexagesimal


def opened(panel, row):
    """The entries of the menu that a right click on this row opens."""
    index = panel.model.index(row, 0)
    panel.table.customContextMenuRequested.emit(panel.table.visualRect(index).center())
    entries = {each.text(): each for each in panel.row_menu.menu.actions() if each.text()}
    panel.row_menu.menu.close()
    return entries


def test_the_menu_of_a_row_copies_opens_and_goes(wide, context, monkeypatch, qtbot):
    wide.row_menu.menu.clear()
    wide.table.customContextMenuRequested.emit(QPoint(5, 5000))
    assert wide.row_menu.menu.isEmpty()
    candidate = wide.model.blocks.row(1).candidate
    entries = opened(wide, 1)
    entries["Copy the name"].trigger()
    assert QGuiApplication.clipboard().text() == candidate.object_id
    entries["Copy RA Dec in degrees"].trigger()
    ra, dec = map(float, QGuiApplication.clipboard().text().split())
    assert (ra, dec) == pytest.approx((candidate.ra, candidate.dec), abs=1e-6)
    entries["Copy RA Dec in hours and degrees"].trigger()
    assert QGuiApplication.clipboard().text() == sexagesimal(candidate.ra, candidate.dec)
    seen = []
    monkeypatch.setattr(QDesktopServices, "openUrl", staticmethod(lambda url: seen.append(url)))
    opened(wide, 1)["Open the folder of its file"].trigger()
    assert seen[0].isLocalFile()
    opened(wide, 2)["Go to this object"].trigger()
    qtbot.waitUntil(lambda: context.current.candidate.id == 3)
    for ra, dec, text in [
        (187.705931, 12.391123, "12:30:49.42 +12:23:28.0"),
        (359.9999999, -0.00001, "00:00:00.00 -00:00:00.0"),
        (0.0, -89.9999999, "00:00:00.00 -90:00:00.0"),
        (15.0, 5.5, "01:00:00.00 +05:30:00.0"),
    ]:
        assert sexagesimal(ra, dec) == text
