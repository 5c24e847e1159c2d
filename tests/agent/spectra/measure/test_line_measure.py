"""Lines of known width, area and place, measured through noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.sampling import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    NARROW,
    WAVELENGTH,
    WIDE,
    KnownLine,
    gaussian,
    observed,
    stark,
    twin,
    voigt,
)
from tests.bench.measurement_table import measure

N_DRAWS = 80
VOIGT = voigt("voigt", "H_beta", H_BETA, 4.0, 3.0, 0.9)
SATURATED = stark("saturated", "H_beta", H_BETA, 20.0, 1.0, power=4.0)


@pytest.mark.parametrize("line", [NARROW, BROAD], ids=["narrow", "broad"])
@pytest.mark.parametrize("snr", [10, 30])
def test_unbiased_with_calibrated_errors(line: KnownLine, snr: int) -> None:
    row = measure(line, snr, N_DRAWS, seed=3)
    assert row.found == 1.0
    for bias, scatter in ((row.ew_bias, row.ew_scatter), (row.fwhm_bias, row.fwhm_scatter)):
        assert abs(bias) < 3.0 * scatter / math.sqrt(N_DRAWS) + 0.01
    for pull in (row.ew_pull, row.fwhm_pull, row.centre_pull):
        assert 0.8 < pull < 1.25


def test_wide_absorption_loses_only_its_far_wings() -> None:
    row = measure(WIDE, 50, N_DRAWS, seed=3)
    # What lies beyond the side windows, and what the wings take from the continuum there.
    assert -0.12 < row.ew_bias < 0.0
    assert abs(row.fwhm_bias) < 0.05
    assert 0.8 < row.ew_pull < 1.25


def test_faint_lines_keep_calibrated_errors() -> None:
    row = measure(BROAD, 3, N_DRAWS, seed=4)
    assert row.found == 1.0 and abs(row.ew_bias) < 0.08
    assert 0.8 < row.ew_pull < 1.25 and 0.8 < row.fwhm_pull < 1.3


@pytest.mark.parametrize("line", [VOIGT, SATURATED], ids=["voigt", "saturated"])
def test_other_profiles(line: KnownLine) -> None:
    found = measure_line(observed([line], 200.0, None), line.line)
    assert found.ew == pytest.approx(line.ew, rel=0.12)
    assert found.fwhm == pytest.approx(line.fwhm, rel=0.08)
    assert found.centroid == pytest.approx(line.centre, abs=0.1)


def test_velocity_and_kind_are_told() -> None:
    shift = 1.0 + 220.0 / LIGHT_KMS
    line = gaussian("Ha", "H_alpha", H_ALPHA * shift, 10.0, -0.4)
    found = measure_line(observed([line], 100.0, None), "H_alpha")
    assert found.velocity_kms == pytest.approx(220.0, abs=4.0)
    assert found.kind == "absorption" and "broad" not in found.flags
    assert found.ew == pytest.approx(line.ew / shift, rel=0.02)


def test_instrument_width_is_taken_out() -> None:
    instrument = H_ALPHA / 1800.0
    line = gaussian("Ha", "H_alpha", H_ALPHA, math.hypot(8.0, instrument), 1.0)
    found = measure_line(observed([line], 200.0, None), "H_alpha")
    assert found.fwhm_kms == pytest.approx(8.0 / H_ALPHA * LIGHT_KMS, rel=0.02)
    assert "unresolved" not in found.flags


def test_unresolved_line_is_flagged(rng: np.random.Generator) -> None:
    found = measure_line(observed([NARROW], 40.0, rng), "H_alpha")
    assert "unresolved" in found.flags and "broad" not in found.flags
    assert found.fwhm_kms is not None and found.fwhm_kms < 120.0


def test_without_a_known_resolution_nothing_is_taken_out() -> None:
    found = measure_line(observed([BROAD], 100.0, None, survey=""), "H_alpha")
    assert found.fwhm_kms == pytest.approx(28.5 / H_ALPHA * LIGHT_KMS, rel=0.02)
    assert "broad" in found.flags


def test_double_peak_is_seen_and_measured(rng: np.random.Generator) -> None:
    line = twin("disc", "H_alpha", H_ALPHA, 18.0, 12.0, 1.2)
    found = measure_line(observed([line], 40.0, rng), "H_alpha")
    assert "double_peaked" in found.flags
    assert found.separation_kms == pytest.approx(18.0 / H_ALPHA * LIGHT_KMS, rel=0.12)
    assert found.ew == pytest.approx(line.ew, rel=0.05)


def test_noise_alone_makes_few_double_peaks(rng: np.random.Generator) -> None:
    found = [measure_line(observed([BROAD], 15.0, rng), "H_alpha") for _ in range(60)]
    assert sum("double_peaked" in item.flags for item in found) <= 2


def test_blend_is_flagged() -> None:
    lines = [
        gaussian("Ha", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("C II", "CII_6578", 6576.0, 6.0, 0.6),
    ]
    assert "blended" in measure_line(observed(lines, 60.0, None), "H_alpha").flags
    assert "blended" not in measure_line(observed(lines[:1], 60.0, None), "H_alpha").flags


def test_narrow_core_on_a_broad_base_keeps_the_base() -> None:
    lines = [
        gaussian("core", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("base", "H_alpha", H_ALPHA, 40.0, 0.3),
    ]
    found = measure_line(observed(lines, 50.0, None), "H_alpha")
    assert found.ew == pytest.approx(lines[0].ew + lines[1].ew, rel=0.05)


def test_neighbours_are_not_taken_for_a_base() -> None:
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
    assert len(quiet) > 45  # the best of many places and widths exceeds 3 sigma now and then
    pulls = np.array([item.ew / item.ew_error for item in quiet])
    assert 0.5 < pulls.std() < 1.3
    assert all(item.kind == "" and item.centroid is None for item in quiet)


def test_sky_and_telluric_places_are_unsafe() -> None:
    for name, wavelength in (("OI_6300", 6302.04), ("HeI_6678", 6679.99)):
        line = gaussian(name, name, wavelength, 5.0, -0.5)
        found = measure_line(observed([line], 60.0, None), name)
        assert ("unsafe" in found.flags) == (name == "OI_6300"), found
    in_a_band = gaussian("K", "KI_7665", 7667.01, 5.0, -0.5)
    found = measure_line(observed([in_a_band], 60.0, None), "KI_7665")
    assert "O₂ A" in found.unsafe


def test_a_neighbour_is_not_taken_for_the_line() -> None:
    spectrum = observed([gaussian("Ha", "H_alpha", H_ALPHA, 28.0, 2.0)], 60.0, None)
    found = measure_line(spectrum, "NII_6548")
    assert not found.is_detected and "stronger feature" in found.reason


def test_edge_of_the_spectrum_is_told() -> None:
    cut = WAVELENGTH[WAVELENGTH < H_ALPHA + 8.0]
    line = gaussian("Ha", "H_alpha", H_ALPHA, 12.0, 1.0)
    found = measure_line(observed([line], 60.0, None, wavelength=cut), "H_alpha")
    assert found.ew is None and "edge" in found.reason
    short = observed([], 60.0, None, wavelength=WAVELENGTH[:500])
    assert measure_line(short, "H_alpha").reason == "outside the spectrum"
    assert measure_line(short, "H_omega").reason == "no line has this name"


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


def test_block_of_dead_pixels_in_a_line_is_told() -> None:
    line = gaussian("Ha", "H_alpha", H_ALPHA, 20.0, 1.0)
    ivar = np.where(np.abs(WAVELENGTH - H_ALPHA) < 6.0, 0.0, 900.0)
    flux = np.where(ivar > 0, 1.0 + line.shape(WAVELENGTH), 0.0)
    found = measure_line(Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=ivar), "H_alpha")
    assert found.ew is None and found.reason
    everything = Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=np.zeros(flux.size))
    assert measure_line(everything, "H_alpha").ew is None


def test_negative_continuum_is_told() -> None:
    flux = -1.0 - BROAD.shape(WAVELENGTH)
    found = measure_line(Spectrum(wavelength=WAVELENGTH, flux=flux), "H_alpha")
    assert found.ew is None and found.reason


@pytest.mark.parametrize("has_errors", [True, False])
def test_without_errors_the_scatter_serves(has_errors: bool, rng: np.random.Generator) -> None:
    found: list[LineMeasurement] = []
    for _ in range(60):
        spectrum = observed([BROAD], 20.0, rng, has_errors=has_errors)
        found.append(measure_line(spectrum, "H_alpha"))
    pulls = np.array([((item.ew or 0) - BROAD.ew) / (item.ew_error or np.nan) for item in found])
    assert 0.75 < pulls.std() < 1.25


def test_undersampled_line_is_flagged() -> None:
    coarse = np.arange(5000.0, 8000.0, 5.0)
    line = gaussian("Ha", "H_alpha", H_ALPHA, 7.0, 2.0)
    found = measure_line(observed([line], 60.0, None, wavelength=coarse, survey=""), "H_alpha")
    assert "undersampled" in found.flags
