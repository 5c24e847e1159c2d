"""Windows one names oneself, signal-to-noise, slopes, velocities, and what is told of a window."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.areas import centroid, equivalent_width
from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.noise import join_step, quality, signal_to_noise
from agent.spectra.measure.slope import flux_ratio, power_law_index
from agent.spectra.measure.velocity import cross_correlate, velocity_from_lines
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.sampling import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    WAVELENGTH,
    gaussian,
    observed,
    stark,
)
from tests.agent.spectra.measure.test_indices import band

STAR = [
    gaussian("Ha", "H_alpha", H_ALPHA, 9.0, -0.5),
    gaussian("Hb", "H_beta", H_BETA, 9.0, -0.5),
    gaussian("Hg", "H_gamma", 4341.69, 9.0, -0.5),
    gaussian("Hd", "H_delta", 4102.90, 9.0, -0.5),
    gaussian("Mg", "MgI_5183", 5185.04, 5.0, -0.4),
    gaussian("Ca", "CaII_8542", 8544.44, 7.0, -0.4),
    gaussian("Ca", "CaII_8662", 8664.52, 7.0, -0.4),
]


def moved(spectrum: Spectrum, velocity_kms: float) -> Spectrum:
    factor = 1.0 + velocity_kms / LIGHT_KMS
    return Spectrum(
        wavelength=spectrum.wavelength * factor,
        flux=spectrum.flux,
        ivar=spectrum.ivar,
        survey=spectrum.survey,
    )


def test_equivalent_width_of_a_named_window(rng: np.random.Generator) -> None:
    line = gaussian("x", "H_alpha", 6100.0, 10.0, -0.5)
    found = [equivalent_width(observed([line], 20, rng), (6080.0, 6120.0)) for _ in range(100)]
    values = np.array([item.number for item in found])
    pulls = (values - line.ew) / np.array([item.error for item in found])
    assert abs(values.mean() / line.ew - 1.0) < 3 * values.std() / line.ew / 10 + 0.01
    assert 0.8 < pulls.std() < 1.25


def test_centroid_errors_are_calibrated(rng: np.random.Generator) -> None:
    line = gaussian("x", "H_alpha", 6101.3, 10.0, -0.5)
    found = [centroid(observed([line], 30, rng), (6080.0, 6120.0)) for _ in range(100)]
    values = np.array([item.number for item in found])
    pulls = (values - 6101.3) / np.array([item.error for item in found])
    assert abs(values.mean() - 6101.3) < 3 * values.std() / 10 + 0.02
    assert 0.8 < pulls.std() < 1.25


def test_windows_that_cannot_be_measured_say_so() -> None:
    spectrum = observed([], 50.0, None)
    for window in ((9000.0, 9200.0), (6010.0, 6000.0), (float("nan"), 6000.0), (1.0, 2.0)):
        for function in (equivalent_width, centroid):
            found = function(spectrum, window)
            assert found.value is None and found.reason, (function, window)
    assert centroid(spectrum, (6000.0, 6040.0)).reason == "no line above 3 sigma"
    two_pixels = Spectrum(wavelength=np.array([6000.0, 6001.0]), flux=np.ones(2))
    assert equivalent_width(two_pixels, (6000.0, 6001.0)).value is None


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


def test_power_law_index(rng: np.random.Generator) -> None:
    spectrum = observed(STAR, 30.0, rng, continuum=(WAVELENGTH / 5000.0) ** -2.2)
    assert power_law_index(spectrum, 4000.0, 8200.0).value == pytest.approx(-2.2, abs=0.1)
    ratio = flux_ratio(spectrum, (4500.0, 4600.0), (7400.0, 7500.0))
    assert ratio.value == pytest.approx((4550.0 / 7450.0) ** -2.2, rel=0.02)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_pseudo_continuum_passes_lines_of_either_sign(
    sign: float, rng: np.random.Generator
) -> None:
    lines = [gaussian(str(at), "", at, 25.0, sign * 0.6) for at in (4102.9, 4341.7, 4862.7, 6564.6)]
    truth = (WAVELENGTH / 6000.0) ** -1.5
    continuum = pseudo_continuum(observed(lines, 25.0, rng, continuum=truth))
    assert np.median(np.abs(continuum / truth - 1.0)) < 0.01
    assert np.percentile(np.abs(continuum / truth - 1.0), 98) < 0.06


def test_pseudo_continuum_of_noise_is_unbiased(rng: np.random.Generator) -> None:
    continuum = pseudo_continuum(observed([], 4.0, rng))
    assert abs(continuum.mean() - 1.0) < 0.02


@pytest.mark.parametrize("velocity", [-310.0, 45.0, 180.0])
def test_velocity_from_lines(velocity: float, rng: np.random.Generator) -> None:
    found = velocity_from_lines(moved(observed(STAR, 30.0, rng), velocity))
    assert found.error is not None
    assert abs(found.number - velocity) < max(4 * found.error, 15.0)
    assert found.error < 25.0


@pytest.mark.parametrize("velocity", [-250.0, 0.0, 120.0])
def test_velocity_by_cross_correlation(velocity: float, rng: np.random.Generator) -> None:
    template = observed(STAR, 1000.0, None)
    found = cross_correlate(moved(observed(STAR, 20.0, rng), velocity), template)
    assert found.number == pytest.approx(velocity, abs=20.0)
    assert found.error is not None and found.error < 60.0


def test_velocity_of_noise_is_refused(rng: np.random.Generator) -> None:
    noise = observed([], 10.0, rng)
    assert velocity_from_lines(noise).value is None
    assert cross_correlate(noise, observed(STAR, 1000.0, None)).value is None


def test_window_names_the_line_it_shows(rng: np.random.Generator) -> None:
    seen = measure_window(observed([BROAD], 25.0, rng), 6450.0, 6680.0)
    assert seen.feature is not None and seen.feature.kind == "emission"
    assert seen.nearest[0].line.id == "H_alpha" and abs(seen.nearest[0].offset) < 1.0
    assert seen.feature.ew == pytest.approx(BROAD.ew, rel=0.08)
    assert seen.snr.value == pytest.approx(26.0, rel=0.2)
    assert [line.line for line in seen.lines] == ["H_alpha"]
    assert seen.n_bad == 0 and not seen.reason


def test_window_finds_the_band_head_and_not_its_mirror(rng: np.random.Generator) -> None:
    carbon = measure_window(observed([band("C2_5165", 0.4)], 30.0, rng), 4950.0, 5250.0)
    names = [edge.name for edge in carbon.edges]
    assert names[0] == "C2_5165_edge" and "TiO_5167_edge" not in names
    giant = measure_window(observed([band("TiO_5167", 0.4)], 30.0, rng), 4950.0, 5250.0)
    assert "TiO_5167_edge" in [edge.name for edge in giant.edges]
    assert "C2_5165_edge" not in [edge.name for edge in giant.edges]


def test_empty_windows_are_described(rng: np.random.Generator) -> None:
    spectrum = observed([], 25.0, rng)
    outside = measure_window(spectrum, 9500.0, 9600.0)
    assert outside.reason == "outside the spectrum" and outside.n_pixels == 0
    assert "O₂ A" in measure_window(spectrum, 7560.0, 7620.0).unsafe
    for lo, hi in ((6000.0, 6001.0), (6001.0, 6000.0), (float("nan"), 6000.0), (-1e9, 1e9)):
        assert measure_window(spectrum, lo, hi).n_pixels >= 0


def test_feature_vector_has_the_same_names_always(rng: np.random.Generator) -> None:
    full = feature_vector(observed(STAR, 30.0, rng))
    poor = feature_vector(Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.ones(2)))
    assert tuple(full) == tuple(poor) == feature_names()
    assert np.isfinite(list(full.values())).mean() > 0.9
    assert np.isnan(poor["TiO5"]) and poor["bad_fraction"] == 0.0


def test_white_dwarf_and_a_star_differ_in_width() -> None:
    widths = {}
    for name, line in (
        ("WD", stark("Hg", "H_gamma", 4341.69, 42.0, 0.5)),
        ("A", stark("Hg", "H_gamma", 4341.69, 17.0, 0.65)),
    ):
        widths[name] = feature_vector(observed([line], 40.0, None))["H_gamma_D2"]
    assert widths["WD"] > 30.0 > 24.0 > widths["A"]
