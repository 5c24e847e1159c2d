from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.noise import join_step, quality, signal_to_noise
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import WAVELENGTH, observed


@pytest.mark.parametrize("has_errors", [True, False])
def test_signal_to_noise(has_errors: bool, rng: np.random.Generator) -> None:
    spectrum = observed([], 23.0, rng, has_errors=has_errors)
    found = signal_to_noise(spectrum, 5000.0, 6500.0)
    assert found.value == pytest.approx(23.0, rel=0.07)
    assert signal_to_noise(spectrum, 9500.0, 9600.0).reason == "outside the spectrum"


def test_quality_counts_what_is_wrong(rng: np.random.Generator) -> None:
    spectrum = observed([], 20.0, rng)
    flux, ivar = np.array(spectrum.flux), np.array(spectrum.ivar)
    ivar[1000:1200] = 0.0
    flux[2000:2100] = -1.0
    seen = quality(Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=ivar, survey="LAMOST"))
    assert seen.bad_fraction == pytest.approx(200 / WAVELENGTH.size)
    assert seen.n_negative == 100
    assert seen.longest_gap == pytest.approx(WAVELENGTH[1200] - WAVELENGTH[999])
    assert seen.noise_ratio == pytest.approx(1.0, abs=0.06)
    assert any("negative" in text for text in seen.warnings)
    too_small = Spectrum(wavelength=WAVELENGTH, flux=spectrum.flux, ivar=np.array(ivar) * 4.0)
    assert quality(too_small).noise_ratio == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("step", [-0.2, 0.0, 0.2])
def test_step_at_the_join(step: float, rng: np.random.Generator) -> None:
    slope = (WAVELENGTH / 6000.0) ** -1.5
    broken = slope * np.where(WAVELENGTH > 5800.0, 1.0 + step / 2, 1.0 - step / 2)
    found = join_step(observed([], 30.0, rng, continuum=broken))
    assert found.value == pytest.approx(step, abs=0.03)
    assert found.error is not None and found.error < 0.02
