import numpy as np
import pytest

from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.profiles import WIDTH_STEP, _solve, strongest_feature
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.smoothing import FWHM_PER_SIGMA
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    KnownLine,
    double_peak,
    gaussian,
    observed,
    stark,
    voigt,
)

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
    found = strongest_feature(wavelength, excess, sigma, near, 4.0, 250.0)
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
