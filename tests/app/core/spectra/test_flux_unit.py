"""Units of flux in headers, and which of them are flux densities."""

import numpy as np
import pytest
from astropy import units
from hypothesis import given
from hypothesis import strategies as st

from agent.spectra.air import vacuum_to_air
from agent.spectra.lines import builtin_lines
from agent.spectra.spectrum import Spectrum
from app.core.spectra.flux_quantity import (
    QUANTITIES,
    can_show,
    conversion,
    converted,
    flux_density,
    read_unit,
)
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.queue.sparklines import POINTS, sparkline


@pytest.mark.parametrize(("unit", "kind", "size"), [
    ("1e-17 erg/s/cm2/A", "per_wavelength", 1e-17),
    ("erg cm**(-2) s**(-1) angstrom**(-1)", "per_wavelength", 1.0),
    ("10^(-17) erg cm^-2 s^-1 Ang^-1", "per_wavelength", 1e-17),
    ("2.5e-17 W m-2 um-1", "per_wavelength", 2.5e-18),
    ("W/m2/nm", "per_wavelength", 1e2),
    ("FLAM", "per_wavelength", 1.0),
    ("mJy", "per_frequency", 1e-26),
    ("erg/(s cm2 Hz)", "per_frequency", 1.0),
    ("fnu", "per_frequency", 1.0),
])  # fmt: skip
def test_a_flux_density_is_known_with_its_size_in_cgs(unit, kind, size):
    assert flux_density(unit) == (kind, pytest.approx(size))


@pytest.mark.parametrize("unit", [
    *("", "counts", "MJy/sr", "erg/s/cm2", "erg/s", "photon s-1 cm-2 A-1", "DN / furlong2"),
    *("0e-17 erg/s/cm2/A", "J99 erg-98 s-1 cm-2 A-1", "x" * 500, "(" * 300),
])  # fmt: skip
def test_other_units_are_none(unit):
    assert flux_density(unit) is None


# Fluxes per wavelength or frequency, or over their continuum, with errors that follow.
WAVELENGTH = np.linspace(4000.0, 9000.0, 1200)


def spectrum(unit, flux=None):
    flux = 3.0 + WAVELENGTH / 4000.0 if flux is None else flux
    return Spectrum(
        wavelength=WAVELENGTH, flux=flux, ivar=np.full(1200, 100.0), flux_unit=unit, object_id="J1"
    )


def shown(given, quantity):
    return converted(given, quantity, conversion(given, quantity))


@pytest.mark.parametrize(("unit", "quantity", "wanted"), [
    ("1e-17 erg/s/cm2/A", "per_frequency", "erg s-1 cm-2 Hz-1"),
    ("1e-17 erg/s/cm2/A", "per_wavelength", "erg s-1 cm-2 Angstrom-1"),
    ("mJy", "per_wavelength", "erg s-1 cm-2 Angstrom-1"),
    ("mJy", "per_frequency", "erg s-1 cm-2 Hz-1"),
])  # fmt: skip
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


def test_a_normalised_spectrum_is_one_beside_its_lines_and_near_zero():
    line = np.exp(-0.5 * ((WAVELENGTH - 6564.6) / 8.0) ** 2)
    given = spectrum("", (10.0 - WAVELENGTH / 1000.0) * (1.0 + 2.0 * line))
    found = shown(given, "normalised")
    beside = np.abs(WAVELENGTH - 6564.6) > 60.0
    np.testing.assert_allclose(found.flux[beside], 1.0, atol=0.03)
    assert found.flux.max() == pytest.approx(3.0, abs=0.15)
    np.testing.assert_allclose(found.sigma / found.flux, given.sigma / given.flux, rtol=1e-9)
    # At a blue end without light the flux is divided by a part of the typical continuum.
    dark = np.where(WAVELENGTH < 5000.0, 0.0, 10.0)
    found = shown(spectrum("", dark + 0.1 * np.sin(WAVELENGTH)), "normalised")
    assert np.abs(found.flux[WAVELENGTH < 4700.0]).max() < 1.0


@pytest.mark.parametrize("level", [0.0, np.nan, -4.0, 1e-300, 1e250])
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_strange_fluxes_are_shown_without_a_warning(level, quantity):
    given = spectrum("1e-17 erg/s/cm2/A", np.full(1200, level))
    assert len(shown(given, quantity)) == 1200


# Wavelengths in other units, media and frames, and velocities about a line, and back.
HALPHA = builtin_lines()["H_alpha"]
FRAMES = [
    WavelengthFrame(unit=unit, is_air=is_air, is_rest=is_rest, z=z, line=line)
    for unit in ("Å", "nm")
    for is_air in (False, True)
    for is_rest in (False, True)
    for z in (0.0, 0.02)
    for line in (None, HALPHA)
]


@given(st.sampled_from(FRAMES), st.floats(2200.0, 99_000.0))
def test_there_and_back(frame, wavelength):
    assert frame.observed(frame.shown(wavelength)) == pytest.approx(wavelength, rel=1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_numbers_grow_with_the_wavelength(frame):
    shown = frame.all_shown(np.linspace(2200.0, 11_000.0, 500))
    assert (np.diff(shown) > 0).all()


def test_rest_comes_before_air_and_a_velocity_is_about_the_line_drawn():
    """Tables of lines give the wavelength in air at rest, not that of the shifted line."""
    frame = WavelengthFrame(unit="nm", is_air=True, is_rest=True, z=0.02)
    expected = float(vacuum_to_air(HALPHA.wavelength)) / 10.0
    assert frame.shown(HALPHA.wavelength * 1.02) == pytest.approx(expected)
    assert frame.text(HALPHA.wavelength * 1.02) == "656.28 nm"
    at = HALPHA.wavelength * 1.02
    assert WavelengthFrame(line=HALPHA, z=0.02).shown(at) == pytest.approx(5995.8, abs=0.1)
    at_rest = WavelengthFrame(line=HALPHA, z=0.02, is_rest=True)
    assert at_rest.text(at) == "+0 km/s"
    assert at_rest.range_text((at * 0.999, at * 1.001)) == "\N{MINUS SIGN}300–+300 km/s"
    assert WavelengthFrame(line=HALPHA).observed(-1e9) > 0


def test_it_says_what_it_is_with_raised_powers():
    assert WavelengthFrame(z=0.1).is_usual and not WavelengthFrame(is_air=True).is_usual
    assert WavelengthFrame(unit="nm", is_air=True, is_rest=True).description == "nm, rest, air"
    assert WavelengthFrame().ascii_description == "Angstrom, observed, vacuum"
    about = WavelengthFrame(line=HALPHA)
    assert about.description == "km/s about Hα, observed"
    assert about.ascii_description.isascii()
    assert WavelengthFrame().range_text((6450.0, 6750.0)) == "6450–6750 Å"
    found = read_unit("1e-17 erg/s/cm2/A")
    assert (found.text, found.power) == ("erg s⁻¹ cm⁻² Å⁻¹", -17)


# A spectrum as a small line: few points, good pixels only, in the unit square.
def drawn(flux, **more):
    return Spectrum(wavelength=np.linspace(4000.0, 9000.0, len(flux)), flux=flux, **more)


@pytest.mark.parametrize("pixels", [2, 50, 200, 3900])
def test_few_points_from_left_to_right(pixels):
    points = sparkline(drawn(np.linspace(1.0, 2.0, pixels)))
    assert 2 <= len(points) <= min(pixels, POINTS)
    assert (np.diff(points[:, 0]) > 0).all()
    assert (np.diff(points[:, 1]) >= 0).all()
    assert points[0, 1] == 0.0
    assert points[-1, 1] == 1.0


def test_bad_pixels_leave_no_trace_and_a_line_stands_out():
    flux = np.ones(4000)
    flux[1000] = 1e9
    flux[2000] = np.nan
    mask = np.zeros(4000, dtype=bool)
    mask[1000] = True
    assert (sparkline(drawn(flux, mask=mask))[:, 1] == 0.5).all()
    assert len(sparkline(drawn(np.full(100, np.nan)))) == 0
    flux = np.ones(4000)
    flux[1990:2050] = 3.0
    points = sparkline(drawn(flux))
    assert abs(points[np.argmax(points[:, 1]), 0] - 0.5) < 0.02
