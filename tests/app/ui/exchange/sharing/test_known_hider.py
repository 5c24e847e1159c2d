"""Known answers are hidden from the window: by keys, and nobody judges what is not on screen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.core.session.known_answers import HIDDEN_BY
from app.core.session.session import open_session
from app.ui.review.agreement_page import AgreementPage
from tests.app.core.sharing.hidden import LIST, known, labels_file
from tests.app.ui.candidates import SAMPLE, sample_file
from tests.app.ui.whole_window import CTRL, LEFT, before_window


@pytest.fixture
def labels(tmp_path):
    return labels_file(tmp_path)


@pytest.fixture
def person(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path, LIST)) as person:
        yield person


def opened(person):
    person.window.commands.run("hide_known")
    dialog = person.view.dialogs.known
    person.wait(lambda: dialog.places == LIST)
    return dialog


def named(person, dialog, labels):
    QTest.keyClicks(dialog.path.edit, str(labels))
    QTest.keyClicks(dialog.spectra.edit, str(SAMPLE))
    person.wait(lambda: not dialog.is_busy and dialog.found and dialog.found.source.spectra)


def shown(dialog):
    return " ".join(each.text() for each in dialog.findChildren(QLabel) if each.isVisible())


def test_hidden_by_keys_and_told_to_nobody(person, labels):
    first = person.session
    dialog = opened(person)
    assert QApplication.focusWidget() is dialog.path.edit and dialog.lead.text() == "Ada"
    assert not dialog.hide_button.isEnabled()
    named(person, dialog, labels)
    assert "All labels: " in dialog.labels.text() and dialog.hide_button.isEnabled()
    dialog.count.setFocus()
    QTest.keyClick(dialog.count, Qt.Key.Key_A, CTRL)
    QTest.keyClicks(dialog.count, "5")
    QTest.keyClick(dialog.count, Qt.Key.Key_Return)
    assert f"{LIST} in the list are untouched; then 20 % of them are known." in shown(dialog)
    dialog.lead.clear()
    assert not dialog.hide_button.isEnabled()
    QTest.keyClicks(dialog.lead, "Grace Hopper")
    QTest.mouseClick(dialog.hide_button, LEFT)
    person.wait(lambda: person.window.view is not None and person.session is not first)
    person.wait(lambda: person.current.is_painted)
    answers = known(person.session)
    assert len(answers) == 5
    members = sum(each.is_member for each in answers.values())
    told = person.view.status.message.full_text
    assert told == f"Hidden: 5 known answers, {members} of them members"
    assert not [n for n in answers if person.session.candidate(n).object_id in told]
    assert person.session.fact(HIDDEN_BY) == "Grace Hopper"
    person.press(Qt.Key.Key_3, CTRL)
    page = person.view._stack.currentWidget()
    assert isinstance(page, AgreementPage)
    person.wait(lambda: page.found)
    assert page.known.by.text() == "Hidden by Grace Hopper."


def test_what_cannot_be_hidden_leaves_the_session_as_it_was(person, labels):
    """Here another program writes the last word of the list away between reading and hiding."""
    first = person.session
    dialog = opened(person)
    named(person, dialog, labels)
    labels.write_text("object_id,file,row,label\na,none.fits,0,CV\n", encoding="utf-8")
    QTest.mouseClick(dialog.hide_button, LEFT)
    person.wait(lambda: person.window.view is not None and person.session is not first)
    person.wait(lambda: "nothing was hidden" in person.view.status.message.full_text)
    assert known(person.session) == {} and person.session.count() == LIST


def test_a_list_without_the_class_asks_for_its_labels(person, labels):
    dialog = opened(person)
    labels.write_text(labels.read_text(encoding="utf-8").replace(",CV\n", ",dwarf nova\n"))
    named(person, dialog, labels)
    assert "None is of the class" in dialog.labels.text() and not dialog.hide_button.isEnabled()
    QTest.keyClicks(dialog.members, "Dwarf  Nova")
    assert "Of the class: " in dialog.labels.text() and dialog.hide_button.isEnabled()
    QTest.keyClick(dialog.members, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_cannot_be_read_is_told_until_the_fields_are_right(person, labels):
    """A folder that is half typed is not looked into."""
    dialog = opened(person)
    broken = labels.with_name("broken.csv")
    broken.write_text("object_id,label\na,CV\n", encoding="utf-8")
    dialog.path.set_path(broken)
    person.wait(lambda: not dialog.is_busy and dialog.problem.text)
    assert not dialog.hide_button.isEnabled()
    dialog.path.set_path(labels)
    QTest.keyClicks(dialog.spectra.edit, f"{SAMPLE}x")
    person.wait(lambda: not dialog.is_busy)
    assert not dialog.hide_button.isEnabled()
    QTest.keyClick(dialog.spectra.edit, Qt.Key.Key_Backspace)
    person.wait(lambda: not dialog.is_busy and dialog.hide_button.isEnabled())
    assert dialog.problem.text == ""


def test_who_may_only_read_hides_nothing(qtbot, tmp_path, labels):
    place = sample_file(tmp_path, LIST)
    with open_session(place, "Ada"), before_window(qtbot, None) as person:
        person.window.opening.open_session(place, read_only=True)
        person.wait(lambda: person.window.view is not None)
        dialog = opened(person)
        named(person, dialog, labels)
        assert not dialog.hide_button.isEnabled() and "read-only" in dialog.share.text()
