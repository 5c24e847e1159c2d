import json
import math

import numpy as np
import pytest

from agent.evidence.measurements import window_table
from agent.evidence.star_velocity import velocity_from_lines
from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_search import ON_HUMP, measure_feature
from agent.spectra.measure.measurement import LineMeasurement
from agent.spectra.measure.window_measure import line_row, measure_window, zoom_numbers
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    NARROW,
    STAR,
    WAVELENGTH,
    band,
    gaussian,
    observed,
    stark,
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


def between_bands() -> np.ndarray:
    """A continuum as that of an M star: a hump at Hα, with the teeth of bands all over it."""
    hump = np.interp(WAVELENGTH, [6150, 6200, 6545, 6560, 6720], [0.9, 0.8, 1.4, 1.4, 0.9])
    for head in np.arange(6160.0, 7000.0, 20.0):
        away = np.maximum(WAVELENGTH - head, 0.0)
        hump *= 1.0 - 0.1 * np.where(away > 0, np.exp(-away / 10.0), 0.0)
    return hump


def test_emission_between_bands_is_found_though_the_hump_is_no_line() -> None:
    line = gaussian("Ha", "H_alpha", H_ALPHA, 4.5, 0.5)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        spectrum = observed([line], 60.0, rng, continuum=between_bands())
        found = measure_line(spectrum, "H_alpha")
        assert found.kind == "emission" and ON_HUMP in found.flags
        assert found.centroid == pytest.approx(H_ALPHA, abs=0.5)
        assert found.ew == pytest.approx(line.ew, rel=0.2)
        table = zoom_numbers(spectrum, 6400.0, 6750.0)
        assert table["feature"]["ew"] == table["lines"][-1]["ew"] and "reason" not in table
        assert table["lines"][-1]["name"] == "H_alpha"


def test_a_hump_between_bands_alone_is_no_line(rng: np.random.Generator) -> None:
    spectrum = observed([], 60.0, rng, continuum=between_bands())
    assert measure_line(spectrum, "H_alpha").centroid is None
    assert zoom_numbers(spectrum, 6400.0, 6750.0)["reason"]


def with_bands(hump: float, width: float) -> np.ndarray:
    """The deep TiO band of an M star at 7050 Å, and a hump at Hα."""
    band_of_tio = np.where((WAVELENGTH > 7050.0) & (WAVELENGTH < 7300.0), 0.5, 1.0)
    return band_of_tio * (1.0 + gaussian("hump", "", H_ALPHA, width, hump).shape(WAVELENGTH))


@pytest.mark.parametrize(
    ("hump", "width", "height"), [(0.3, 70.0, 4.0), (0.3, 120.0, 1.5), (0.6, 120.0, 0.5)]
)
def test_the_hump_between_bands_is_no_part_of_a_line(
    hump: float, width: float, height: float, rng: np.random.Generator
) -> None:
    line = gaussian("Ha", "H_alpha", H_ALPHA, 5.0, height)
    continuum = with_bands(hump, width)
    found = measure_line(observed([line], 60.0, rng, continuum=continuum), "H_alpha")
    assert found.ew == pytest.approx(line.ew, rel=0.2)  # five times as much with the hump
    assert found.fwhm == pytest.approx(line.fwhm, rel=0.1)


def test_a_broad_line_has_its_base_though_the_donor_has_bands() -> None:
    core, base = (gaussian("Ha", "H_alpha", H_ALPHA, width, 1.0) for width in (20.0, 60.0))
    plain, found = (
        measure_line(observed([core, base], 60.0, None, continuum=continuum), "H_alpha")
        for continuum in (1.0, with_bands(0.0, 10.0))
    )
    assert "broad" in found.flags and found.ew == pytest.approx(plain.ew, rel=0.02)
    assert found.fwhm == pytest.approx(plain.fwhm, rel=0.02)


@pytest.mark.parametrize(("fwhm", "is_named"), [(10.0, True), (60.0, False)])
def test_a_wide_feature_is_no_narrow_line(
    fwhm: float, is_named: bool, rng: np.random.Generator
) -> None:
    hump = gaussian("hump", "FeII_4924", 4925.3, fwhm, 0.8)
    feature = zoom_numbers(observed([hump], 60.0, rng), 4700.0, 5150.0)["feature"]
    assert feature["kind"] == "emission"
    assert ("Fe II 4924" in feature.get("nearest", ())) is is_named


@pytest.mark.parametrize("height", [0.5, -0.5])
def test_a_wide_feature_of_no_line_is_a_band_where_bands_are_deep(
    height: float, rng: np.random.Generator
) -> None:
    hump = gaussian("hump", "", 5470.0, 80.0, height)
    for continuum in (1.0, with_bands(0.0, 10.0)):
        spectrum = observed([hump], 60.0, rng, continuum=continuum)
        table = window_table(spectrum, 5250.0, 5650.0)
        assert ("feature" in table) is isinstance(continuum, float)
        assert ("no line stands apart" in table.get("reason", "")) is ("feature" not in table)


@pytest.mark.parametrize("height", [0.5, -0.5])
def test_air_absorbs_and_never_emits(height: float, rng: np.random.Generator) -> None:
    bump = gaussian("bump", "", 7188.0, 40.0, height)
    feature = zoom_numbers(observed([bump], 60.0, rng), 7050.0, 7450.0)["feature"]
    is_named = any("H₂O" in label for label in feature.get("nearest", ()))
    assert is_named is (height < 0)


def test_a_cool_star_absorbs_at_no_line_of_hot_gas(rng: np.random.Generator) -> None:
    dip = gaussian("dip", "HeI_4922", 4923.3, 8.0, -0.4)
    for below in (1.0, 0.4):  # without and with a break at 4000 Å
        continuum = np.where(WAVELENGTH < 4000.0, below, 1.0)
        table = window_table(observed([dip], 60.0, rng, continuum=continuum), 4700.0, 5150.0)
        names = [row["name"] for row in table.get("lines", ())]
        assert ("HeI_4922" in names) is (below == 1.0)
        assert ("He I 4922" in table["feature"].get("nearest", ())) is (below == 1.0)


def test_a_spike_of_one_pixel_is_no_more_significant_than_its_height_over_the_noise() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        wavelength = np.arange(5000.0, 5400.0, rng.uniform(2.0, 6.0))
        flux = 1.0 + 0.01 * rng.normal(size=wavelength.size)
        middle = wavelength.size // 2
        flux[middle] += rng.choice([-0.3, -0.1, 0.1, 0.3])
        ivar = np.full(wavelength.size, 1e4)
        spectrum = Spectrum(wavelength=wavelength, flux=flux, ivar=ivar)
        near = wavelength[middle - 1], wavelength[middle + 1]
        found = measure_feature(spectrum, near, "spike", 60.0)
        assert found.significance < 40.0
        assert found.centroid is None or found.centroid_error


def spiked(masked: bool) -> Spectrum:
    spectrum = observed([gaussian("Ha", "H_alpha", H_ALPHA, 20.0, -0.5)], 60.0, None)
    flux = np.array(spectrum.flux)
    flux[int(np.searchsorted(WAVELENGTH, H_ALPHA + 6.0))] = 40.0
    return Spectrum(
        wavelength=WAVELENGTH, flux=flux, ivar=spectrum.ivar, mask=(flux > 10) if masked else None,
        survey="LAMOST",
    )  # fmt: skip


def test_masked_spike_changes_nothing() -> None:
    line = gaussian("", "H_alpha", H_ALPHA, 20.0, -0.5)
    clean = measure_line(observed([line], 60, None), "H_alpha")
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


@pytest.mark.parametrize("fwhm", [14.0, 25.0, 45.0])
def test_half_depth_width_is_the_width(fwhm: float) -> None:
    line = stark("wide", "H_beta", H_BETA, fwhm, 0.6, power=3.5)
    found = measure_index(observed([line], 200.0, None), "H_beta_D2")
    assert found.value == pytest.approx(fwhm, rel=0.08)


def test_half_depth_width_errors_are_calibrated(rng: np.random.Generator) -> None:
    line = stark("wide", "H_beta", H_BETA, 30.0, 0.6, power=3.5)
    truth = measure_index(observed([line], 1e4, None), "H_beta_D2").number
    found = [measure_index(observed([line], 20.0, rng), "H_beta_D2") for _ in range(80)]
    pulls = np.array([(item.number - truth) / (item.error or np.nan) for item in found])
    assert 0.6 < np.nanstd(pulls) < 1.4
    assert abs(np.nanmean([item.number for item in found]) / truth - 1.0) < 0.05


def moved(spectrum: Spectrum, velocity_kms: float) -> Spectrum:
    factor = 1.0 + velocity_kms / LIGHT_KMS
    return Spectrum(
        wavelength=spectrum.wavelength * factor, flux=spectrum.flux, ivar=spectrum.ivar,
        survey=spectrum.survey,
    )  # fmt: skip


@pytest.mark.parametrize("velocity", [-310.0, 45.0, 180.0])
def test_velocity_from_lines(velocity: float, rng: np.random.Generator) -> None:
    found = velocity_from_lines(moved(observed(STAR, 30.0, rng), velocity))
    assert found.error is not None
    assert abs(found.number - velocity) < max(4 * found.error, 15.0)
    assert found.error < 25.0


def test_velocity_of_noise_is_refused(rng: np.random.Generator) -> None:
    assert velocity_from_lines(observed([], 10.0, rng)).value is None


def test_numbers_of_a_window_with_a_line(rng: np.random.Generator) -> None:
    spectrum = observed([BROAD], 25.0, rng)
    numbers = zoom_numbers(spectrum, 6450.0, 6680.0)
    assert json.loads(json.dumps(numbers)) == numbers
    assert numbers["snr"] == pytest.approx(26.0, rel=0.2)
    assert numbers["feature"]["nearest"][0] == "Hα"
    assert numbers["feature"]["kind"] == "emission"
    assert numbers["feature"]["ew"] == pytest.approx(BROAD.ew, rel=0.08)
    assert [line["name"] for line in numbers["lines"]] == ["H_alpha"]
    assert numbers["n_bad"] == 0 and "reason" not in numbers
    assert abs(measure_window(spectrum, 6450.0, 6680.0).nearest[0].offset) < 1.0


def test_wavelengths_are_at_rest_if_the_pictures_are() -> None:
    z = 300.0 / LIGHT_KMS
    rest = observed([BROAD], 100.0, None)
    moving = Spectrum(wavelength=WAVELENGTH * (1 + z), flux=rest.flux, ivar=rest.ivar)
    at_rest = zoom_numbers(moving, 6450.0, 6680.0, z)["feature"]["centroid"]
    as_observed = zoom_numbers(moving, 6450.0, 6680.0)["feature"]["centroid"]
    assert at_rest == pytest.approx(H_ALPHA, abs=0.5)
    assert as_observed == pytest.approx(H_ALPHA * (1 + z), abs=0.5)


def test_edges_unsafe_regions_and_the_reason_for_no_feature(rng: np.random.Generator) -> None:
    carbon = zoom_numbers(observed([band("C2_5165", 0.4)], 30.0, rng), 4950.0, 5250.0)
    assert carbon["edges"][0]["name"] == "C2_5165_edge"
    assert carbon["edges"][0]["drop"] > 0.2
    assert "O₂ A" in zoom_numbers(observed([], 25.0, rng), 7560.0, 7620.0)["unsafe"]
    outside = zoom_numbers(observed([], 25.0, rng), 9500.0, 9600.0)
    assert outside == {"n_pixels": 0, "n_bad": 0, "reason": "outside the spectrum"}


def test_without_a_profile_the_significance_is_that_of_the_width():
    hidden = LineMeasurement(line="OIII_4959", ew=-0.06, ew_error=0.24, significance=2.9)
    found = LineMeasurement("H_9", -4.0, 1.0, centroid=3836.5, peak=0.4, significance=26.0)
    assert line_row(hidden, 1.0)["sigma"] == 0.25
    assert line_row(found, 1.0)["sigma"] == 26.0
    assert "sigma" not in line_row(LineMeasurement(line="H_9", significance=2.9), 1.0)


@pytest.mark.parametrize(("peak", "ew", "told"), [
    (0.4, -4.0, "emission"), (-0.4, 4.0, "absorption"), (0.2, 0.6, ""), (-0.2, -0.6, ""),
])  # fmt: skip
def test_a_line_is_named_only_where_peak_and_width_agree(peak: float, ew: float, told: str) -> None:
    line = LineMeasurement(line="H_9", peak=peak, ew=ew, ew_error=0.02, significance=26.0)
    assert line_row(line, 1.0)["kind"] == told
