"""The velocity of a template: true within its error, or refused with a reason."""

import csv
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.matching.template_velocity import (
    Match,
    RankedTemplate,
    as_ranked,
    fit_velocity,
    prepare,
    rank_templates,
    scan,
    stretches,
)
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.readers import read
from agent.spectra.rebinning import median_factor, ratio, resampled
from agent.spectra.spectrum import FloatArray, Spectrum
from tests.night import BY_NIGHT, seeds

SDSS_PIXELS = 3700.0 * 10 ** (1e-4 * np.arange(3860))


def bundled(name: str) -> tuple[FloatArray, FloatArray]:
    """A bundled template by the name of its file."""
    content = json.loads((files("resources") / "templates" / f"{name}.json").read_text("utf-8"))
    flux = np.array(content["flux"], dtype=np.float64)
    step = content["step_kms"] / LIGHT_KMS
    wavelength = content["first_angstrom"] * np.exp(step * np.arange(flux.size))
    return wavelength, flux / np.median(flux)


def observed(
    name: str, velocity_kms: float, snr: float, seed: int, *,
    bad: tuple[float, float] | None = None, gap: tuple[float, float] | None = None,
) -> Spectrum:  # fmt: skip
    """A template at a velocity with noise and a bent continuum; bad pixels hold nonsense."""
    pixels = SDSS_PIXELS if gap is None else _without(SDSS_PIXELS, gap)
    wavelength, flux = bundled(name)
    flux = np.interp(pixels / (1.0 + velocity_kms / LIGHT_KMS), wavelength, flux)
    flux *= 1.0 + 0.3 * np.sin(pixels / 900.0)
    sigma = np.full(pixels.size, np.median(flux) / snr)
    flux += sigma * np.random.default_rng(seed).normal(size=pixels.size)
    ivar = 1.0 / sigma**2
    if bad is not None:
        inside = (pixels > bad[0]) & (pixels < bad[1])
        flux[inside], ivar[inside] = 1e4, 0.0
    return Spectrum(wavelength=pixels, flux=flux, ivar=ivar)


def _without(pixels: FloatArray, gap: tuple[float, float]) -> FloatArray:
    return pixels[(pixels < gap[0]) | (pixels > gap[1])]


SEEDS = seeds(by_day=15, by_night=40)
MADE_OF = {
    "g_dwarf": 10.0, "k_giant": 10.0, "a_dwarf": 5.0, "m_dwarf": 5.0, "white_dwarf_da": 10.0,
    "cv_in_quiescence": 10.0,
}  # fmt: skip
"""Templates, and the S/N they are observed at."""


def test_simulated_velocities_are_found_within_two_errors() -> None:
    pulls, errors = [], []
    for name, snr in MADE_OF.items():
        template = bundled(name)
        for seed in SEEDS:
            true = float(np.random.default_rng(seed).uniform(-400.0, 400.0))
            spectrum = observed(name, true, snr, seed, bad=(5000.0, 5100.0), gap=(5700.0, 5800.0))
            fit = fit_velocity(spectrum, *template)
            assert fit.is_trusted, (name, seed, fit)
            pulls.append((fit.velocity_kms - true) / fit.error_kms)
            errors.append(fit.error_kms)
    assert np.mean(np.abs(pulls) < 2.0) >= 0.95
    assert np.std(pulls) > 0.5  # the errors are not simply large
    assert max(errors) < 60.0


def test_a_redshift_is_found_from_a_start_near_it() -> None:
    true = 0.31 * LIGHT_KMS
    spectrum = observed("galaxy_passive", true, 20.0, 1)
    fit = fit_velocity(spectrum, *bundled("galaxy_passive"), z=0.3085)
    assert fit.is_trusted
    assert fit.velocity_kms == pytest.approx(true, abs=3.0 * fit.error_kms)


def test_noise_smooth_spectra_and_those_that_do_not_overlap_have_no_velocity() -> None:
    stars = (observed("g_dwarf", 100.0, 0.3, seed) for seed in range(20))
    fits = [fit_velocity(star, *bundled("g_dwarf")) for star in stars]
    assert not any(fit.is_trusted for fit in fits)
    assert {fit.reason for fit in fits} <= {"noisy", "edge"}
    noise = 0.01 * np.random.default_rng(0).normal(size=SDSS_PIXELS.size)
    flux = (SDSS_PIXELS / 5000.0) ** -2 + noise
    smooth = Spectrum(wavelength=SDSS_PIXELS, flux=flux, ivar=np.full(flux.size, 1e4))
    assert not fit_velocity(smooth, *bundled("g_dwarf")).is_trusted
    wavelength, flux = bundled("g_dwarf")
    spectrum = observed("g_dwarf", 0.0, 20.0, 0)
    assert fit_velocity(spectrum, wavelength * 4.0, flux).reason == "no_overlap"
    assert fit_velocity(spectrum, wavelength, np.full(flux.size, np.nan)).reason == "no_overlap"
    bad = Spectrum(wavelength=SDSS_PIXELS, flux=np.full(SDSS_PIXELS.size, np.nan))
    assert fit_velocity(bad, wavelength, flux).reason == "no_pixels"
    fit = fit_velocity(observed("a_dwarf", 900.0, 30.0, 0), *bundled("a_dwarf"), range_kms=500.0)
    assert fit.reason in ("edge", "noisy")


@pytest.mark.parametrize(("file", "template"), [
    ("spec-59550-TD062610N184524H01_sp07-211.fits.gz", "horizontal_branch_a_star"),
    ("spec-59550-TD062610N184524H01_sp12-241.fits.gz", "f_dwarf"),
    ("spec-55862-B6212_sp06-020.fits", "k_giant"),
    ("spec-55915-F5591503_sp03-127.fits.gz", "k_giant"),
])  # fmt: skip
def test_the_velocity_of_a_real_star_is_that_of_its_survey(
    labelled_spectra: Path, file: str, template: str
) -> None:
    spectrum = read(labelled_spectra / file)
    assert spectrum.z is not None
    fit = fit_velocity(spectrum, *bundled(template))
    assert fit.is_trusted
    assert fit.velocity_kms == pytest.approx(spectrum.z * LIGHT_KMS, abs=15.0)


# The misfit of a template at many trial velocities.
ORDER = 6
AROUND = stretches(1.0 - 1000.0 / LIGHT_KMS, 1.0 + 1000.0 / LIGHT_KMS, 50.0)


def test_trial_velocities_are_equally_spaced_in_log_wavelength() -> None:
    steps = np.diff(np.log(AROUND)) * LIGHT_KMS
    assert np.ptp(steps) < 1e-6
    assert steps[0] == pytest.approx(50.0, rel=0.02)


def test_chi2_is_that_of_a_direct_fit() -> None:
    data = prepare(observed("g_dwarf", 200.0, 20.0, 0), ORDER)
    wavelength, flux = bundled("g_dwarf")
    trial = np.array([1.0, 1.0007])
    found = scan(data, wavelength, flux, trial)
    for stretch, chi2 in zip(trial, found.chi2, strict=True):
        model = np.interp(data.wavelength / stretch, wavelength, flux)
        columns = (model * data.polynomials[: ORDER + 1] * np.sqrt(data.weight)).T
        wanted = data.flux * np.sqrt(data.weight)
        _, residual, _, _ = np.linalg.lstsq(columns, wanted, rcond=None)
        assert chi2 == pytest.approx(float(residual[0]), rel=1e-5)


def test_a_template_is_drawn_with_the_slopes_of_the_fit_that_ranks_it() -> None:
    spectrum, (wavelength, flux) = observed("g_dwarf", 200.0, 40.0, 0), bundled("g_dwarf")
    drawn = as_ranked(spectrum, wavelength, flux, 200.0 / LIGHT_KMS)
    inside = slice(200, -200)  # in the unit of the file, bent as the spectrum is
    at = np.interp(spectrum.wavelength[inside] / (1.0 + 200.0 / LIGHT_KMS), wavelength, drawn)
    pulls = (spectrum.flux[inside] - at) * np.sqrt(spectrum.ivar[inside])
    assert np.std(pulls) < 1.3 and abs(np.median(pulls)) < 0.1
    assert as_ranked(spectrum, wavelength * 4.0, flux, 0.0) is None
    assert as_ranked(spectrum, wavelength, -flux, 0.0) is None
    assert as_ranked(spectrum, wavelength, np.full(flux.size, np.nan), 0.0) is None
    assert as_ranked(spectrum, wavelength, np.zeros(flux.size), 0.0) is None


def test_bad_pixels_and_the_air_of_the_earth_are_left_out() -> None:
    data = prepare(observed("a_dwarf", 0.0, 20.0, 0, bad=(5000.0, 5100.0)), ORDER)
    assert not ((data.wavelength > 5000.0) & (data.wavelength < 5100.0)).any()
    assert not ((data.wavelength > 7600.0) & (data.wavelength < 7650.0)).any()
    assert np.abs(data.flux).max() < 100.0


def test_a_gap_in_the_template_is_not_bridged_and_too_little_overlap_is_infinite() -> None:
    data = prepare(observed("a_dwarf", 0.0, 20.0, 0), ORDER)
    wavelength, flux = bundled("a_dwarf")
    kept = (wavelength < 4300.0) | (wavelength > 4900.0)
    whole, holed = (scan(data, wavelength[use], flux[use], AROUND) for use in (flux > 0, kept))
    assert abs(whole.best - holed.best) <= 1
    assert holed.chi2.min() > whole.chi2.min()  # what lies beyond the gap does not count for it
    assert np.isinf(scan(data, 3.0 * wavelength, flux, AROUND).chi2).all()


def test_few_good_pixels_cannot_be_fitted_and_a_very_fine_spectrum_is_made_coarser() -> None:
    flux = np.full(SDSS_PIXELS.size, np.nan)
    flux[:30] = 1.0
    assert prepare(Spectrum(wavelength=SDSS_PIXELS, flux=flux), ORDER) is None
    pixels = np.linspace(4000.0, 7000.0, 300_000)
    flux = 1.0 + 0.1 * np.random.default_rng(0).normal(size=pixels.size)
    data = prepare(Spectrum(wavelength=pixels, flux=flux), ORDER)
    assert data.wavelength.size < 8000


# A spectrum on the pixels of another.
FINE = np.arange(4000.0, 5000.0, 0.5)
COARSE = np.arange(4100.0, 4900.0, 3.0)


def with_line(wavelength: np.ndarray) -> np.ndarray:
    return 1.0 + wavelength / 5000.0 - 0.5 * np.exp(-0.5 * ((wavelength - 4500.0) / 8.0) ** 2)


def test_wider_pixels_keep_the_flux_and_narrower_ones_are_interpolated() -> None:
    spectrum = Spectrum(wavelength=FINE, flux=with_line(FINE))
    coarse = resampled(spectrum, COARSE)
    inside = np.abs(FINE - COARSE.mean()) < 0.5 * np.ptp(COARSE) + 1.5
    assert coarse.sum() * 3.0 == pytest.approx(spectrum.flux[inside].sum() * 0.5, rel=2e-3)
    spectrum = Spectrum(wavelength=COARSE, flux=with_line(COARSE))
    fine = resampled(spectrum, FINE[300:-300])
    assert fine == pytest.approx(with_line(FINE[300:-300]), abs=0.01)


def test_bad_pixels_gaps_and_ends_have_no_flux() -> None:
    kept = (FINE < 4600.0) | (FINE > 4700.0)
    wavelength = FINE[kept]
    mask = (wavelength > 4300.0) & (wavelength < 4350.0)
    spectrum = Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size), mask=mask)
    at = np.arange(3900.0, 5100.0, 2.0)
    unknown = np.isnan(resampled(spectrum, at))
    for low, high in ((3900.0, 3998.0), (4302.0, 4348.0), (4602.0, 4698.0), (5002.0, 5100.0)):
        assert unknown[(at > low) & (at < high)].all()
    assert not unknown[(at > 4001.0) & (at < 4298.0)].any()
    assert not unknown[(at > 4701.0) & (at < 4998.0)].any()


def test_the_ratio_to_nothing_is_unknown_and_medians_are_made_the_same() -> None:
    other = np.array([2.0, 1e-6, np.nan, -4.0, 0.0])
    found = ratio(np.full(5, 4.0), other)
    assert found[[0, 3]] == pytest.approx([2.0, -1.0])
    assert np.isnan(found[[1, 2, 4]]).all()
    flux, other = np.array([np.nan, 2.0, 4.0, 6.0]), np.array([9.0, 1.0, 2.0, 3.0])
    assert median_factor(flux, other) == 2.0
    assert np.isnan(median_factor(flux, np.full(4, np.nan)))
    assert np.isnan(median_factor(flux, -other))


# The template that fits best comes first, with its velocity.
FAR = {"GALAXY": 0.8, "QSO": 5.0}


def index() -> list[dict[str, str]]:
    text = (files("resources") / "templates" / "index.json").read_text("utf-8")
    return list(json.loads(text)["templates"])


STARS = ("a_dwarf", "b_dwarf", "cv_in_quiescence", "g_dwarf", "k_giant", "m_dwarf")


def ranked(spectrum: Spectrum) -> list[Match]:
    return rank_templates(spectrum, [RankedTemplate(name, *bundled(name)) for name in STARS])


@pytest.mark.parametrize("name", STARS)
def test_what_a_spectrum_was_made_of_comes_first(name: str) -> None:
    found = ranked(observed(name, 123.0, 10.0, 3, bad=(6000.0, 6100.0)))
    assert found[0].name == name
    assert found[0].velocity_kms == pytest.approx(123.0, abs=30.0)
    assert found[0].is_trusted
    assert found[0].chi2 == pytest.approx(1.0, abs=0.15)
    assert [match.chi2 for match in found] == sorted(match.chi2 for match in found)


def test_a_galaxy_is_found_at_its_redshift() -> None:
    names = {"galaxy_passive": 0.8, "k_giant": 0.0, "m_dwarf": 0.0}
    offered = [RankedTemplate(name, *bundled(name), z_max) for name, z_max in names.items()]
    best = rank_templates(observed("galaxy_passive", 60_000.0, 15.0, 5), offered)[0]
    assert best.name == "galaxy_passive"
    assert best.velocity_kms == pytest.approx(60_000.0, abs=60.0)


def test_what_does_not_overlap_is_not_ranked() -> None:
    wavelength, flux = bundled("g_dwarf")
    spectrum = observed("g_dwarf", 0.0, 20.0, 0)
    far = [RankedTemplate("infrared", wavelength * 4.0, flux)]
    assert rank_templates(spectrum, far) == []
    assert rank_templates(spectrum, []) == []
    dark = Spectrum(wavelength=SDSS_PIXELS, flux=np.full(SDSS_PIXELS.size, np.nan))
    assert ranked(dark) == []


def test_most_real_spectra_get_a_template_of_their_class(labelled_spectra: Path) -> None:
    """Three of four, of every sixteenth file by day, of every second by night."""
    manifest = (labelled_spectra / "MANIFEST.csv").read_text("utf-8")
    rows = list(csv.DictReader(manifest.splitlines()))
    known = {each["class"] for each in index()}
    rows = [row for row in rows if row["label"] in known][:: 2 if BY_NIGHT else 16]
    names = [(each["class"], each["file"].removesuffix(".json")) for each in index()]
    offered = [RankedTemplate(kind, *bundled(file), FAR.get(kind, 0.0)) for kind, file in names]
    stars = ((read(labelled_spectra / row["file"]), row["label"]) for row in rows)
    right = [rank_templates(star, offered)[0].name == label for star, label in stars]
    assert np.mean(right) >= 0.75
