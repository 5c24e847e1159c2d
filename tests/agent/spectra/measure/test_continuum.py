import numpy as np
import pytest

from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.measure.noise import join_step, quality, signal_to_noise
from agent.spectra.measure.slope import power_law_index
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import STAR, WAVELENGTH, gaussian, observed


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_pseudo_continuum_passes_lines_of_either_sign(
    sign: float, rng: np.random.Generator
) -> None:
    lines = [gaussian(str(at), "", at, 25.0, sign * 0.6) for at in (4102.9, 4341.7, 4862.7, 6564.6)]
    truth = (WAVELENGTH / 6000.0) ** -1.5
    continuum = pseudo_continuum(observed(lines, 25.0, rng, continuum=truth))
    assert np.median(np.abs(continuum / truth - 1.0)) < 0.01
    assert np.percentile(np.abs(continuum / truth - 1.0), 98) < 0.06


def test_pseudo_continuum_of_noise_is_unbiased_and_slopes_are_found(
    rng: np.random.Generator,
) -> None:
    continuum = pseudo_continuum(observed([], 4.0, rng))
    assert abs(continuum.mean() - 1.0) < 0.02
    spectrum = observed(STAR, 30.0, rng, continuum=(WAVELENGTH / 5000.0) ** -2.2)
    assert power_law_index(spectrum, 4000.0, 8200.0).value == pytest.approx(-2.2, abs=0.1)


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
