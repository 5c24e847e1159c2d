"""Real key events: where keys run actions, where they type text, and what holding one does."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtGui import QInputMethodQueryEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMenu, QWidget

from app.ui.actions.actions import ACTIONS, COMMITTING
from app.ui.keys.key_filter import ANYWHERE, WAIT_MS
from app.ui.keys.text_focus import OWN_KEYS
from tests.app.ui.keys.key_window import KeyWindow

Key = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier
FIELDS = ("line", "text", "number", "editable")
OTHERS = ("plot", "button", "table", "slider", "box", "tick", "read_only")


@pytest.fixture
def window(qtbot):
    window = KeyWindow()
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.plot.setFocus()
    yield window
    window.stop_keys()


def focus(window, name):
    widget = getattr(window, name)
    widget.setFocus()
    assert QApplication.focusWidget() is widget
    return widget


def press(window, key, modifiers=NONE):
    """Press a key as the window system does: the window passes it to the focused widget."""
    QTest.keyClick(window.windowHandle(), key, modifiers)


def send(kind, key, text="", repeat=False, modifiers=NONE):
    event = QKeyEvent(kind, key, modifiers, text, repeat)
    QCoreApplication.sendEvent(QApplication.focusWidget(), event)


KEYS = [
    (Key.Key_A, NONE, "accept"),
    (Key.Key_A, SHIFT, "accept_stay"),
    (Key.Key_X, NONE, "reject"),
    (Key.Key_X, SHIFT, "reject_stay"),
    (Key.Key_U, NONE, "unsure"),
    (Key.Key_U, SHIFT, "unsure_stay"),
    (Key.Key_4, NONE, "confidence_4"),
    (Key.Key_0, NONE, "confidence_0"),
    (Key.Key_2, KEYPAD, "confidence_2"),
    (Key.Key_Return, NONE, "take_proposal"),
    (Key.Key_Enter, KEYPAD, "take_proposal"),
    (Key.Key_Z, CTRL, "undo"),
    (Key.Key_Backspace, NONE, "undo"),
    (Key.Key_Z, CTRL | SHIFT, "redo"),
    (Key.Key_Y, CTRL, "redo"),
    (Key.Key_N, NONE, "next"),
    (Key.Key_Right, NONE, "next"),
    (Key.Key_B, NONE, "previous"),
    (Key.Key_Left, NONE, "previous"),
    (Key.Key_Slash, NONE, "find"),
    (Key.Key_Q, NONE, "queue"),
    (Key.Key_I, NONE, "measure"),
    (Key.Key_F, CTRL, "filter"),
    (Key.Key_Period, NONE, "next_window"),
    (Key.Key_Comma, NONE, "previous_window"),
    (Key.Key_F2, NONE, "window_1"),
    (Key.Key_W, NONE, "whole"),
    (Key.Key_R, NONE, "reset"),
    (Key.Key_Y, NONE, "autoscale"),
    (Key.Key_Plus, SHIFT, "zoom_in"),
    (Key.Key_Equal, NONE, "zoom_in"),
    (Key.Key_Plus, KEYPAD, "zoom_in"),
    (Key.Key_Minus, NONE, "zoom_out"),
    (Key.Key_BracketLeft, NONE, "pan_left"),
    (Key.Key_BracketRight, NONE, "pan_right"),
    (Key.Key_Z, NONE, "peek"),
    (Key.Key_L, NONE, "lines"),
    (Key.Key_L, SHIFT, "labels"),
    (Key.Key_S, NONE, "smooth_more"),
    (Key.Key_D, NONE, "smooth_less"),
    (Key.Key_S, SHIFT, "smooth_off"),
    (Key.Key_E, NONE, "errors"),
    (Key.Key_M, NONE, "mask"),
    (Key.Key_T, NONE, "template"),
    (Key.Key_F, NONE, "rest_axis"),
    (Key.Key_Right, SHIFT, "rv_up"),
    (Key.Key_Left, SHIFT, "rv_down"),
    (Key.Key_Right, SHIFT | ALT, "rv_up_fine"),
    (Key.Key_Left, SHIFT | ALT, "rv_down_fine"),
    (Key.Key_C, NONE, "comment"),
    (Key.Key_G, NONE, "flags"),
    (Key.Key_Asterisk, SHIFT, "star"),
    (Key.Key_Asterisk, KEYPAD, "star"),
    (Key.Key_V, NONE, "run_agent"),
    (Key.Key_P, NONE, "pause_agent"),
    (Key.Key_Space, NONE, "step"),
    (Key.Key_V, SHIFT, "reveal"),
    (Key.Key_R, CTRL, "run_queue"),
    (Key.Key_Escape, NONE, "escape"),
    (Key.Key_Question, SHIFT, "keys"),
    (Key.Key_F1, NONE, "help"),
    (Key.Key_K, CTRL, "palette"),
    (Key.Key_F11, NONE, "full_screen"),
    (Key.Key_H, NONE, "panels"),
    (Key.Key_Comma, CTRL, "settings"),
    (Key.Key_1, CTRL, "judging_page"),
]


@pytest.mark.parametrize(("key", "modifiers", "action"), KEYS)
def test_every_key_of_the_table(window, key, modifiers, action):
    press(window, key, modifiers)
    assert window.ran == [action]


def test_the_table_above_is_the_whole_default_map():
    tested = {action for *_, action in KEYS}
    by_number = {f"window_{number}" for number in range(2, 10)}
    by_number |= {f"confidence_{number}" for number in (1, 3)}
    files = {name for name, each in ACTIONS.items() if each.group == "Files and pages"}
    keyed = {name for name, each in ACTIONS.items() if each.keys}
    assert keyed - tested - by_number - files == set()


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


@pytest.mark.parametrize("name", sorted(COMMITTING))
def test_a_held_verdict_is_given_once(window, name):
    window.keymap.rebind(name, ["Ctrl+J"])
    for repeat in (False, True, True, True):
        send(QEvent.Type.KeyPress, Key.Key_J, "", repeat, CTRL)
    assert window.ran == [name]


def test_only_what_repeats_repeats(window):
    for repeat in (False, True, True):
        send(QEvent.Type.KeyPress, Key.Key_N, "n", repeat)
        send(QEvent.Type.KeyPress, Key.Key_L, "l", repeat)
    assert window.ran == ["next", "lines", "next", "next"]


def test_a_held_key_lasts_until_it_is_let_go(window):
    send(QEvent.Type.KeyPress, Key.Key_Z, "z")
    send(QEvent.Type.KeyRelease, Key.Key_Z, "z", repeat=True)
    send(QEvent.Type.KeyPress, Key.Key_Z, "z", repeat=True)
    assert (window.ran, window.ended) == (["peek"], [])
    window.line.setFocus()
    send(QEvent.Type.KeyRelease, Key.Key_Z, "z")
    assert (window.ran, window.ended) == (["peek"], ["peek"])
    assert window.line.text() == ""


def on_x11(window, *events):
    """An X server reports a repeat as a release and a press with the same time stamp."""
    window.filter._misses_repeats = True
    for kind, moment in events:
        event = QKeyEvent(kind, Key.Key_X, NONE, "x")
        event.setTimestamp(moment)
        QCoreApplication.sendEvent(QApplication.focusWidget(), event)


PRESS, RELEASE = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


def test_a_repeat_that_qt_has_missed_is_none_the_less_one(window):
    held = [(kind, moment) for moment in range(600, 1000, 40) for kind in (RELEASE, PRESS)]
    on_x11(window, (PRESS, 100), *held, (RELEASE, 1010))
    assert window.ran == ["reject"]


def test_two_quick_presses_are_two(window):
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
