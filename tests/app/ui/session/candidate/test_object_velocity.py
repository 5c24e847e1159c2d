"""Each object has its own velocity: kept with the opinion, and gone from the plot with it."""

import pytest
from PySide6.QtCore import Qt

from agent.spectra.pixel_grid import LIGHT_KMS
from app.core.session.session import open_session
from app.core.session.velocity import Velocity
from app.ui.session.candidate.object_velocity import velocity_translated
from tests.app.ui.judge.controls.conftest import type_in
from tests.app.ui.steps import click
from tests.app.ui.whole_window import ALT, CTRL, SHIFT, before_window

RIGHT = Qt.Key.Key_Right
FITTED = Velocity(kms=-172.0, error_kms=9.0, source="template", quality=3)


def kms(person):
    return round(person.options.velocity_kms, 6)


def control(person):
    return person.view.judging.tools.velocity


def test_it_stays_with_its_object(person):
    person.press(RIGHT, SHIFT)
    person.press(RIGHT, ALT | SHIFT)
    assert kms(person) == 22.0
    person.press("n", sees=2)
    assert kms(person) == 0.0
    person.press("b", sees=1)
    assert kms(person) == 22.0
    assert person.opinion(1).velocity == Velocity(kms=pytest.approx(22.0))
    person.press("a", sees=2)
    assert kms(person) == 0.0 and person.verdicts() == {1: "ACCEPT"}
    assert person.opinion(1).velocity == Velocity(kms=pytest.approx(22.0))


def test_windows_and_numbers_are_at_the_object_s_own(person):
    cells = person.view.judging.docks["windows"].part.cells
    person.wait(lambda: all(cell.numbers for cell in cells if cell.is_covered))
    first = [cell.numbers for cell in cells]
    type_in(person.qtbot, control(person).z, "0.1")
    person.press("n", sees=2)
    person.press("b", sees=1)
    click(person.qtbot, control(person).reset)
    assert person.opinion(1).velocity is None
    person.press("n", sees=2)
    person.press("b", sees=1)
    person.wait(lambda: [cell.numbers for cell in cells] == first)


def test_what_is_set_is_undone_and_redone(person):
    person.view.context.velocity.set(FITTED)
    person.view.context.velocity.set(None)
    person.press("n", sees=2)
    person.press("z", CTRL)
    person.wait(lambda: person.number == 1 and kms(person) == -172.0)
    person.press("z", CTRL)
    person.wait(lambda: kms(person) == 0.0)
    person.press("z", CTRL | SHIFT)
    person.wait(lambda: kms(person) == -172.0)


def test_quality_and_words(person):
    velocity = control(person)
    assert not velocity.quality.isEnabled() and velocity.state.isHidden()
    person.view.context.velocity.set(FITTED)
    assert velocity.state.text() == "−172 ± 9 km/s · from a template · quality 3"
    assert velocity.quality.currentText() == "3"
    assert person.view.judging.verdicts.state.saved.full_text.startswith("Velocity saved")
    assert velocity.text == "−172 km/s"
    velocity.quality.setCurrentIndex(4)
    velocity.quality.activated.emit(4)
    assert person.opinion(1).velocity.quality == 4
    assert velocity_translated(Velocity(kms=40.0, source="lines")) == "40 km/s · from lines"


def test_it_can_be_carried_over_without_being_kept(person):
    control(person).kept.click()
    assert person.options.keep_velocity
    person.press(RIGHT, SHIFT)
    person.press("n", sees=2)
    assert kms(person) == 20.0 and control(person).state.text().startswith("Of the object before")
    person.press("a", sees=3)
    assert kms(person) == 20.0 and person.opinion(2).velocity is None
    person.press(RIGHT, SHIFT)
    person.press("b", sees=2)
    person.press("n", sees=3)
    assert kms(person) == 40.0
    person.press("b", sees=2)
    assert kms(person) == 40.0 and person.opinion(2).velocity is None


def test_lines_give_it_with_an_error(person):
    click(person.qtbot, control(person).lines)
    person.wait(lambda: control(person).note.text())
    found = person.opinion(1)
    if found is None:
        assert "Not measured" in control(person).note.text()
    else:
        assert found.velocity.source == "lines" and found.velocity.error_kms > 0


def test_who_only_looks_can_shift_and_keeps_nothing(qtbot, place):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(place, read_only=True)
        person.wait(lambda: person.window.view is not None)
        person.sees(1)
        assert person.session.is_read_only
        person.press(RIGHT, SHIFT)
        assert kms(person) == 20.0
        person.press("n", sees=2)
        assert kms(person) == 0.0
    with open_session(place, "Ada", read_only=True) as session:
        assert list(session.history()) == []


def test_one_that_is_too_high_is_cut(person):
    person.view.context.velocity.shift(-1e9)
    assert kms(person) == -3000.0
    person.view.context.velocity.set(Velocity(kms=0.05 * LIGHT_KMS, source="header"))
    assert person.opinion(1).velocity.source == "header"
