"""What is entered on a page is in the settings at once."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest


def test_your_name(dialog):
    dialog.reviewer.name.setFocus()
    QTest.keyClicks(dialog.reviewer.name, "  Ada   Lovelace ")
    QTest.keyClick(dialog.reviewer.name, Qt.Key.Key_Tab)
    assert dialog.settings.settings.reviewer == "Ada Lovelace"


def test_blind_and_nearby(dialog):
    dialog.reviewer.blind.setChecked(True)
    dialog.reviewer.radius.setValue(7.5)
    assert dialog.settings.settings.blind
    assert dialog.settings.settings.neighbour_arcsec == 7.5


def test_looks(dialog, choose):
    dialog.open_page(dialog.appearance)
    choose(dialog.appearance.theme, "lamost")
    choose(dialog.appearance.font_size, 14)
    choose(dialog.appearance.language, "zh")
    now = dialog.settings.settings
    assert (now.theme, now.font_pt, now.language) == ("lamost", 14, "zh")


def test_what_is_being_written_is_left_alone(dialog):
    dialog.reviewer.name.setFocus()
    QTest.keyClicks(dialog.reviewer.name, "Ad")
    dialog.settings.change(theme="dark")
    assert dialog.reviewer.name.text() == "Ad"


def test_comments_are_lines(dialog):
    dialog.open_page(dialog.files)
    dialog.files.comments.setPlainText("Broad Hα\n\n  宽   线 \nBroad Hα\n")
    assert dialog.settings.settings.comments == ("Broad Hα", "宽 线")
