"""Fluxes per wavelength or frequency, or over their continuum, with errors that follow."""

from __future__ import annotations

import numpy as np
import pytest
from astropy import units

from agent.spectra.spectrum import Spectrum
from app.core.spectra.flux_quantity import QUANTITIES, can_show, conversion, converted

WAVELENGTH = np.linspace(4000.0, 9000.0, 1200)


def spectrum(unit, flux=None):
    flux = 3.0 + WAVELENGTH / 4000.0 if flux is None else flux
    return Spectrum(
        wavelength=WAVELENGTH, flux=flux, ivar=np.full(1200, 100.0), flux_unit=unit, object_id="J1"
    )


def shown(given, quantity):
    return converted(given, quantity, conversion(given, quantity))


@pytest.mark.parametrize(
    ("unit", "quantity", "wanted"),
    [
        ("1e-17 erg/s/cm2/A", "per_frequency", "erg s-1 cm-2 Hz-1"),
        ("1e-17 erg/s/cm2/A", "per_wavelength", "erg s-1 cm-2 Angstrom-1"),
        ("mJy", "per_wavelength", "erg s-1 cm-2 Angstrom-1"),
        ("mJy", "per_frequency", "erg s-1 cm-2 Hz-1"),
    ],
)
def test_densities_are_those_of_astropy(unit, quantity, wanted):
    given = spectrum(unit)
    found = shown(given, quantity)
    of_file = 1e-17 * units.Unit("erg s-1 cm-2 Angstrom-1") if "erg" in unit else units.mJy
    at = units.spectral_density(WAVELENGTH * units.AA)
    expected = (given.flux * of_file).to_value(units.Unit(wanted), at)
    np.testing.assert_allclose(found.flux, expected, rtol=1e-9)
    assert units.Unit(found.flux_unit) == units.Unit(wanted)
    np.testing.assert_allclose(found.sigma / found.flux, given.sigma / given.flux, rtol=1e-9)


@pytest.mark.parametrize("unit", ["", "counts"])
def test_a_unit_that_is_no_density_stays_as_it_is(unit):
    given = spectrum(unit)
    assert not can_show(given, "per_frequency")
    assert conversion(given, "per_frequency") is None
    assert shown(given, "per_frequency") is given


def test_a_normalised_spectrum_is_one_beside_its_lines():
    line = np.exp(-0.5 * ((WAVELENGTH - 6564.6) / 8.0) ** 2)
    given = spectrum("", (10.0 - WAVELENGTH / 1000.0) * (1.0 + 2.0 * line))
    found = shown(given, "normalised")
    beside = np.abs(WAVELENGTH - 6564.6) > 60.0
    np.testing.assert_allclose(found.flux[beside], 1.0, atol=0.03)
    assert found.flux.max() == pytest.approx(3.0, abs=0.15)
    np.testing.assert_allclose(found.sigma / found.flux, given.sigma / given.flux, rtol=1e-9)


@pytest.mark.parametrize("level", [0.0, np.nan, -4.0, 1e-300, 1e250])
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_strange_fluxes_are_shown_without_a_warning(level, quantity):
    given = spectrum("1e-17 erg/s/cm2/A", np.full(1200, level))
    assert len(shown(given, quantity)) == 1200


def test_a_continuum_near_zero_does_not_blow_up():
    """At a blue end without light the flux is divided by a part of the typical continuum."""
    dark = np.where(WAVELENGTH < 5000.0, 0.0, 10.0)
    found = shown(spectrum("", dark + 0.1 * np.sin(WAVELENGTH)), "normalised")
    assert np.abs(found.flux[WAVELENGTH < 4700.0]).max() < 1.0
