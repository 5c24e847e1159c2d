from __future__ import annotations

import math

import numpy as np
import pytest

from agent.spectra.measure.line_measure import measure_line
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    NARROW,
    WAVELENGTH,
    gaussian,
    observed,
)


def test_width_is_corrected_for_the_instrument() -> None:
    instrument = H_ALPHA / 1800.0
    line = gaussian("Ha", "H_alpha", H_ALPHA, math.hypot(8.0, instrument), 1.0)
    found = measure_line(observed([line], 200.0, None), "H_alpha")
    assert found.fwhm_kms == pytest.approx(8.0 / H_ALPHA * LIGHT_KMS, rel=0.02)
    assert "unresolved" not in found.flags


def test_unresolved_line_is_flagged(rng: np.random.Generator) -> None:
    found = measure_line(observed([NARROW], 40.0, rng), "H_alpha")
    assert "unresolved" in found.flags and "broad" not in found.flags
    assert found.fwhm_kms is not None and found.fwhm_kms < 120.0


def test_without_a_known_resolution_width_is_not_corrected() -> None:
    found = measure_line(observed([BROAD], 100.0, None, survey=""), "H_alpha")
    assert found.fwhm_kms == pytest.approx(28.5 / H_ALPHA * LIGHT_KMS, rel=0.02)
    assert "broad" in found.flags


def test_undersampled_line_is_flagged() -> None:
    coarse = np.arange(5000.0, 8000.0, 5.0)
    line = gaussian("Ha", "H_alpha", H_ALPHA, 7.0, 2.0)
    found = measure_line(observed([line], 60.0, None, wavelength=coarse, survey=""), "H_alpha")
    assert "undersampled" in found.flags


def spiked(masked: bool) -> Spectrum:
    spectrum = observed([gaussian("Ha", "H_alpha", H_ALPHA, 20.0, -0.5)], 60.0, None)
    flux = np.array(spectrum.flux)
    flux[int(np.searchsorted(WAVELENGTH, H_ALPHA + 6.0))] = 40.0
    return Spectrum(
        wavelength=WAVELENGTH,
        flux=flux,
        ivar=spectrum.ivar,
        mask=(flux > 10) if masked else None,
        survey="LAMOST",
    )


def test_masked_spike_changes_nothing() -> None:
    clean = measure_line(
        observed([gaussian("", "H_alpha", H_ALPHA, 20.0, -0.5)], 60, None), "H_alpha"
    )
    masked = measure_line(spiked(masked=True), "H_alpha")
    assert masked.ew == pytest.approx(clean.ew, rel=0.01)
    assert masked.fwhm == pytest.approx(clean.fwhm, rel=0.01)
    assert "masked_core" in masked.flags
    assert measure_line(spiked(masked=False), "H_alpha").ew != pytest.approx(clean.ew, rel=0.2)


def test_a_block_of_dead_pixels_in_a_line_is_refused() -> None:
    line = gaussian("Ha", "H_alpha", H_ALPHA, 20.0, 1.0)
    ivar = np.where(np.abs(WAVELENGTH - H_ALPHA) < 6.0, 0.0, 900.0)
    flux = np.where(ivar > 0, 1.0 + line.shape(WAVELENGTH), 0.0)
    found = measure_line(Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=ivar), "H_alpha")
    assert found.ew is None and found.reason
    everything = Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=np.zeros(flux.size))
    assert measure_line(everything, "H_alpha").ew is None


def test_a_negative_continuum_is_refused() -> None:
    flux = -1.0 - BROAD.shape(WAVELENGTH)
    found = measure_line(Spectrum(wavelength=WAVELENGTH, flux=flux), "H_alpha")
    assert found.ew is None and found.reason


def test_a_line_at_the_edge_of_the_spectrum_is_refused() -> None:
    cut = WAVELENGTH[WAVELENGTH < H_ALPHA + 8.0]
    line = gaussian("Ha", "H_alpha", H_ALPHA, 12.0, 1.0)
    found = measure_line(observed([line], 60.0, None, wavelength=cut), "H_alpha")
    assert found.ew is None and "edge" in found.reason
    short = observed([], 60.0, None, wavelength=WAVELENGTH[:500])
    assert measure_line(short, "H_alpha").reason == "outside the spectrum"
    assert measure_line(short, "H_omega").reason == "no line has this name"
