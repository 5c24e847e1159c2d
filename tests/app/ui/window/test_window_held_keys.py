"""A key that is held judges once, on the whole window."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.inspections.store import add_inspection
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.whole_window import CTRL, PLAIN, SHIFT

Key = Qt.Key


def repeat(person, key, text, held=PLAIN, times=25):
    """Send auto-repeated key events, as the window system does for a held key."""
    for _ in range(times):
        for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):
            QApplication.sendEvent(person.target, QKeyEvent(kind, key, held, text, True))
        QApplication.processEvents()


def test_held_keys_judge_undo_and_move_once(person):
    for number in (1, 2, 3):
        person.press("a", sees=number + 1)
    QTest.keyPress(person.target, Key.Key_Z, CTRL)
    repeat(person, Key.Key_Z, "\x1a", CTRL)
    QTest.keyRelease(person.target, Key.Key_Z, CTRL)
    assert set(person.verdicts()) == {1, 2}
    person.start_over()  # A held next key moves on
    QTest.keyPress(person.target, Key.Key_N)
    repeat(person, Key.Key_N, "n", times=5)
    QTest.keyRelease(person.target, Key.Key_N)
    assert person.number > 2 and person.log() == []
    for key, text, held in [
        (Key.Key_A, "a", PLAIN),
        (Key.Key_X, "x", PLAIN),
        (Key.Key_U, "u", PLAIN),
        (Key.Key_A, "A", SHIFT),
        (Key.Key_Return, "\r", PLAIN),
    ]:
        person.start_over()  # A held verdict judges once
        for number in range(1, 6):
            add_inspection(person.session, number, record())
        person.current.go_to(1)
        person.sees(1)
        QTest.keyPress(person.target, key, held)
        repeat(person, key, text, held)
        person.wait(lambda: person.current.is_painted)
        repeat(person, key, text, held)
        QTest.keyRelease(person.target, key, held)
        assert len(person.log()) == 1
        person.go(5)
        QTest.keyClick(person.target, key, held)
        assert set(person.verdicts()) == {1, 5}


def test_enter_on_a_row_goes_there_and_takes_no_proposal(person):
    for number in range(1, 8):
        add_inspection(person.session, number, record())
    table = person.view.judging.docks["queue"].part.table
    table.setFocus(Qt.FocusReason.TabFocusReason)
    person.wait(table.hasFocus)
    options = person.options
    for _ in range(3):
        person.press(Key.Key_Down)
    QTest.keyPress(person.target, Key.Key_Return)
    repeat(person, Key.Key_Return, "\r")
    person.sees(4)
    repeat(person, Key.Key_Return, "\r")
    QTest.keyRelease(person.target, Key.Key_Return)
    person.press(Key.Key_Up)
    person.press(Key.Key_Enter, sees=3)
    assert person.verdicts() == {}
    assert person.plot_view.window is None and person.options == options
    person.press("a", sees=4)
    assert person.verdicts() == {3: "ACCEPT"}
    person.press(Key.Key_Escape)
    person.press(Key.Key_Return, sees=5)
    assert person.verdicts() == {3: "ACCEPT", 4: "ACCEPT"}
