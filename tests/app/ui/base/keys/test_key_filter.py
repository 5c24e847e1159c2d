"""Real key events: where keys run actions, and where they type text or belong to others."""

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QInputMethodQueryEvent, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMenu

from app.ui.base.keys.key_filter import ANYWHERE
from app.ui.base.keys.text_focus import OWN_KEYS
from tests.app.ui.base.keys.conftest import ALT, CTRL, SHIFT, Key, focus, press, send
from tests.app.ui.base.keys.key_window import FIELDS, OTHERS
from tests.app.ui.steps import activated


def test_keys_work_wherever_else_the_focus_is(window):
    for name in OTHERS:
        window.ran.clear()
        widget = focus(window, name)
        row, value, box = window.table.currentRow(), window.slider.value(), window.box.currentText()
        for key in (
            Key.Key_X, Key.Key_K, Key.Key_Right, Key.Key_Down, Key.Key_Space, Key.Key_Return
        ):  # fmt: skip
            press(window, key)
        assert window.ran == ["reject", "next", "zoom_out", "step", "take_proposal"]
        assert QApplication.focusWidget() is widget
        after = (window.table.currentRow(), window.slider.value(), window.box.currentText())
        assert after == (row, value, box) and not window.tick.isChecked()
    for name in OTHERS:
        window.ran.clear()
        focus(window, name)
        press(window, Key.Key_Escape)
        assert QApplication.focusWidget() is window.plot and window.ran == ["escape"]


def test_typing_in_a_field_never_judges_and_escape_gives_the_plot_back(window):
    for name in FIELDS:
        window.ran.clear()
        focus(window, name)
        for key in (
            Key.Key_A, Key.Key_X, Key.Key_4, Key.Key_Space, Key.Key_Slash, Key.Key_Question
        ):  # fmt: skip
            press(window, key)
        press(window, Key.Key_A, SHIFT)
        for key in (Key.Key_Backspace, Key.Key_Left, Key.Key_Up, Key.Key_Return):
            press(window, key)
        press(window, Key.Key_Right, SHIFT)
        for key in (Key.Key_Z, Key.Key_C, Key.Key_V, Key.Key_X, Key.Key_A, Key.Key_Y):
            press(window, key, CTRL)
        assert window.ran == []
    for name in FIELDS:
        window.ran.clear()
        focus(window, name)
        press(window, Key.Key_Escape)
        assert QApplication.focusWidget() is window.plot
        assert window.ran == []  # the first Esc only leaves the field, so the agent is not stopped
        press(window, Key.Key_Escape)
        assert window.ran == ["escape"]
    for name in FIELDS:
        window.ran.clear()
        focus(window, name)
        press(window, Key.Key_K, CTRL)
        press(window, Key.Key_E, CTRL)
        press(window, Key.Key_F1)
        assert window.ran == ["palette", "export", "help"]


def test_a_field_gets_what_is_typed(window):
    focus(window, "line")
    for key in (Key.Key_A, Key.Key_X, Key.Key_4):
        press(window, key)
    assert window.line.text() == "ax4"
    press(window, Key.Key_Z, CTRL)
    assert window.line.text() != "ax4"
    window.line.clear()
    field = focus(window, "line")
    send(QEvent.Type.KeyPress, Key.Key_BracketLeft, "[", modifiers=CTRL | ALT)
    assert (field.text(), window.ran) == ("[", [])
    window.line.clear()
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


def test_menus_and_lists_have_their_letters(qtbot, window):
    menu = QMenu(window)
    chosen = []
    menu.addAction("&Xray").triggered.connect(lambda: chosen.append("x"))
    menu.popup(window.mapToGlobal(window.rect().center()))
    qtbot.waitUntil(menu.isVisible)
    QTest.keyClick(menu, Key.Key_X)
    assert (window.ran, chosen) == ([], ["x"])
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
        activated(qtbot, each)
        QTest.keyClick(each, Key.Key_A)
        QTest.keyClick(each.windowHandle(), Key.Key_X)
    assert (window.ran, other.text()) == ([], "ax")


def test_parts_pages_and_shortcuts_with_keys_of_their_own(window, qtbot):
    window.button.setProperty(OWN_KEYS, True)
    focus(window, "button")
    press(window, Key.Key_X)
    press(window, Key.Key_Escape)
    assert window.ran == []
    focus(window, "plot")
    done = []
    shortcut = QShortcut(QKeySequence("Ctrl+E"), window)
    shortcut.activated.connect(lambda: done.append("shortcut"))
    press(window, Key.Key_E, CTRL)
    QTest.keyClick(window.plot, Key.Key_E, CTRL)
    assert (window.ran, done) == (["export", "export"], [])
    window.ran.clear()
    focus(window, "read_only")
    window.read_only.selectAll()
    press(window, Key.Key_C, CTRL)
    assert window.ran == [] and QApplication.clipboard().text() == "what the agent said"
    window.read_only.moveCursor(window.read_only.textCursor().MoveOperation.End)
    press(window, Key.Key_C, CTRL)
    assert window.ran == ["copy_range"]
    window.ran.clear()
    window.table.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
    for widget, expected in ((window.line, True), (window.table, False), (window.plot, False)):
        query = QInputMethodQueryEvent(Qt.InputMethodQuery.ImEnabled)
        QCoreApplication.sendEvent(widget, query)
        assert bool(query.value(Qt.InputMethodQuery.ImEnabled)) is expected
    window.ran.clear()
    window.allowed = set(ANYWHERE)
    focus(window, "table")
    press(window, Key.Key_A)
    press(window, Key.Key_Down)
    press(window, Key.Key_E, CTRL)
    assert window.ran == ["export"]
    assert window.table.currentRow() == 1  # the table handled the arrow


def test_rebound_keys_work_at_once_and_closed_it_is_silent(window):
    window.keymap.rebind("accept", ["J"])
    press(window, Key.Key_J)
    press(window, Key.Key_A)
    assert window.ran == ["accept"]
    window.ran.clear()
    window.stop_keys()
    press(window, Key.Key_X)
    assert window.ran == []
