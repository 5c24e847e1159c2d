from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


def test_decreasing_wavelengths_are_sorted_with_a_warning(given: Given) -> None:
    spectrum = given(samples.image_1d(CRVAL1=9000.0, CDELT1=-2.0))
    assert spectrum.flux[-1] == samples.FLUX[0]
    assert any("not increasing" in warning for warning in spectrum.warnings)


def test_flux_without_a_finite_pixel_is_refused(given: Given) -> None:
    data = samples.image_1d(np.full(9, np.nan), CRVAL1=4000.0, CDELT1=2.0)
    with pytest.raises(ReadError, match="no pixel has a finite flux"):
        given(data)


def test_unusable_and_duplicate_wavelengths_are_dropped(given: Given) -> None:
    wave = samples.WAVELENGTH.copy()
    wave[3], wave[4], wave[9] = np.nan, -1.0, wave[8]
    spectrum = given(samples.fits_table({"wave": ("D", wave), "flux": ("E", samples.FLUX)}))
    assert len(spectrum) == samples.PIXELS - 3
    assert any("2 pixels without a usable wavelength" in text for text in spectrum.warnings)
    assert any("duplicates dropped" in text for text in spectrum.warnings)


def test_header_text_is_cleaned(given: Given) -> None:
    data = samples.lamost_image(SUBCLASS="G3xxxxx").replace(b"G3xxxxx", b"G3\x1b[2J\x07")
    spectrum = given(data)
    assert spectrum.subclass == "G3 [2J"
    assert all(text.isprintable() for text in spectrum.meta.values() if isinstance(text, str))


def test_meta_is_bounded(given: Given) -> None:
    cards = {f"KEY{number}": "x" * 60 for number in range(900)}
    assert len(given(samples.lamost_image(**cards)).meta) == 400
