"""Keys are changed by pressing them."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.program.settings_dialog.keys_page import _NAME

Key = Qt.Key


LEFT = Qt.MouseButton.LeftButton


def row(dialog, name):
    return next(each for each in dialog.keys._rows() if each.data(0, _NAME) == name)


def pick(dialog, name):
    dialog.open_page(dialog.keys)
    dialog.keys.table.setCurrentItem(row(dialog, name))


def test_a_key_is_given_taken_away_and_brought_back(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    assert QApplication.focusWidget() is dialog.keys.catcher
    QTest.keyClick(dialog.keys.catcher, Key.Key_J)
    assert dialog.keymap.keys("accept") == ("J",) and row(dialog, "accept").text(1) == "J"
    assert row(dialog, "accept").font(1).bold()
    QTest.mouseClick(dialog.keys.add_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.keymap.keys("accept") == ("J", "Ctrl+Return")
    QTest.mouseClick(dialog.keys.reset_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.clear_button, LEFT)
    assert dialog.keymap.keys("accept") == ()
    QTest.mouseClick(dialog.keys.reset_all_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)


def test_a_taken_key_escape_and_going_elsewhere_leave_a_key_as_it_is(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_X)
    assert dialog.keymap.keys("accept") == ("A",) and dialog.keys.message.isVisible()
    assert "Reject" in dialog.keys.message.text()
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Escape)
    assert dialog.isVisible() and not dialog.keys.catcher.isVisible()
    assert dialog.keymap.keys("accept") == ("A",)
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    dialog.keys.query.setFocus()
    assert not dialog.keys.catcher.isVisible()
    pick(dialog, "escape")
    assert not dialog.keys.change_button.isEnabled()


def test_actions_are_found_and_a_profile_is_chosen(dialog, choose):
    dialog.open_page(dialog.keys)
    QTest.keyClicks(dialog.keys.query, "smoothing")
    seen = [each.text(0) for each in dialog.keys._rows() if not each.isHidden()]
    assert seen == ["No smoothing"]
    dialog.keys.query.clear()
    assert not any(each.isHidden() for each in dialog.keys._rows())
    choose(dialog.keys.profile, "candyjar")
    assert dialog.keymap.action("D") == "next" and row(dialog, "accept").text(1) == "I"
