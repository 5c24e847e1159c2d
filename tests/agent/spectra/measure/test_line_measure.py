"""Lines of known width, area and wavelength, measured through noise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from agent.errors import WorkbenchError
from agent.spectra.lines import Line
from agent.spectra.measure.fitted_profile import _fwhm_kms, measure_between
from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.line_measure import (
    _centre_of,
    _integrated,
    equivalent_width,
    measure_line,
)
from agent.spectra.measure.measurement import LineMeasurement, Measurement
from agent.spectra.measure.sidebands import Level, continuum_beside, linear_continuum, side_level
from agent.spectra.measure.window_measure import line_row, measure_window
from agent.spectra.measure.wings import WingedLine, winged_line
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_grid
from agent.spectra.spectrum import FloatArray, Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    NARROW,
    WAVELENGTH,
    KnownLine,
    gaussian,
    observed,
    stark,
)
from tests.bench.measurement_table import FINE, SEEN, measure, seen

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
    assert abs(row.ew_bias) < 0.04 and abs(row.fwhm_bias) < 0.06
    assert 0.6 < row.ew_pull < 1.1


def test_wide_absorption_without_wings_gains_none() -> None:
    line = gaussian("rotating", "H_beta", H_BETA, 30.0, -0.5)
    row = measure(line, 50, N_DRAWS, seed=3)
    assert abs(row.ew_bias) < 0.02 and 0.7 < row.ew_pull < 1.2


@pytest.mark.parametrize("line", SEEN[:4], ids=lambda line: line.name)
def test_depth_width_and_area_are_of_one_line(line: KnownLine) -> None:
    """A Balmer line with wings, as LAMOST sees it: each is that of the line without noise."""
    row = seen(line, 1800, 60, 30)
    assert max(abs(row.fwhm_bias), abs(row.depth_bias)) < 4.0, row
    assert abs(row.ew_bias) < 6.0 and row.ew_pull < 1.4 and row.fwhm_pull < 1.4, row


@pytest.mark.parametrize("line", SEEN, ids=lambda line: line.name)
@pytest.mark.parametrize("resolution", [1000, 1800])
def test_noise_moves_neither_area_nor_width_nor_depth(line: KnownLine, resolution: float) -> None:
    """Stars, a disc's two peaks and a polar's core on its base, at S/N 10."""
    row = seen(line, resolution, 10, 60)
    assert max(abs(row.ew_bias), abs(row.fwhm_bias), abs(row.depth_bias)) < 5.0, row
    # Of 60 draws a scatter has an error of 9 %.
    assert max(row.ew_pull, row.fwhm_pull, row.depth_pull) < 1.3, row


def test_a_line_without_a_base_gains_none_by_noise() -> None:
    row = seen(gaussian("alone", "H_alpha", H_ALPHA, 9.0, 0.4), 1800, 10, 60)
    assert abs(row.ew_bias) < 5.0 and row.ew_pull < 1.3, row


def test_one_feature_has_one_name_and_what_is_not_resolved_no_width() -> None:
    sulphur = gaussian("S II", "SII_6716", 6718.3, 3.7, 0.5)
    window = measure_window(observed([sulphur], 50.0, None), 6650.0, 6780.0)
    assert [each.line for each in window.lines] == ["SII_6716"]
    assert "unresolved" in window.lines[0].flags
    assert "fwhm_kms" not in line_row(window.lines[0], 1.0)


@pytest.mark.parametrize(("name", "at", "fwhm", "height", "kind"), [
    ("CaI_4227", 4227.9, 8.0, -0.5, "absorption"), ("CaI_4227", 4227.9, 10.0, 0.5, ""),
    ("FeII_5169", 5170.5, 8.0, -0.5, "absorption"), ("FeII_5169", 5170.5, 28.0, -0.5, ""),
    ("FeII_5169", 5170.5, 28.0, 0.5, "emission"),  # of a disc
])  # fmt: skip
def test_neither_a_band_nor_the_gap_between_two_is_a_line_of_a_metal(
    name: str, at: float, fwhm: float, height: float, kind: str
) -> None:
    spectrum = observed([gaussian("seen", name, at, fwhm, height)], 50.0, None)
    row = line_row(measure_line(spectrum, name), 1.0)
    assert row["kind"] == kind and row["sigma"] > 10.0


def test_the_strongest_feature_of_a_window_and_its_line_have_one_number() -> None:
    lines = [
        gaussian("core", "HeII_4686", 4687.02, 7.0, 1.0),
        gaussian("base", "HeII_4686", 4687.02, 32.0, 0.3),
    ]
    window = measure_window(observed(lines, 50.0, None), 4550.0, 4800.0)
    beside = next(each for each in window.lines if each.line == "HeII_4686")
    assert window.feature == replace(beside, line="strongest")


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


def test_a_narrow_core_on_a_broad_base_keeps_the_base_and_neighbours_are_none() -> None:
    lines = [
        gaussian("core", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("base", "H_alpha", H_ALPHA, 40.0, 0.3),
    ]
    found = measure_line(observed(lines, 50.0, None), "H_alpha")
    assert found.ew == pytest.approx(lines[0].ew + lines[1].ew, rel=0.05)
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


def test_what_others_are_near_is_unsafe_or_not_the_line() -> None:
    for name, wavelength in (("OI_6300", 6302.04), ("HeI_6678", 6679.99)):
        line = gaussian(name, name, wavelength, 5.0, -0.5)
        found = measure_line(observed([line], 60.0, None), name)
        assert ("unsafe" in found.flags) == (name == "OI_6300"), found
    in_a_band = gaussian("K", "KI_7665", 7667.01, 5.0, -0.5)
    found = measure_line(observed([in_a_band], 60.0, None), "KI_7665")
    assert "O₂ A" in found.unsafe
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


def in_window(lo: float, hi: float) -> Line:
    return Line("x", "x", 0.5 * (lo + hi), window=(lo, hi))


def centroid(spectrum: Spectrum, line: Line) -> Measurement:
    found = _integrated("centroid", spectrum, line, 0.0)
    return found if isinstance(found, Measurement) else _centre_of(found)


def test_widths_and_centroids_of_a_window_have_calibrated_errors(rng: np.random.Generator) -> None:
    line = gaussian("x", "H_alpha", 6100.0, 10.0, -0.5)
    where = in_window(6080.0, 6120.0)
    found = [equivalent_width(observed([line], 20, rng), where) for _ in range(100)]
    values = np.array([item.number for item in found])
    pulls = (values - line.ew) / np.array([item.error for item in found])
    assert abs(values.mean() / line.ew - 1.0) < 3 * values.std() / line.ew / 10 + 0.01
    assert 0.8 < pulls.std() < 1.25
    line = gaussian("x", "H_alpha", 6101.3, 10.0, -0.5)
    found = [centroid(observed([line], 30, rng), where) for _ in range(100)]
    values = np.array([item.number for item in found])
    pulls = (values - 6101.3) / np.array([item.error for item in found])
    assert abs(values.mean() - 6101.3) < 3 * values.std() / 10 + 0.02
    assert 0.8 < pulls.std() < 1.25


def test_windows_that_cannot_be_measured_are_refused() -> None:
    spectrum = observed([], 50.0, None)
    for window in ((9000.0, 9200.0), (1.0, 2.0)):
        for function in (equivalent_width, centroid):
            found = function(spectrum, in_window(*window))
            assert found.value is None and found.reason, (function, window)
    assert centroid(spectrum, in_window(6000.0, 6040.0)).reason == "no line above 3 sigma"
    two_pixels = Spectrum(wavelength=np.array([6000.0, 6001.0]), flux=np.ones(2))
    assert equivalent_width(two_pixels, in_window(6000.0, 6001.0)).value is None


# A line between two points of the continuum: against lines whose numbers are known.
CENTRE, SIGMA_A = 6564.6, 6.0


def spectrum(depth: float, noise: float = 0.0, slope: float = 0.0, seed: int = 1) -> Spectrum:
    """A Gaussian line on a straight continuum of 100."""
    wavelength = np.linspace(6400.0, 6700.0, 600)
    continuum = 100.0 * (1.0 + slope * (wavelength - CENTRE) / 100.0)
    line = 1.0 - depth * np.exp(-0.5 * ((wavelength - CENTRE) / SIGMA_A) ** 2)
    flux = continuum * line + noise * np.random.default_rng(seed).normal(size=wavelength.size)
    ivar = np.full(wavelength.size, 1.0 / noise**2) if noise else None
    return Spectrum(wavelength=wavelength, flux=flux, ivar=ivar)


@pytest.mark.parametrize("depth", [0.5, -3.0])
@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_a_line_without_noise(depth: float, slope: float) -> None:
    found = measure_between(spectrum(depth, slope=slope), 6520.0, 6610.0)
    assert found.ew == pytest.approx(depth * SIGMA_A * np.sqrt(2.0 * np.pi), rel=0.01)
    assert found.centroid == pytest.approx(CENTRE, abs=0.1)
    fwhm = 2.3548 * SIGMA_A / CENTRE * LIGHT_KMS
    assert found.fwhm_kms == pytest.approx(fwhm, rel=0.03)
    assert found.ew_error is None and found.snr is None


def test_the_order_of_points_does_not_matter_and_a_rise_to_the_edge_has_no_width() -> None:
    one = spectrum(0.5, noise=1.0)
    assert measure_between(one, 6610.0, 6520.0) == measure_between(one, 6520.0, 6610.0)
    wavelength = 6500.0 + np.arange(20.0)
    assert _fwhm_kms(wavelength, np.arange(20.0)) is None
    assert _fwhm_kms(wavelength, np.zeros(20)) is None


def test_the_error_is_the_scatter_of_many_measurements() -> None:
    found = [measure_between(spectrum(0.5, 4.0, seed=each), 6520.0, 6610.0) for each in range(200)]
    scatter = float(np.std([each.ew for each in found]))
    stated = float(np.median([each.ew_error for each in found if each.ew_error is not None]))
    assert 0.6 < stated / scatter < 1.6
    assert found[0].snr == pytest.approx(25.0, rel=0.1)


def test_what_cannot_be_measured_is_told() -> None:
    with pytest.raises(WorkbenchError, match="too few good pixels"):
        measure_between(spectrum(0.5), 6500.0, 6500.3)
    with pytest.raises(WorkbenchError, match="too few good pixels"):
        measure_between(spectrum(0.5), 7000.0, 7100.0)
    dark = Spectrum(wavelength=np.linspace(5000.0, 5100.0, 200), flux=np.full(200, -1.0))
    with pytest.raises(WorkbenchError, match="not positive"):
        measure_between(dark, 5020.0, 5060.0)


# Wings that end nowhere, fitted together with the continuum that they depress.
def fitted(
    line: KnownLine, snr: float, reach: float = 3.0, continuum: float = 1.0
) -> WingedLine | None:
    """The fit of a line against a flat profile, which no line resembles."""
    spectrum = observed([line], snr, np.random.default_rng(2), continuum)
    grid = pixel_grid(spectrum)
    window = H_BETA - reach * line.fwhm, H_BETA + reach * line.fwhm

    def flat(wavelength: FloatArray) -> FloatArray:
        return np.full_like(wavelength, continuum / grid.scale)

    return winged_line(grid, window, H_BETA, line.fwhm, 0.45, 2.7, flat)


@pytest.mark.parametrize("continuum", [1.0, 3e-17])
def test_the_whole_line_is_found_within_its_error(continuum: float):
    line = stark("DA", "H_beta", H_BETA, 34.0, 0.45)
    found = fitted(line, 60.0, continuum=continuum)
    assert found is not None and found.share > 0.999
    assert found.ew == pytest.approx(line.ew, abs=3 * found.ew_error)
    assert 0.01 < found.ew_error / line.ew < 0.06
    assert found.depth == pytest.approx(0.45, abs=3 * found.depth_error)
    assert found.fwhm == pytest.approx(line.fwhm, abs=3 * found.fwhm_error)


def test_the_area_of_a_line_that_is_hardly_resolved_is_not_biased_by_noise():
    line, window = SEEN[1], (H_BETA - 30.0, H_BETA + 30.0)
    wavelength = np.arange(4700.0, 5000.0, 1.9)
    seen_flux = 1.0 + gaussian_filter1d(line.shape(FINE), H_BETA / 1000 / 2.3548 / 0.1)
    clean = np.interp(wavelength, FINE, seen_flux)
    rng, found = np.random.default_rng(4), []
    for _ in range(300):
        flux = clean + 0.1 * rng.normal(size=clean.size)
        ivar = np.full(clean.size, 100.0)
        grid = pixel_grid(Spectrum(wavelength=wavelength, flux=flux, ivar=ivar))
        whole = winged_line(grid, window, H_BETA, 8.4, 0.39, H_BETA / 1000, np.ones_like)
        found.append(whole.ew if whole is not None else np.nan)
    assert np.nanmean(found) == pytest.approx(line.ew, rel=0.05)


def test_the_error_grows_with_the_noise():
    line = stark("DA", "H_beta", H_BETA, 34.0, 0.45)
    quiet, noisy = fitted(line, 100.0), fitted(line, 20.0)
    assert quiet is not None and noisy is not None
    assert noisy.ew_error > 2.0 * quiet.ew_error and noisy.fwhm_error > 2.0 * quiet.fwhm_error


def test_too_few_pixels_and_emission_are_refused():
    assert fitted(stark("DA", "H_beta", H_BETA, 34.0, 0.45), 60.0, reach=0.2) is None
    assert fitted(gaussian("CV", "H_beta", H_BETA, 30.0, 1.0), 60.0) is None


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
    clipped = side_level(grid, lo, hi)
    assert clipped is not None and clipped.mean == pytest.approx(1.0)
    assert clipped.error == pytest.approx(0.05 / np.sqrt(20))
    found = continuum_beside(grid, (lo, lo), (lo, hi), "feature")
    assert found == "no continuum beside the feature"


def test_a_continuum_needs_two_levels_above_the_noise() -> None:
    blue, red = Level(1.0, 0.1, 5000.0), Level(3.0, 0.1, 5100.0)
    line = linear_continuum(blue, red)
    assert not isinstance(line, str)
    assert line.at(np.array([5000.0, 5050.0, 5150.0])).tolist() == [1.0, 2.0, 4.0]
    assert linear_continuum(red, blue) == "the side windows do not lie on both sides"
    faint = Level(0.2, 0.1, 5000.0)
    assert linear_continuum(faint, red) == "the continuum is not above the noise"
