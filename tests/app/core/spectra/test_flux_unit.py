"""Units of flux in headers, and which of them are flux densities."""

from __future__ import annotations

import pytest

from app.core.spectra.flux_unit import flux_density, read_unit


@pytest.mark.parametrize(
    ("unit", "kind", "size"),
    [
        ("1e-17 erg/s/cm2/A", "per_wavelength", 1e-17),
        ("erg cm**(-2) s**(-1) angstrom**(-1)", "per_wavelength", 1.0),
        ("10^(-17) erg cm^-2 s^-1 Ang^-1", "per_wavelength", 1e-17),
        ("2.5e-17 W m-2 um-1", "per_wavelength", 2.5e-18),
        ("W/m2/nm", "per_wavelength", 1e2),
        ("FLAM", "per_wavelength", 1.0),
        ("mJy", "per_frequency", 1e-26),
        ("erg/(s cm2 Hz)", "per_frequency", 1.0),
        ("fnu", "per_frequency", 1.0),
    ],
)
def test_a_flux_density_is_known_with_its_size_in_cgs(unit, kind, size):
    found = flux_density(unit)
    assert found == (kind, pytest.approx(size))


@pytest.mark.parametrize(
    "unit",
    [
        *("", "counts", "MJy/sr", "erg/s/cm2", "erg/s", "photon s-1 cm-2 A-1", "DN / furlong2"),
        *("0e-17 erg/s/cm2/A", "J99 erg-98 s-1 cm-2 A-1", "x" * 500, "(" * 300),
    ],
)
def test_other_units_are_none(unit):
    assert flux_density(unit) is None


def test_a_unit_is_written_with_raised_powers():
    found = read_unit("1e-17 erg/s/cm2/A")
    assert (found.text, found.power) == ("erg s⁻¹ cm⁻² Å⁻¹", -17)
