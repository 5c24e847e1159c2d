"""Keys are changed by pressing them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.settings_dialog.keys_page import _NAME

Key = Qt.Key


LEFT = Qt.MouseButton.LeftButton


def row(dialog, name):
    return next(each for each in dialog.keys._rows() if each.data(0, _NAME) == name)


def pick(dialog, name):
    dialog.open_page(dialog.keys)
    dialog.keys.table.setCurrentItem(row(dialog, name))


def test_a_key_is_given_by_pressing_it(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    assert QApplication.focusWidget() is dialog.keys.catcher
    QTest.keyClick(dialog.keys.catcher, Key.Key_J)
    assert dialog.keymap.keys("accept") == ("J",)
    assert row(dialog, "accept").text(1) == "J"
    assert row(dialog, "accept").font(1).bold()
    QTest.mouseClick(dialog.keys.add_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.keymap.keys("accept") == ("J", "Ctrl+Return")
    QTest.mouseClick(dialog.keys.reset_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)


def test_a_taken_key_is_refused_in_words(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_X)
    assert dialog.keymap.keys("accept") == ("A",)
    assert dialog.keys.message.isVisible()
    assert "Reject" in dialog.keys.message.text()


def test_escape_leaves_a_key_as_it_is(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Escape)
    assert dialog.isVisible()
    assert not dialog.keys.catcher.isVisible()
    assert dialog.keymap.keys("accept") == ("A",)


def test_going_elsewhere_leaves_a_key_as_it_is(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    dialog.keys.query.setFocus()
    assert not dialog.keys.catcher.isVisible()


def test_keys_can_be_taken_away_and_all_brought_back(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.clear_button, LEFT)
    assert dialog.keymap.keys("accept") == ()
    QTest.mouseClick(dialog.keys.reset_all_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)


def test_escape_itself_is_not_to_be_changed(dialog):
    pick(dialog, "escape")
    assert not dialog.keys.change_button.isEnabled()


def test_a_profile_is_chosen(dialog, choose):
    choose(dialog.keys.profile, "candyjar")
    assert dialog.keymap.action("D") == "next"
    assert row(dialog, "accept").text(1) == "I"


def test_actions_are_found(dialog):
    dialog.open_page(dialog.keys)
    QTest.keyClicks(dialog.keys.query, "smoothing")
    seen = [each.text(0) for each in dialog.keys._rows() if not each.isHidden()]
    assert seen == ["No smoothing"]
    dialog.keys.query.clear()
    assert not any(each.isHidden() for each in dialog.keys._rows())
