"""A hand measurement fitted from the menu: drawn, told, copied, and gone with its candidate."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.core.session.measurements import measurements_of
from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.plot.test_measure_tool import HALPHA, drag, place
from tests.app.ui.whole_window import CTRL, before_window

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"), 3)


@pytest.fixture
def person(qtbot, tmp_path, sample):
    with before_window(qtbot, copied(sample, tmp_path)) as before:
        before.go(2)  # a star with strong emission lines
        before.plot_view.set_window((6400.0, 6750.0))
        yield before


def measure(person):
    layer = person.plot.plot.measured
    drag(person, HALPHA - 70.0, HALPHA + 70.0)
    person.wait(lambda: len(layer.shown) == 1)
    return layer


def message(person):
    return person.view.status.message.full_text


def test_the_last_measurement_is_fitted_and_told(person):
    layer = measure(person)
    kept = measurements_of(person.session, person.number)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    fit, measured = layer.fits[0], layer.shown[0]
    assert fit.centre == pytest.approx(measured.centroid, abs=8.0)
    assert fit.ew == pytest.approx(measured.ew, rel=0.3)
    assert "Gaussian fit of Hα" in message(person) and "χ²/ν" in message(person)
    assert measurements_of(person.session, person.number) == kept


def test_one_under_the_mouse_is_fitted_by_the_menu(person):
    layer = measure(person)
    position, target = place(person, HALPHA)
    QTest.mouseClick(target, RIGHT, pos=position)
    menu = person.view.judging.plot_menu.menu
    person.wait(menu.isVisible)
    entries = {each.text().split(" to ")[0]: each for each in menu.actions()}
    menu.close()
    entries["Fit a Voigt profile"].trigger()
    person.wait(lambda: "fit" in message(person).lower())
    person.wait(lambda: "Voigt" in message(person) or "Not fitted" in message(person))
    entries["Fit a Gaussian"].trigger()
    person.wait(lambda: [each.shape for each in layer.fits] == ["gaussian"])


def test_it_goes_with_its_measurement_and_with_its_candidate(person):
    layer = measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    person.window.commands.run("withdraw_measurement")
    person.wait(lambda: not layer.fits)
    measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    person.press("n")
    person.sees(3)
    assert not layer.fits


def test_it_is_copied_with_the_range(person):
    layer = measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    person.press("c", CTRL)
    person.wait(lambda: "gaussian fit: " in QGuiApplication.clipboard().text())


def test_the_curve_follows_the_axes(person):
    layer = measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    (fit,), plot = layer.fits, person.plot.plot
    top = int(np.argmax(fit.flux))
    as_in_file = float(np.interp(fit.wavelength[top], plot.trace.wavelength, plot.trace.flux))
    for options in ({"flux": "normalised"}, {"flux_log": True}, {"wavelength_unit": "nm"}):
        person.plot_view.change(**options)
        person.wait(lambda: person.plot.plot.trace is not None)
    person.wait(lambda: plot.trace.quantity == "normalised" and plot.trace.is_log)
    placed = plot.trace.place_all(fit.wavelength, fit.flux)
    drawn = np.interp(fit.wavelength, plot.curve.wavelength, plot.curve.flux)
    assert as_in_file != pytest.approx(float(placed[top]))
    assert np.median(np.abs(placed - drawn)) < 0.05
    plot.grab()  # painted without an error


def test_without_a_measurement_it_says_so(person):
    person.window.commands.run("fit_voigt")
    assert "Measure a line first" in message(person)


def test_what_cannot_be_fitted_is_told_and_not_drawn(person):
    layer = person.plot.plot.measured
    drag(person, 6610.0, 6655.0)  # no line is there
    person.wait(lambda: len(layer.shown) == 1)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: "Not fitted" in message(person))
    assert not layer.fits
