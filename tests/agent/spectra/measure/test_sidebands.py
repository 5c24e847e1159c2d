from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.sidebands import Level, linear_continuum, side_level
from agent.spectra.pixel_grid import pixel_grid
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import WAVELENGTH, gaussian, observed


def test_a_masked_spike_changes_nothing() -> None:
    clean = observed([gaussian("Na", "NaI_D", 5894.0, 8.0, -0.6)], 50.0, None)
    flux, mask = np.array(clean.flux), np.zeros(len(clean), dtype=bool)
    at = int(np.searchsorted(WAVELENGTH, 5897.0))
    flux[at], mask[at] = 1e5, True
    spiked = Spectrum(wavelength=WAVELENGTH, flux=flux, mask=mask, ivar=np.array(clean.ivar))
    before, after = measure_index(clean, "EW_NaI_D"), measure_index(spiked, "EW_NaI_D")
    assert after.value == pytest.approx(before.value, rel=0.02)


def test_a_long_gap_in_a_feature_is_refused() -> None:
    clean = observed([gaussian("Na", "NaI_D", 5894.0, 8.0, -0.6)], 50.0, None)
    mask = (WAVELENGTH > 5890) & (WAVELENGTH < 5897.5)
    gapped = Spectrum(wavelength=WAVELENGTH, flux=clean.flux, mask=mask)
    assert measure_index(gapped, "EW_NaI_D").value is None


def test_a_side_level_is_clipped() -> None:
    flux = np.ones(WAVELENGTH.size)
    flux[500] = 50.0
    grid = pixel_grid(Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=np.full(flux.size, 400.0)))
    lo, hi = WAVELENGTH[490], WAVELENGTH[511]
    clipped, plain = side_level(grid, lo, hi, clip=3.0), side_level(grid, lo, hi)
    assert not isinstance(clipped, str) and not isinstance(plain, str)
    assert clipped.mean == pytest.approx(1.0) and plain.mean == pytest.approx(1.0 + 49.0 / 21)
    assert clipped.error == pytest.approx(0.05 / np.sqrt(20))
    assert side_level(grid, lo, lo) == "no continuum beside the feature"


def test_a_continuum_needs_two_levels_above_the_noise() -> None:
    blue, red = Level(1.0, 0.1, 5000.0), Level(3.0, 0.1, 5100.0)
    line = linear_continuum(blue, red, 3.0)
    assert not isinstance(line, str)
    assert line.at(np.array([5000.0, 5050.0, 5150.0])).tolist() == [1.0, 2.0, 4.0]
    assert linear_continuum(red, blue, 3.0) == "the side windows do not lie on both sides"
    faint = Level(0.2, 0.1, 5000.0)
    assert linear_continuum(faint, red, 3.0) == "the continuum is not above the noise"
