"""Every action is in a menu with its key, and does the same from there."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.actions.actions import ACTIONS
from tests.app.ui.whole_window import CTRL, LEFT, before_window


def entries(person):
    """The entries of the opened menus, by action."""
    found = {}
    for each in person.window.menuBar().actions():
        each.menu().aboutToShow.emit()
        found |= {entry.data(): entry for entry in each.menu().actions() if entry.data()}
    return found


def test_without_a_session_there_is_little_to_do(qtbot):
    with before_window(qtbot, None) as person:
        enabled = {name for name, each in entries(person).items() if each.isEnabled()}
    assert enabled >= {"open_list", "open_session", "settings", "keys", "quit", "palette"}
    assert not enabled & {"accept", "next", "run_agent", "export", "history_page"}


def test_every_action_is_in_a_menu_and_does_what_its_key_does(person):
    titles = [each.text() for each in person.window.menuBar().actions()]
    assert titles == ["File", "Edit", "List", "Spectrum", "Agent", "View", "Help"]
    person.start_over()
    found = entries(person)
    assert set(found) == {name for name in ACTIONS if not name.startswith("window_")}
    assert found["accept"].text() == "Accept\tA" and found["report"].text() == "Write a report"
    person.window.keymap.rebind("accept", ["K"])
    assert entries(person)["accept"].text() == "Accept\tK"
    person.window.keymap.reset_all()
    person.start_over()
    entries(person)["accept"].trigger()
    person.sees(2)
    assert person.verdicts() == {1: "ACCEPT"}
    entries(person)["undo"].trigger()
    person.sees(1)
    assert person.verdicts() == {}
    person.start_over()
    person.press("3", CTRL)
    found = entries(person)
    assert not found["accept"].isEnabled() and not found["undo"].isEnabled()
    assert found["judging_page"].isEnabled()
    person.press("4", CTRL)
    assert entries(person)["undo"].isEnabled()
    person.start_over()
    found = entries(person)
    assert found["lines"].isChecked() and not found["rest_axis"].isChecked()
    assert not found["accept"].isCheckable()
    assert not found["axis_nm"].isChecked() and not found["velocity_axis"].isChecked()
    found["axis_nm"].trigger()
    found["velocity_axis"].trigger()
    found = entries(person)
    assert found["axis_nm"].isChecked() and found["velocity_axis"].isChecked()
    found["lines"].trigger()
    assert not person.options.lines and not entries(person)["lines"].isChecked()
    found["blind"].trigger()
    assert person.current.blind_mode.is_on and entries(person)["blind"].isChecked()


def test_esc_leaves_the_menus_and_a_recent_session_is_opened(person):
    bar = person.window.menuBar()

    def is_open():
        return QApplication.activePopupWidget() is not None

    def closes_and_judges(number):
        person.press(Qt.Key.Key_Escape)
        person.wait(lambda: not is_open() and not bar.hasFocus())
        person.press("X", sees=number)

    person.press(Qt.Key.Key_Alt)
    person.press(Qt.Key.Key_Down)
    assert is_open()
    person.press(Qt.Key.Key_Right)
    person.wait(lambda: bar.activeAction().text() == "Edit" and is_open())
    closes_and_judges(2)
    QTest.mouseClick(bar, LEFT, pos=bar.actionGeometry(bar.actions()[2]).center())
    assert is_open()
    closes_and_judges(3)
    person.press(Qt.Key.Key_Alt)
    closes_and_judges(4)
    assert person.verdicts() == dict.fromkeys((1, 2, 3), "REJECT")
    entries(person)
    (recent,) = person.window.menu_row._recent.actions()
    before = person.view
    recent.trigger()
    person.wait(lambda: person.window.view not in (None, before))


def test_esc_in_a_menu_of_the_welcome_page_leaves_it(qtbot):
    with before_window(qtbot, None) as person:
        bar = person.window.menuBar()
        QTest.mouseClick(bar, LEFT, pos=bar.actionGeometry(bar.actions()[0]).center())
        person.press(Qt.Key.Key_Escape)
        person.wait(lambda: QApplication.activePopupWidget() is None and not bar.hasFocus())
