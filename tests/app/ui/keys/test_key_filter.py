"""Real key events: where keys run actions, and where they type text or belong to others."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QInputMethodQueryEvent, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMenu

from app.ui.keys.key_filter import ANYWHERE
from app.ui.keys.text_focus import OWN_KEYS
from tests.app.ui.keys.key_presses import (
    ALT,
    CTRL,
    FIELDS,
    OTHERS,
    SHIFT,
    Key,
    focus,
    press,
    send,
    window,
)

__all__ = ["window"]


@pytest.mark.parametrize("name", OTHERS)
def test_keys_work_wherever_else_the_focus_is(window, name):
    widget = focus(window, name)
    row, value, box = window.table.currentRow(), window.slider.value(), window.box.currentText()
    for key in (Key.Key_X, Key.Key_K, Key.Key_Right, Key.Key_Down, Key.Key_Space, Key.Key_Return):
        press(window, key)
    assert window.ran == ["reject", "next", "zoom_out", "step", "take_proposal"]
    assert QApplication.focusWidget() is widget
    after = (window.table.currentRow(), window.slider.value(), window.box.currentText())
    assert after == (row, value, box)
    assert not window.tick.isChecked()


@pytest.mark.parametrize("name", FIELDS)
def test_typing_never_judges(window, name):
    focus(window, name)
    for key in (Key.Key_A, Key.Key_X, Key.Key_4, Key.Key_Space, Key.Key_Slash, Key.Key_Question):
        press(window, key)
    press(window, Key.Key_A, SHIFT)
    for key in (Key.Key_Backspace, Key.Key_Left, Key.Key_Up, Key.Key_Return):
        press(window, key)
    press(window, Key.Key_Right, SHIFT)
    for key in (Key.Key_Z, Key.Key_C, Key.Key_V, Key.Key_X, Key.Key_A, Key.Key_Y):
        press(window, key, CTRL)
    assert window.ran == []


def test_a_field_gets_what_is_typed(window):
    focus(window, "line")
    for key in (Key.Key_A, Key.Key_X, Key.Key_4):
        press(window, key)
    assert window.line.text() == "ax4"
    press(window, Key.Key_Z, CTRL)
    assert window.line.text() != "ax4"


@pytest.mark.parametrize("name", FIELDS)
def test_escape_gives_the_plot_back(window, name):
    focus(window, name)
    press(window, Key.Key_Escape)
    assert QApplication.focusWidget() is window.plot
    assert window.ran == []  # the first Esc only leaves the field, so the agent is not stopped
    press(window, Key.Key_Escape)
    assert window.ran == ["escape"]


@pytest.mark.parametrize("name", OTHERS)
def test_escape_gives_the_plot_back_from_elsewhere(window, name):
    focus(window, name)
    press(window, Key.Key_Escape)
    assert QApplication.focusWidget() is window.plot
    assert window.ran == ["escape"]


@pytest.mark.parametrize("name", FIELDS)
def test_other_control_keys_work_in_a_field(window, name):
    focus(window, name)
    press(window, Key.Key_K, CTRL)
    press(window, Key.Key_E, CTRL)
    press(window, Key.Key_F1)
    assert window.ran == ["palette", "export", "help"]


def test_alt_graph_writes(window):
    field = focus(window, "line")
    send(QEvent.Type.KeyPress, Key.Key_BracketLeft, "[", modifiers=CTRL | ALT)
    assert (field.text(), window.ran) == ("[", [])


def test_a_field_without_the_focus_is_no_less_one(window):
    QTest.keyClicks(window.line, "axu")
    assert (window.line.text(), window.ran) == ("axu", [])


def test_nothing_happens_behind_a_dialog(qtbot, window):
    dialog = QDialog(window)
    qtbot.addWidget(dialog)
    dialog.open()
    press(window, Key.Key_X)
    QTest.keyClick(dialog, Key.Key_X)
    QTest.keyClick(window.plot, Key.Key_X)
    assert window.ran == []
    dialog.close()
    press(window, Key.Key_X)
    assert window.ran == ["reject"]


def test_a_menu_has_its_letters(qtbot, window):
    menu = QMenu(window)
    chosen = []
    menu.addAction("&Xray").triggered.connect(lambda: chosen.append("x"))
    menu.popup(window.mapToGlobal(window.rect().center()))
    qtbot.waitUntil(menu.isVisible)
    QTest.keyClick(menu, Key.Key_X)
    assert (window.ran, chosen) == ([], ["x"])


def test_an_open_list_has_its_letters(qtbot, window):
    window.box.showPopup()
    view = window.box.view()
    qtbot.waitUntil(view.isVisible)
    QTest.keyClick(view, Key.Key_X)
    assert window.ran == []
    window.box.hidePopup()


def test_other_windows_keep_their_keys(qtbot, window):
    other = QLineEdit()
    child = QDialog(window)
    for each in (other, child):
        qtbot.addWidget(each)
        each.show()
        each.activateWindow()
        qtbot.waitUntil(each.isActiveWindow)
        QTest.keyClick(each, Key.Key_A)
        QTest.keyClick(each.windowHandle(), Key.Key_X)
    assert (window.ran, other.text()) == ([], "ax")


def test_a_part_may_take_its_keys_itself(window):
    window.button.setProperty(OWN_KEYS, True)
    focus(window, "button")
    press(window, Key.Key_X)
    press(window, Key.Key_Escape)
    assert window.ran == []


def test_a_page_without_a_spectrum_does_not_judge(window):
    window.allowed = set(ANYWHERE)
    focus(window, "table")
    press(window, Key.Key_A)
    press(window, Key.Key_Down)
    press(window, Key.Key_E, CTRL)
    assert window.ran == ["export"]
    assert window.table.currentRow() == 1  # the table handled the arrow


def test_a_menu_with_the_same_shortcut_does_not_do_it_twice(qtbot, window):
    done = []
    shortcut = QShortcut(QKeySequence("Ctrl+E"), window)
    shortcut.activated.connect(lambda: done.append("shortcut"))
    press(window, Key.Key_E, CTRL)
    QTest.keyClick(window.plot, Key.Key_E, CTRL)
    assert (window.ran, done) == (["export", "export"], [])


def test_a_selected_text_is_copied(window):
    focus(window, "read_only")
    window.read_only.selectAll()
    press(window, Key.Key_C, CTRL)
    assert window.ran == []
    assert QApplication.clipboard().text() == "what the agent said"
    window.read_only.moveCursor(window.read_only.textCursor().MoveOperation.End)
    press(window, Key.Key_C, CTRL)
    assert window.ran == ["copy_range"]


def test_input_methods_are_for_fields_alone(window):
    window.table.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
    for widget, expected in ((window.line, True), (window.table, False), (window.plot, False)):
        query = QInputMethodQueryEvent(Qt.InputMethodQuery.ImEnabled)
        QCoreApplication.sendEvent(widget, query)
        assert bool(query.value(Qt.InputMethodQuery.ImEnabled)) is expected


def test_rebound_keys_work_at_once(window):
    window.keymap.rebind("accept", ["J"])
    press(window, Key.Key_J)
    press(window, Key.Key_A)
    assert window.ran == ["accept"]


def test_closed_it_is_silent(window):
    window.stop_keys()
    press(window, Key.Key_X)
    assert window.ran == []
