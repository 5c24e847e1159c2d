"""A hand measurement fitted from the menu: drawn, told, copied, and gone with its candidate."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from agent.spectra.measure.fitted_profile import FitError, FittedProfile, Reason
from app.core.session.measurements import measurements_of
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.plot.line_fit.fit_tool import copied_fit, fit_text, why_not_fitted
from tests.app.ui.judge.plot.test_measure_tool import HALPHA, drag, forget, place
from tests.app.ui.whole_window import CTRL

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def person(person):
    person.go(2)  # a star with strong emission lines
    person.plot_view.set_window((6400.0, 6750.0))
    return person


def measure(person):
    layer = person.plot.plot.measured
    drag(person, HALPHA - 70.0, HALPHA + 70.0)
    person.wait(lambda: len(layer.shown) == 1)
    return layer


def message(person):
    return person.view.status.message.full_text


def test_a_measurement_is_fitted_told_and_copied(person):
    person.window.commands.run("fit_voigt")
    assert "Measure a line first" in message(person)
    forget(person, 2)  # The last measurement is fitted and told
    layer = measure(person)
    kept = measurements_of(person.session, person.number)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    fit, measured = layer.fits[0], layer.shown[0]
    assert fit.centre == pytest.approx(measured.centroid, abs=8.0)
    assert fit.ew == pytest.approx(measured.ew, rel=0.3)
    assert "Gaussian fit of Hα" in message(person) and "χ²/ν" in message(person)
    assert measurements_of(person.session, person.number) == kept
    forget(person, 2)  # One under the mouse is fitted by the menu
    layer = measure(person)
    position, target = place(person, HALPHA)
    QTest.mouseClick(target, RIGHT, pos=position)
    menu = person.view.judging.plot_menu.menu
    person.wait(menu.isVisible)
    entries = {each.text().split(" to ")[0]: each for each in menu.actions()}
    menu.close()
    entries["Fit a Voigt profile"].trigger()
    person.wait(lambda: "Voigt" in message(person) or "Not fitted" in message(person))
    entries["Fit a Gaussian"].trigger()
    person.wait(lambda: [each.shape for each in layer.fits] == ["gaussian"])
    forget(person, 2)  # It is copied with the range
    layer = measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    person.press("c", CTRL)
    person.wait(lambda: "gaussian fit: " in QGuiApplication.clipboard().text())


def test_what_cannot_be_fitted_is_told_and_not_drawn(person):
    layer = person.plot.plot.measured
    drag(person, 6610.0, 6655.0)  # no line is there
    person.wait(lambda: len(layer.shown) == 1)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: "Not fitted" in message(person))
    assert not layer.fits


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


def test_it_goes_with_its_measurement_and_with_its_candidate(person):
    layer = measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    person.window.commands.run("withdraw_measurement")
    person.wait(lambda: not layer.fits)
    measure(person)
    person.window.commands.run("fit_gaussian")
    person.wait(lambda: len(layer.fits) == 1)
    person.press("n", sees=3)
    assert not layer.fits


FIT = FittedProfile(
    shape="gaussian", centre=6564.612, centre_error=0.0812, fwhm=12.34, fwhm_error=0.25,
    ew=-15.52, ew_error=0.47, reduced_chi2=1.04, wavelength=np.array([6500.0, 6600.0]),
    flux=np.ones(2),
)  # fmt: skip


def test_numbers_have_two_digits_of_their_errors_in_the_frame_of_the_axis():
    assert fit_text(FIT, "Hα", WavelengthFrame()) == (
        "Gaussian fit of Hα: 6564.612 ± 0.081 Å · FWHM 12.34 ± 0.25 Å (564 ± 11 km/s)"
        " · EW −15.52 ± 0.47 Å · χ²/ν 1.04"
    )
    text = fit_text(FIT, "Hα", WavelengthFrame(unit="nm", is_rest=True, z=0.001))
    assert ": 655.8054 ± 0.0081 nm ·" in text
    assert copied_fit(FIT).startswith("gaussian fit: 6564.612 ± 0.081 Å (observed, vacuum) · FWHM")


@pytest.mark.parametrize(("chi2", "is_said"), [(1.5, False), (3.0, True), (None, False)])
def test_a_bad_shape_is_said(chi2, is_said):
    text = fit_text(replace(FIT, reduced_chi2=chi2), "Hα", WavelengthFrame())
    assert ("more than one line?" in text) is is_said and ("χ²" in text) is (chi2 is not None)


def test_every_reason_has_its_sentence():
    sentences = [why_not_fitted(FitError(reason)) for reason in get_args(Reason)]
    assert len(set(sentences)) == len(get_args(Reason))
    assert all(each.startswith("Not fitted: ") for each in sentences)
