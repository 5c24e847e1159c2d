"""Magnitudes of a spectrum: exact for known spectra, and a disagreement is told with its number."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.services.catalogues.answer import Answer, Match, State
from app.services.photometry.bands import AB_JY, BANDS, JY, LIGHT_A_S, bands_of
from app.services.photometry.synthetic import compare, flux_points, synthetic_magnitude

WAVELENGTH = np.linspace(3500.0, 10_200.0, 4000)


def flat_in_frequency(magnitude: float) -> np.ndarray:
    """f_lambda of a source of this AB magnitude at every wavelength."""
    return AB_JY * JY * 10.0 ** (-0.4 * magnitude) * LIGHT_A_S / WAVELENGTH**2


def answers(**magnitudes: float) -> dict[str, Answer]:
    found: dict[str, dict[str, float]] = {}
    for name, value in magnitudes.items():
        service, column = name.split("_")
        found.setdefault(service, {})[column] = value
    return {
        service: Answer(state=State.FOUND, matches=(Match(values=values, separation_arcsec=0.1),))
        for service, values in found.items()
    }


def test_a_source_of_constant_ab_magnitude_has_it_in_every_ab_band():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=flat_in_frequency(17.3))
    for band in bands_of("panstarrs").values():
        assert synthetic_magnitude(spectrum, band) == pytest.approx(17.3, abs=0.01)


def test_a_band_that_the_spectrum_does_not_cover_has_no_magnitude():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=flat_in_frequency(17.3))
    assert synthetic_magnitude(spectrum, bands_of("galex")["nuv"]) is None
    assert synthetic_magnitude(spectrum, bands_of("twomass")["j"]) is None


def test_a_band_full_of_bad_pixels_has_none_either():
    ivar = np.where((WAVELENGTH > 5600) & (WAVELENGTH < 6500), 0.0, 1.0)
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=flat_in_frequency(17.3), ivar=ivar)
    assert synthetic_magnitude(spectrum, bands_of("panstarrs")["r"]) is None
    assert synthetic_magnitude(spectrum, bands_of("panstarrs")["g"]) is not None


def test_a_magnitude_as_a_flux_and_back():
    for band in BANDS:
        flux = band.flux(12.0)
        zero = band.zero_jy * JY * LIGHT_A_S / band.centre**2
        assert -2.5 * np.log10(flux / zero) == pytest.approx(12.0)
        assert band.low < band.centre < band.high


def test_relative_flux_is_moved_to_agree_and_one_band_that_does_not_is_told():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=3e20 * flat_in_frequency(17.0))
    good = compare(
        spectrum, flux_points(answers(panstarrs_g=17.0, panstarrs_r=17.0, panstarrs_i=17.05))
    )
    assert not good.disagrees and not good.is_absolute and len(good.compared) == 3
    assert all(abs(each.difference) < 0.06 for each in good.compared)
    bad = compare(
        spectrum, flux_points(answers(panstarrs_g=16.0, panstarrs_r=17.0, panstarrs_i=17.0))
    )
    assert bad.disagrees and bad.worst is not None and bad.worst.point.band.column == "g"
    assert bad.worst_by == pytest.approx(1.0, abs=0.02)


def test_the_level_of_physical_flux_is_compared_too():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=1e17 * flat_in_frequency(19.5))
    points = flux_points(answers(panstarrs_g=17.0, panstarrs_r=17.0))
    found = compare(spectrum, points, 1e-17)
    assert found.is_absolute and found.disagrees and found.worst is None
    assert found.level == pytest.approx(2.5, abs=0.02)


def test_an_uncertain_magnitude_raises_no_alarm():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=1e17 * flat_in_frequency(17.0))
    values = answers(panstarrs_g=16.4, panstarrs_r=17.0, panstarrs_i=17.0)
    found = dict(values["panstarrs"].matches[0].values)
    match = Match(values={**found, "g_error": 0.3}, separation_arcsec=0.0)
    points = flux_points({"panstarrs": Answer(state=State.FOUND, matches=(match,))})
    assert not compare(spectrum, points, 1e-17).disagrees


def test_nothing_there_and_values_that_are_none_give_no_points():
    assert flux_points({"panstarrs": Answer(state=State.NOTHING)}) == []
    assert flux_points(answers(panstarrs_g=-99.0, panstarrs_r=float("nan"))) == []
