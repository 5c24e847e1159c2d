"""Typing in a text field never judges; Escape gives the keys back to the plot."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenuBar,
    QWidget,
)

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.ui.base.keys.text_focus import accepts_text
from app.ui.judge.agent import agent_panel
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.steps import press_tool
from tests.app.ui.whole_window import CTRL, before_window

Key = Qt.Key
EVERY_JUDGING_KEY = "axuAXU43210nb*g"
FIELDS = {
    "Comment", "Find an object", "Filter the list", "From, Å", "To, Å", "Radial velocity, km/s",
    "Redshift", "Factor on the template's flux", "Remark for the agent", "Custom flag"
}  # fmt: skip


def fields(window: QWidget) -> list[QWidget]:
    """All text fields that accept input when this is shown."""
    found = [each for each in window.findChildren(QWidget) if accepts_text(each)]
    inner = {each.lineEdit() for each in found if isinstance(each, QAbstractSpinBox | QComboBox)}
    found = [each for each in found if each not in inner and each.isEnabled()]
    return [each for each in found if each.isVisibleTo(window)]


def test_typing_never_judges_and_escape_returns_to_the_plot(
    qtbot, place, scripted_window, monkeypatch
):
    monkeypatch.setattr(agent_panel, "reads_remarks", lambda name: True)
    with before_window(qtbot, place) as person:
        show_candidate(qtbot, person.view.context, 1, "endless")
        person.press("v")  # only then there is a field for remarks
        person.wait(person.view.judging.docks["agent"].part.takeover.remark.isVisible)
        person.press("g")
        person.press("o")
        person.wait(lambda: isinstance(person.target, QLineEdit))
        tried = {person.target.accessibleName()}
        write_in(person, person.target)
        for field in fields(person.window):
            write_in(person, field)
            tried.add(field.accessibleName())
        tools, queue = person.view.judging.tools, person.view.judging.docks["queue"].part
        for name, popover in tools.popovers.items():
            for field in fields(popover):
                press_tool(person.qtbot, tools, name)
                write_in(person, field)
                tried.add(field.accessibleName())
        for field in fields(queue):
            person.press("q")
            write_in(person, field)
            tried.add(field.accessibleName())
        assert tried == FIELDS
        person.press("k", CTRL)
        write_in(person, person.window.keys.palette.query)


def write_in(person, field):
    view, window = person.options, person.plot_view.window
    field.setFocus(Qt.FocusReason.MouseFocusReason)
    person.wait(field.hasFocus)
    QTest.keyClicks(field, EVERY_JUDGING_KEY)
    QTest.keyClick(field, Key.Key_Backspace)
    assert field.text() != ""
    if QApplication.activePopupWidget() is not None:  # what could be meant
        QTest.keyClick(QApplication.activePopupWidget(), Key.Key_Escape)
    person.press(Key.Key_Escape)
    person.wait(lambda: person.target is person.plot.plot)
    assert person.verdicts() == {} and person.number == 1
    assert (person.options, person.plot_view.window) == (view, window)
    assert all(entry.opinion.flags == () for entry in person.log())


def test_enter_in_a_field_judges_nothing(person):
    # Enter returns the focus and propagates to the parent panels, but judges nothing.
    for field in ["c", "g", "/"]:
        person.start_over()
        add_inspection(person.session, 1, record())
        person.current.go_to(1)
        person.sees(1)
        person.press(field)
        if field == "g":
            person.press("o")
            person.wait(lambda: isinstance(person.target, QLineEdit))
        person.type("odd")
        person.press(Key.Key_Return)
        assert person.verdicts() == {} and person.number == 1
        person.press(Key.Key_Escape)
        person.press(Key.Key_Return, sees=2)
        assert person.verdicts() == {1: "ACCEPT"}
    person.start_over()  # Enter in a field returns the keys to the plot
    # After Enter the next letter is a key of the plot, not text of another field.
    person.press("g")
    person.press("o")
    person.wait(lambda: isinstance(person.target, QLineEdit))
    person.type("odd")
    person.press(Key.Key_Return)
    person.press("c")
    person.type("odd, too")
    person.press(Key.Key_Return)
    person.press("a", sees=2)
    assert person.opinion(1) == Opinion(verdict=Verdict.ACCEPT, flags=("odd",), comment="odd, too")
    person.start_over()  # Typing in the settings judges nothing
    person.press(",", CTRL)
    dialog = person.window.settings_dialog
    try:
        for page in dialog.findChildren(QWidget):
            if accepts_text(page) and page.isEnabled():
                QTest.keyClicks(page, "axu")
        assert person.verdicts() == {} and person.number == 1
    finally:
        dialog.close()
    person.start_over()  # Typing in the export judges nothing
    person.press("e", CTRL)
    dialog = person.view.dialogs.export
    try:
        for field in fields(dialog):
            QTest.keyClicks(field, "axu")
        assert person.verdicts() == {}
    finally:
        dialog.close()


def test_keys_work_wherever_else_the_focus_is(person):
    others = [
        each
        for each in person.window.findChildren(QWidget)
        if each.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not accepts_text(each)
        and not isinstance(each, QMenuBar)
        and each.isVisible()
        and each.isEnabled()
    ]
    tried = 0
    for widget in others:
        if person.verdicts().keys() >= set(range(1, 12)):
            break
        widget.setFocus()
        if not widget.hasFocus():
            continue
        tried += 1
        number = person.number
        QTest.keyClick(widget, Key.Key_A)
        person.sees(number + 1)
        assert person.verdicts()[number] == "ACCEPT", widget
    assert tried >= 4
