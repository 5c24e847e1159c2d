from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agent.spectra.instrument import arm_join, lsf_fwhm, resolution_at, unsafe_regions
from agent.spectra.spectrum import Spectrum

WAVELENGTH = np.arange(3800.0, 9000.0, 2.0)


def spectrum(wavelength: np.ndarray = WAVELENGTH, **fields: Any) -> Spectrum:
    return Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size), **fields)


@pytest.mark.parametrize(
    ("survey", "wavelength", "resolution"),
    [
        ("LAMOST", 5000.0, 1800.0),
        ("lamost-mrs", 5000.0, 7500.0),
        ("eBOSS", 3000.0, 1500.0),
        ("SDSS", 6400.0, 2000.0),
        ("SDSS", 9900.0, 2500.0),
        ("DESI", 9800.0, 5500.0),
        ("MILES", 5000.0, None),
    ],
)
def test_resolution_of_the_survey(survey: str, wavelength: float, resolution: float | None) -> None:
    assert resolution_at(spectrum(survey=survey), wavelength) == resolution


def test_the_resolution_of_the_file_comes_first() -> None:
    assert lsf_fwhm(spectrum(survey="LAMOST", resolution=5000.0), 5000.0) == 1.0
    assert resolution_at(spectrum(survey="LAMOST", resolution=0.5), 5000.0) == 1800.0
    assert lsf_fwhm(spectrum(), 5000.0) is None


def test_arms_join_only_inside_the_spectrum() -> None:
    assert arm_join(spectrum(survey="LAMOST")) == (5700.0, 5900.0)
    assert arm_join(spectrum(WAVELENGTH[WAVELENGTH < 5950.0], survey="LAMOST")) is None
    assert arm_join(spectrum(survey="MILES")) is None


def test_unsafe_regions_are_sky_lines_telluric_bands_and_the_join() -> None:
    lamost = spectrum(survey="LAMOST")
    assert unsafe_regions(lamost, 7600.0, 7640.0) == ("O₂ A",)
    assert "join of the arms" in unsafe_regions(lamost, 5690.0, 5710.0)
    assert unsafe_regions(spectrum(), 5690.0, 5710.0) == ()
    narrow = unsafe_regions(lamost, 5574.0, 5584.0, min_share=0.25)
    assert narrow == ("[O I] 5577 (sky)",)
    assert narrow[0] in unsafe_regions(lamost, 5480.0, 5680.0)
    assert narrow[0] not in unsafe_regions(lamost, 5480.0, 5680.0, min_share=0.25)
