import numpy as np
import pytest

from agent.spectra.measure.continuum import power_law_index, pseudo_continuum
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_profile import WIDTH_STEP, _solve, strongest_feature
from agent.spectra.measure.noise import join_step, quality, signal_to_noise
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.smoothing import FWHM_PER_SIGMA
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    STAR,
    WAVELENGTH,
    KnownLine,
    double_peak,
    gaussian,
    observed,
    stark,
    voigt,
)


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
    assert seen.noise_ratio == pytest.approx(1.0, abs=0.06)
    gap = WAVELENGTH[1200] - WAVELENGTH[999]
    assert "100 pixels have negative flux" in seen.warnings
    assert f"a gap of {gap:.0f} Å without good pixels" in seen.warnings
    too_small = Spectrum(wavelength=WAVELENGTH, flux=spectrum.flux, ivar=np.array(ivar) * 4.0)
    assert quality(too_small).noise_ratio == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("step", [-0.2, 0.0, 0.2])
def test_step_at_the_join(step: float, rng: np.random.Generator) -> None:
    slope = (WAVELENGTH / 6000.0) ** -1.5
    broken = slope * np.where(WAVELENGTH > 5800.0, 1.0 + step / 2, 1.0 - step / 2)
    found = join_step(observed([], 30.0, rng, continuum=broken))
    assert found.value == pytest.approx(step, abs=0.03)
    assert found.error is not None and found.error < 0.02


VOIGT = voigt("voigt", "H_beta", H_BETA, 4.0, 3.0, 0.9)
SATURATED = stark("saturated", "H_beta", H_BETA, 20.0, 1.0, power=4.0)


@pytest.mark.parametrize("line", [VOIGT, SATURATED], ids=["voigt", "saturated"])
def test_other_profiles(line: KnownLine) -> None:
    found = measure_line(observed([line], 200.0, None), line.line)
    assert found.ew == pytest.approx(line.ew, rel=0.12)
    assert found.fwhm == pytest.approx(line.fwhm, rel=0.08)
    assert found.centroid == pytest.approx(line.centre, abs=0.1)


def test_a_double_peak_is_measured_and_noise_makes_few(rng: np.random.Generator) -> None:
    line = double_peak("disc", "H_alpha", H_ALPHA, 18.0, 12.0, 1.2)
    found = measure_line(observed([line], 40.0, rng), "H_alpha")
    assert "double_peaked" in found.flags
    assert found.separation_kms == pytest.approx(18.0 / H_ALPHA * LIGHT_KMS, rel=0.12)
    assert found.ew == pytest.approx(line.ew, rel=0.05)
    found = [measure_line(observed([BROAD], 15.0, rng), "H_alpha") for _ in range(60)]
    assert sum("double_peaked" in item.flags for item in found) <= 2


def test_blend_is_flagged() -> None:
    lines = [
        gaussian("Ha", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("C II", "CII_6578", 6576.0, 6.0, 0.6),
    ]
    assert "blended" in measure_line(observed(lines, 60.0, None), "H_alpha").flags
    assert "blended" not in measure_line(observed(lines[:1], 60.0, None), "H_alpha").flags


@pytest.mark.parametrize("at", [0, 3, 60, 140, 197])
@pytest.mark.parametrize("pixels", [9, 30, 200])
def test_filters_near_a_line_are_those_of_the_whole_range(
    at: int, pixels: int, rng: np.random.Generator
) -> None:
    wavelength = 6500.0 + 1.3 * np.arange(200)
    excess, sigma = rng.normal(0.0, 0.1, 200), rng.uniform(0.05, 0.2, 200)
    near = (wavelength[at], wavelength[min(at + pixels, 199)])
    found = strongest_feature(wavelength, excess, sigma, near, (4.0, 250.0))
    assert found is not None
    inside = (wavelength >= near[0]) & (wavelength <= near[1])
    scores = {}
    for width in 4.0 * WIDTH_STEP ** np.arange(14):
        half = min(int(3.0 * width / FWHM_PER_SIGMA / 1.3) + 1, 200)
        offset = np.arange(200)[:, None] - np.arange(200)
        filters = np.exp(-0.5 * (offset * 1.3 * FWHM_PER_SIGMA / width) ** 2)
        filters[np.abs(offset) > half] = 0.0
        overlap, power = filters @ (excess / sigma**2), filters**2 @ (1 / sigma**2)
        scores[width] = float(np.abs(overlap / np.sqrt(power))[inside].max())
    assert found.significance == pytest.approx(max(scores.values()))
    assert found.fwhm == pytest.approx(max(scores, key=scores.__getitem__))


def test_a_fit_without_a_solution_is_none() -> None:
    assert _solve(np.zeros((4, 4)), np.ones(4)) is None
    assert _solve(np.full((4, 4), np.nan), np.ones(4)) is None
    plain = np.diag([1.0, 2.0, 4.0, 8.0])
    assert np.array_equal(_solve(plain, np.ones(4)), [1.0, 0.5, 0.25, 0.125])
    assert np.array_equal(_solve(plain, np.eye(4)), np.diag([1.0, 0.5, 0.25, 0.125]))
