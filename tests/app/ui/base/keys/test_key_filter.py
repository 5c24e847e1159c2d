"""Real key events: where keys run actions, where they type text, and what holding one does."""

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtGui import QInputMethodQueryEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMenu, QWidget

from app.ui.base.actions.actions import COMMITTING
from app.ui.base.keys.key_filter import ANYWHERE, WAIT_MS
from app.ui.base.keys.text_focus import OWN_KEYS
from tests.app.ui.base.keys.conftest import ALT, CTRL, NONE, SHIFT, Key, focus, press, send
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


def test_a_held_verdict_is_given_once(window):
    for name in sorted(COMMITTING):
        window.ran.clear()
        window.keymap.rebind(name, ["Ctrl+J"])
        for repeat in (False, True, True, True):
            send(QEvent.Type.KeyPress, Key.Key_J, "", repeat, CTRL)
        assert window.ran == [name]
        window.keymap.reset(name)


def test_only_what_repeats_repeats_and_a_held_key_lasts_until_it_is_let_go(window):
    for repeat in (False, True, True):
        send(QEvent.Type.KeyPress, Key.Key_N, "n", repeat)
        send(QEvent.Type.KeyPress, Key.Key_L, "l", repeat)
    assert window.ran == ["next", "lines", "next", "next"]
    window.ran.clear()
    window.ended.clear()
    send(QEvent.Type.KeyPress, Key.Key_Z, "z")
    send(QEvent.Type.KeyRelease, Key.Key_Z, "z", repeat=True)
    send(QEvent.Type.KeyPress, Key.Key_Z, "z", repeat=True)
    assert (window.ran, window.ended) == (["peek"], [])
    window.line.setFocus()
    send(QEvent.Type.KeyRelease, Key.Key_Z, "z")
    assert (window.ran, window.ended) == (["peek"], ["peek"]) and window.line.text() == ""


def on_x11(window, *events):
    """An X server reports a repeat as a release and a press with the same time stamp."""
    window.filter._misses_repeats = True
    for kind, moment in events:
        event = QKeyEvent(kind, Key.Key_X, NONE, "x")
        event.setTimestamp(moment)
        QCoreApplication.sendEvent(QApplication.focusWidget(), event)


PRESS, RELEASE = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


def test_a_repeat_that_qt_has_missed_is_one_and_two_quick_presses_are_two(window):
    held = [(kind, moment) for moment in range(600, 1000, 40) for kind in (RELEASE, PRESS)]
    on_x11(window, (PRESS, 100), *held, (RELEASE, 1010))
    assert window.ran == ["reject"]
    window.ran.clear()
    on_x11(window, (PRESS, 100), (RELEASE, 105), (PRESS, 110), (RELEASE, 115))
    assert window.ran == ["reject", "reject"]


def test_peeking_does_not_flicker_where_repeats_are_missed(qtbot, window):
    window.keymap.rebind("reject", ["K"])
    window.keymap.rebind("peek", ["X"])
    held = [(kind, moment) for moment in range(600, 1000, 40) for kind in (RELEASE, PRESS)]
    on_x11(window, (PRESS, 100), *held)
    later = QTimer(window, singleShot=True, interval=2 * WAIT_MS)
    with qtbot.waitSignal(later.timeout):
        later.start()
    assert (window.ran, window.ended) == (["peek"], [])
    on_x11(window, (RELEASE, 1010))
    qtbot.waitUntil(lambda: window.ended == ["peek"])


def test_a_held_key_ends_when_the_window_is_left(qtbot, window):
    send(QEvent.Type.KeyPress, Key.Key_Z, "z")
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: window.ended == ["peek"])


def test_a_held_key_ends_when_a_dialog_opens(qtbot, window):
    send(QEvent.Type.KeyPress, Key.Key_Z, "z")
    dialog = QDialog(window)
    qtbot.addWidget(dialog)
    dialog.open()
    assert window.ended == ["peek"]
