"""What a right click on the plot, on a line mark and on a look of the agent offers."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from agent.spectra.lines import builtin_lines
from app.core.session.measurements import measurements_of
from app.ui.judge.plot.mark_menu import BESIDE_KMS, around

HALPHA = builtin_lines()["H_alpha"]
RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def person(person):
    person.plot_view.set_window((6464.6, 6664.6))
    return person


def entries_at(person, wavelength):
    """Right-click at a wavelength, and give the entries of the menu by their texts."""
    plot, box = person.plot.plot, person.plot.plot.stage.geometry()
    x = box.left() + plot.stage.scale_now.x(wavelength)
    at = QPoint(round(x), round(box.center().y()))
    QTest.mouseClick(plot.viewport(), RIGHT, pos=at)
    menu = person.view.judging.plot_menu.menu
    person.wait(menu.isVisible)
    found = {each.text().split("\t")[0]: each for each in menu.actions()}
    menu.close()
    return found


def test_what_the_menu_of_a_line_does(person):
    assert not [text for text in entries_at(person, 6500.0) if "Hα" in text]
    entries_at(person, HALPHA.wavelength)["Velocity about Hα"].trigger()
    assert person.options.velocity_line == HALPHA
    assert person.plot.plot.wavelength_axis.title == "Velocity about Hα (km/s)"
    back = "Wavelengths instead of velocity about Hα"
    entries_at(person, HALPHA.wavelength)[back].trigger()
    assert person.options.velocity_line is None
    person.start_over()
    person.plot_view.set_window((6464.6, 6664.6))
    person.plot_view.change(z=0.001, wavelength_unit="nm", medium="air")
    found = entries_at(person, HALPHA.wavelength * 1.001)
    (rest,) = (each for text, each in found.items() if text.startswith("Copy its rest"))
    rest.trigger()
    assert QGuiApplication.clipboard().text() == "656.280 nm"
    assert any(text.endswith("656.936 nm") for text in found)
    person.start_over()
    person.plot_view.set_window((6464.6, 6664.6))
    hide = next(t for t in entries_at(person, HALPHA.wavelength) if t.startswith("Hide"))
    entries_at(person, HALPHA.wavelength)[hide].trigger()
    assert "hydrogen" not in person.options.line_sets
    assert "Hα" not in {each.line.label for each in person.plot.plot.marks.marks}
    person.start_over()
    person.plot_view.set_window((6464.6, 6664.6))
    entries_at(person, HALPHA.wavelength)["Measure Hα here"].trigger()
    (found,) = measurements_of(person.session, person.number)
    assert found.measurement.line == "Hα"
    assert (found.measurement.left[0], found.measurement.right[0]) == around(HALPHA, 0.0)


def test_points_of_the_continuum_move_with_the_line():
    low, high = around(HALPHA, 0.01)
    assert low < HALPHA.wavelength * 1.01 < high
    bare = builtin_lines()["HeI_3889"]
    low, high = around(bare, 0.0)
    assert (high / bare.wavelength - 1) * 299792.458 == pytest.approx(BESIDE_KMS)


def test_a_look_of_the_agent_is_shown_with_its_answer(person):
    person.press("v")
    shown = person.view.context.agent.shown
    person.wait(lambda: shown.run is None and any(step.is_look for step in shown.steps))
    index, look = next((i, step) for i, step in enumerate(shown.steps) if step.is_look)
    low, high = shown.observed(look)
    person.plot_view.set_window((low, high))
    found = entries_at(person, low + 0.37 * (high - low))
    entry = next(text for text in found if text.startswith("Show look 1 and its answer"))
    person.view.judging.docks["object"].raise_()
    found[entry].trigger()
    assert shown.step_index == index
    person.wait(person.view.judging.docks["agent"].part.isVisible)
    assert person.plot_view.window == (low, high)
    again = entries_at(person, low + 0.37 * (high - low))
    person.plot_view.set_window((low - 300.0, high + 300.0))
    again["Go to the window the agent looks at"].trigger()
    assert person.plot_view.window == (low, high)


def test_the_menu_copies_goes_to_windows_and_does_what_keys_do(person):
    entries = entries_at(person, 6500.0)
    copy = next(each for text, each in entries.items() if text.startswith("Copy "))
    copy.trigger()
    text = QGuiApplication.clipboard().text()
    assert " Å" in text and "F " in text
    entries_at(person, 6500.0)
    person.view.judging.plot_menu.windows.actions()[1].trigger()
    assert person.plot_view.window == person.session.task.windows[1].range
    person.plot_view.set_window((6400.0, 6700.0))
    entries_at(person, 6500.0)["Show the whole spectrum"].trigger()
    assert person.plot_view.window is None
    target = person.plot.plot.viewport()
    middle = target.rect().center()
    QTest.mousePress(target, RIGHT, pos=middle)
    QTest.mouseMove(target, middle + QPoint(60, 0))
    QTest.mouseMove(target, middle + QPoint(120, 0))
    QTest.mouseRelease(target, RIGHT, pos=middle + QPoint(120, 0))
    assert person.plot_view.window is not None
    assert not person.view.judging.plot_menu.menu.isVisible()
