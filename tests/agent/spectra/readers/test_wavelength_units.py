from __future__ import annotations

import numpy as np
import pytest

from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

W, F = samples.WAVELENGTH, samples.FLUX


@pytest.mark.parametrize(
    ("name", "values", "unit"),
    [
        ("loglam", np.log10(W), None),
        ("LNLAM", np.log(W), None),
        ("lambda", W / 1e4, "um"),
        ("Wavelength_nm", W / 10, None),
        ("wave", W / 1e4, "micron"),
        ("wl", np.log10(W), "log10(Angstrom)"),
        ("wave", W / 1e10, "m"),
    ],
)
def test_names_and_units(given: Given, name: str, values: np.ndarray, unit: str | None) -> None:
    units = {name: unit} if unit else {}
    spectrum = given(samples.fits_table({name: ("D", values), "flux": ("E", F)}, None, **units))
    np.testing.assert_allclose(spectrum.wavelength, W, rtol=1e-9)


@pytest.mark.parametrize(
    ("unit", "scale"), [("nm", 10.0), ("um", 1e4), ("m", 1e10), ("Angstrom", 1.0)]
)
def test_units(given: Given, unit: str, scale: float) -> None:
    data = samples.image_1d(CRVAL1=4000.0 / scale, CDELT1=2.0 / scale, CUNIT1=unit)
    np.testing.assert_allclose(given(data).wavelength, samples.LINEAR)


def test_a_guessed_unit_is_a_warning(given: Given) -> None:
    for scale, word in ((10.0, "nanometre"), (1e4, "micrometre")):
        spectrum = given(samples.text((W / scale, F)), "a.dat")
        np.testing.assert_allclose(spectrum.wavelength, W, atol=0.02)
        assert any(word in warning for warning in spectrum.warnings)
