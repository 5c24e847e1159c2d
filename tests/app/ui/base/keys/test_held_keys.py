"""What holding a key does, also where Qt misses that it is held."""

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.ui.base.actions.actions import COMMITTING
from app.ui.base.keys.key_filter import WAIT_MS
from tests.app.ui.base.keys.conftest import CTRL, NONE, Key, send


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
