"""Keys that judge, navigate and open things, pressed on the whole window."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.steps import give_opinion
from tests.app.ui.whole_window import CTRL, PLAIN, SHIFT

Key = Qt.Key


def test_keys_judge_and_take_back(person):
    for key, verdict in [("a", "ACCEPT"), ("x", "REJECT"), ("u", "UNSURE")]:
        person.start_over()
        person.session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
        person.press(key, sees=3)
        assert person.verdicts() == {1: verdict, 2: "REJECT"}
        person.press(key.upper(), SHIFT)
        person.press(key.upper(), SHIFT)
        assert person.number == 3 and person.verdicts() == {1: verdict, 2: "REJECT", 3: verdict}
        assert [entry.candidate_id for entry in person.log()] == [2, 1, 3]
        assert all(entry.seconds is not None and entry.seconds >= 0 for entry in person.log()[1:])
    person.start_over()  # Confidence goes with the verdict to come
    for number, digit in enumerate("43210", 1):
        person.press(digit)
        person.press("a", sees=number + 1)
    given = [person.opinion(number) for number in range(1, 6)]
    assert [each.confidence for each in given] == [4, 3, 2, 1, 0]
    person.press("b", sees=5)
    person.press("4")  # of the verdict that is there
    assert person.opinion(5) == Opinion(verdict=Verdict.ACCEPT, confidence=4)
    for key in [Key.Key_Return, Key.Key_Enter]:
        person.start_over()  # Enter takes the agents proposal
        give_opinion(person.session, 1, "YES", 0.9)
        give_opinion(person.session, 2, "NO", 0.2)
        person.press(key, sees=2)
        person.press(key, sees=3)
        person.press(key)
        assert "no proposal" in person.view.status.message.full_text
        assert person.verdicts() == {1: "ACCEPT", 2: "REJECT"}
    person.start_over()  # Undo and redo have no limit
    for number, key in enumerate("axuax", 1):
        person.press(key, sees=number + 1)
    for number in (5, 4):
        person.press("z", CTRL, sees=number)
    for number in (3, 2, 1):
        person.press(Key.Key_Backspace, sees=number)
    assert person.verdicts() == {}
    person.press("z", CTRL)
    assert "Nothing to undo" in person.view.status.message.full_text
    for number in (1, 2, 3):
        person.press("z", CTRL | SHIFT, sees=number)
    for number in (4, 5):
        person.press("y", CTRL, sees=number)
    assert list(person.verdicts().values()) == ["ACCEPT", "REJECT", "UNSURE", "ACCEPT", "REJECT"]
    assert [entry.action for entry in person.log()] == ["set"] * 5 + ["undo"] * 5 + ["redo"] * 5


def test_keys_lead_through_the_list(person):
    for forth, back in [(Key.Key_N, Key.Key_B), (Key.Key_Right, Key.Key_Left)]:
        person.start_over()
        person.press(forth, sees=2)
        person.press(forth, sees=3)
        person.press(back, sees=2)
        assert person.log() == []
    person.start_over()  # Slash finds an object
    name = person.session.candidate(7).object_id
    person.press("/")
    assert isinstance(person.target, QLineEdit)
    person.type(name)
    person.press(Key.Key_Return, sees=7)
    person.press("a", sees=8)
    assert person.verdicts() == {7: "ACCEPT"}
    person.start_over()  # The filter is one key away
    person.press("f", CTRL)
    person.type("id>4")
    person.press(Key.Key_Return)
    person.wait(lambda: person.view.judging.docks["queue"].part.model.rowCount() == 8)
    person.press(Key.Key_Escape)
    person.press("a", sees=5)
    assert person.verdicts() == {1: "ACCEPT"}


def test_words_flags_and_what_opens_over_the_page(person):
    person.press("c")
    person.type("a broad line, x? u!")
    person.press(Key.Key_Escape)
    assert person.target is person.plot.plot
    assert person.opinion(1) == Opinion(comment="a broad line, x? u!")
    person.press("a", sees=2)
    assert person.opinion(1) == Opinion(verdict=Verdict.ACCEPT, comment="a broad line, x? u!")
    person.start_over()  # Flags by letter and the star
    person.press("g")
    assert QApplication.activePopupWidget() is not None
    person.press("s")
    assert QApplication.activePopupWidget() is None
    person.press("*")
    assert set(person.opinion(1).flags) == {"sky", "star"}
    person.press("g")
    person.press("s")
    person.press("*")
    assert person.opinion(1).flags == () and person.number == 1
    person.start_over()  # The keys are shown and put away
    person.press("?")
    assert person.window.keys.overlay.isVisible()
    person.press("a")
    assert not person.window.keys.overlay.isVisible() and person.log() == []
    person.press("a", sees=2)
    person.start_over()  # Commands are found by their words
    person.press("k", CTRL)
    person.type("no smoo")
    person.plot_view.change(smoothing=3)
    person.press(Key.Key_Return)
    assert person.options.smoothing == 0 and person.target is person.plot.plot
    assert person.log() == []
    person.start_over()  # Settings and export open beside the judging
    person.press(",", CTRL)
    assert person.window.settings_dialog.isVisible()
    person.window.settings_dialog.close()
    person.press("e", CTRL)
    assert person.view.dialogs.export.isVisible()
    person.view.dialogs.export.close()
    person.start_over()  # Full screen and back
    person.press(Key.Key_F11)
    assert person.window.isFullScreen()
    person.press(Key.Key_F11)
    assert not person.window.isFullScreen()
    person.start_over()  # Quitting is one key
    person.press("q", CTRL)
    assert not person.window.isVisible() and person.window.view is None


def test_lists_and_sessions_are_opened_by_key(person, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    other = sample_file(tmp_path / "other")
    asked = []
    monkeypatch.setattr("app.ui.start.opening.choose_session", lambda _: other)
    monkeypatch.setattr("app.ui.start.opening.choose_lists", lambda _: asked.append("list"))
    person.press("n", CTRL)
    assert asked == ["list"]
    former = person.view
    person.press("o", CTRL)
    person.wait(lambda: person.window.view is not None and person.view is not former)
    assert person.session.location == other
    person.sees(1)
    person.press("w", CTRL)
    assert person.window.view is None and person.window.opening.welcome.isVisible()


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
