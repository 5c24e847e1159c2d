from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

LINEAR = samples.LINEAR
LOG = samples.WAVELENGTH


def test_linear(given: Given) -> None:
    spectrum = given(samples.image_1d(CRVAL1=4000.0, CDELT1=2.0, OBJECT="HD 1", BUNIT="Jy"))
    np.testing.assert_allclose(spectrum.wavelength, LINEAR)
    assert spectrum.object_id == "HD 1"
    assert spectrum.flux_unit == "Jy"
    assert spectrum.medium_in_file == "unknown"
    assert "does not say air or vacuum" in spectrum.warnings[0]


def test_reference_pixel_and_cd_matrix(given: Given) -> None:
    spectrum = given(samples.image_1d(CRVAL1=4020.0, CRPIX1=11, CD1_1=2.0, CDELT1=1.0))
    np.testing.assert_allclose(spectrum.wavelength, LINEAR)


@pytest.mark.parametrize(
    "cards",
    [
        {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP, "DC-FLAG": 1, "CTYPE1": "LINEAR"},
        {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP, "CTYPE1": "WAVE-LOG"},
        {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP, "CTYPE1": "LOGLAM"},
        {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP},
        {
            "CRVAL1": samples.FIRST * np.log(10),
            "CDELT1": samples.STEP * np.log(10),
            "CTYPE1": "WAVE-LN",
        },
        {
            "CRVAL1": LOG[0],
            "CDELT1": LOG[0] * samples.STEP * np.log(10),
            "CTYPE1": "WAVE-LOG",
            "CUNIT1": "Angstrom",
        },
    ],
    ids=["dc-flag", "mastar", "loglam", "unnamed", "ln", "standard WAVE-LOG"],
)
def test_logarithmic_axes(given: Given, cards: dict[str, object]) -> None:
    np.testing.assert_allclose(given(samples.image_1d(**cards)).wavelength, LOG, rtol=1e-12)


def test_extensions_give_errors_and_mask(given: Given) -> None:
    cards = {"CRVAL1": 4000.0, "CDELT1": 2.0}
    ivar = given(samples.image_1d(extensions={"IVAR": samples.IVAR}, **cards))
    np.testing.assert_array_equal(ivar.ivar, samples.IVAR)
    sigma = given(
        samples.image_1d(
            extensions={"ERR": np.full(samples.PIXELS, 2.0), "MASK": samples.FLAGS}, **cards
        )
    )
    np.testing.assert_array_equal(sigma.ivar, np.full(samples.PIXELS, 0.25))
    assert sigma.n_bad == 2
    assert given(samples.image_1d(extensions={"IVAR": [1.0, 2.0]}, **cards)).ivar is None


def test_rows_of_an_image(given: Given) -> None:
    data = samples.image_1d(np.array([samples.FLUX, samples.FLUX * 2]), CRVAL1=4000.0, CDELT1=2.0)
    assert given(data, row=1).flux[0] == 2 * samples.FLUX[0]
    assert given(data, row=1).rows == 2


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ({}, "gives no wavelengths"),
        ({"CRVAL1": 10.0, "CDELT1": 1.0, "CTYPE1": "RA---TAN"}, "not a wavelength"),
        ({"CRVAL1": 1.0, "CDELT1": 1.0, "CUNIT1": "GHz"}, "in GHz"),
        ({"CRVAL1": 3.6, "CDELT1": 1.0, "DC-FLAG": 1}, "logarithms up to"),
    ],
)
def test_images_that_are_no_spectra(given: Given, cards: dict[str, object], reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        given(samples.image_1d(**cards))
