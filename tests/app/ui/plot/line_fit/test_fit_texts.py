"""The sentence about a fit: two digits of each error, in the frame of the axis."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from agent.spectra.measure.fitted_profile import FitError, FittedProfile, Reason
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.plot.line_fit.fit_texts import copied_fit, fit_text, why_not_fitted

FIT = FittedProfile(
    shape="gaussian",
    centre=6564.612,
    centre_error=0.0812,
    fwhm=12.34,
    fwhm_error=0.25,
    ew=-15.52,
    ew_error=0.47,
    reduced_chi2=1.04,
    wavelength=np.array([6500.0, 6600.0]),
    flux=np.ones(2),
)


def test_numbers_have_two_digits_of_their_errors():
    assert fit_text(FIT, "Hα", WavelengthFrame()) == (
        "Gaussian fit of Hα: 6564.612 ± 0.081 Å · FWHM 12.34 ± 0.25 Å (564 ± 11 km/s)"
        " · EW −15.52 ± 0.47 Å · χ²/ν 1.04"
    )


def test_the_centre_is_in_the_frame_of_the_axis():
    text = fit_text(FIT, "Hα", WavelengthFrame(unit="nm", is_rest=True, z=0.001))
    assert ": 655.8054 ± 0.0081 nm ·" in text


def test_a_copy_is_in_observed_vacuum_angstrom():
    assert copied_fit(FIT).startswith("gaussian fit: 6564.612 ± 0.081 Å (observed, vacuum) · FWHM")


@pytest.mark.parametrize(("chi2", "is_said"), [(1.5, False), (3.0, True), (None, False)])
def test_a_bad_shape_is_said(chi2, is_said):
    text = fit_text(replace(FIT, reduced_chi2=chi2), "Hα", WavelengthFrame())
    assert ("more than one line?" in text) is is_said
    assert ("χ²" in text) is (chi2 is not None)


def test_every_reason_has_its_sentence():
    sentences = [why_not_fitted(FitError(reason)) for reason in get_args(Reason)]
    assert len(set(sentences)) == len(get_args(Reason))
    assert all(each.startswith("Not fitted: ") for each in sentences)
