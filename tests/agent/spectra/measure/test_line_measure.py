"""Lines of known width, area and wavelength, measured through noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.pixel_grid import LIGHT_KMS
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    NARROW,
    KnownLine,
    gaussian,
    observed,
    stark,
)
from tests.bench.measurement_table import measure

N_DRAWS = 80


@pytest.mark.parametrize("line", [NARROW, BROAD], ids=["narrow", "broad"])
@pytest.mark.parametrize("snr", [10, 30])
def test_unbiased_with_calibrated_errors(line: KnownLine, snr: int) -> None:
    row = measure(line, snr, N_DRAWS, seed=3)
    assert row.found == 1.0
    for bias, scatter in ((row.ew_bias, row.ew_scatter), (row.fwhm_bias, row.fwhm_scatter)):
        assert abs(bias) < 3.0 * scatter / math.sqrt(N_DRAWS) + 0.01
    for pull in (row.ew_pull, row.fwhm_pull, row.centre_pull):
        assert 0.8 < pull < 1.25


@pytest.mark.parametrize("fwhm", [20.0, 34.0, 55.0])
@pytest.mark.parametrize("power", [2.3, 2.5])
@pytest.mark.parametrize("snr", [25, 60])
def test_wide_absorption_keeps_its_far_wings(fwhm: float, power: float, snr: int) -> None:
    """White dwarfs of known equivalent width, which window and side windows cannot hold."""
    line = stark("DA", "H_beta", H_BETA, fwhm, 0.45, power)
    row = measure(line, snr, N_DRAWS, seed=3)
    assert abs(row.ew_bias) < 0.03 and abs(row.fwhm_bias) < 0.06
    assert 0.6 < row.ew_pull < 1.1


def test_wide_absorption_without_wings_gains_none() -> None:
    line = gaussian("rotating", "H_beta", H_BETA, 30.0, -0.5)
    row = measure(line, 50, N_DRAWS, seed=3)
    assert abs(row.ew_bias) < 0.02 and 0.7 < row.ew_pull < 1.2


def test_faint_lines_keep_calibrated_errors() -> None:
    row = measure(BROAD, 3, N_DRAWS, seed=4)
    assert row.found == 1.0 and abs(row.ew_bias) < 0.08
    assert 0.8 < row.ew_pull < 1.25 and 0.8 < row.fwhm_pull < 1.3


def test_velocity_and_kind() -> None:
    shift = 1.0 + 220.0 / LIGHT_KMS
    line = gaussian("Ha", "H_alpha", H_ALPHA * shift, 10.0, -0.4)
    found = measure_line(observed([line], 100.0, None), "H_alpha")
    assert found.velocity_kms == pytest.approx(220.0, abs=4.0)
    assert found.kind == "absorption" and "broad" not in found.flags
    assert found.ew == pytest.approx(line.ew / shift, rel=0.02)


def test_narrow_core_on_a_broad_base_keeps_the_base() -> None:
    lines = [
        gaussian("core", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("base", "H_alpha", H_ALPHA, 40.0, 0.3),
    ]
    found = measure_line(observed(lines, 50.0, None), "H_alpha")
    assert found.ew == pytest.approx(lines[0].ew + lines[1].ew, rel=0.05)


def test_neighbours_are_not_a_broad_base() -> None:
    lines = [
        gaussian("Ha", "H_alpha", H_ALPHA, 5.0, 2.0),
        gaussian("N II", "NII_6548", 6549.86, 5.0, 0.4),
        gaussian("N II", "NII_6583", 6585.27, 5.0, 1.2),
    ]
    found = measure_line(observed(lines, 50.0, None), "H_alpha")
    assert found.ew == pytest.approx(lines[0].ew, rel=0.06)
    assert "neighbours" in found.flags


def test_absent_line_gets_an_upper_limit(rng: np.random.Generator) -> None:
    found = [measure_line(observed([], 20.0, rng), "HeI_6678") for _ in range(60)]
    quiet = [item for item in found if not item.is_detected]
    assert len(quiet) > 45  # the best of many positions and widths sometimes exceeds 3 sigma
    pulls = np.array([item.ew / item.ew_error for item in quiet])
    assert 0.5 < pulls.std() < 1.3
    assert all(item.kind == "" and item.centroid is None for item in quiet)


def test_sky_and_telluric_wavelengths_are_unsafe() -> None:
    for name, wavelength in (("OI_6300", 6302.04), ("HeI_6678", 6679.99)):
        line = gaussian(name, name, wavelength, 5.0, -0.5)
        found = measure_line(observed([line], 60.0, None), name)
        assert ("unsafe" in found.flags) == (name == "OI_6300"), found
    in_a_band = gaussian("K", "KI_7665", 7667.01, 5.0, -0.5)
    found = measure_line(observed([in_a_band], 60.0, None), "KI_7665")
    assert "O₂ A" in found.unsafe


def test_a_stronger_neighbour_is_not_the_line() -> None:
    spectrum = observed([gaussian("Ha", "H_alpha", H_ALPHA, 28.0, 2.0)], 60.0, None)
    found = measure_line(spectrum, "NII_6548")
    assert not found.is_detected and "stronger feature" in found.reason


@pytest.mark.parametrize("has_errors", [True, False])
def test_without_errors_the_scatter_of_the_flux_is_used(
    has_errors: bool, rng: np.random.Generator
) -> None:
    found: list[LineMeasurement] = []
    for _ in range(60):
        spectrum = observed([BROAD], 20.0, rng, has_errors=has_errors)
        found.append(measure_line(spectrum, "H_alpha"))
    pulls = np.array([((item.ew or 0) - BROAD.ew) / (item.ew_error or np.nan) for item in found])
    assert 0.75 < pulls.std() < 1.25
