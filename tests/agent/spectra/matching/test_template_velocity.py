"""The velocity of a template: true within its error, or refused with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.spectra.matching.template_velocity import fit_velocity
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.matching.made import SDSS_PIXELS, bundled, observed
from tests.night import seeds

SEEDS = seeds(by_day=15, by_night=40)


MADE_OF = {
    "g_dwarf": 10.0,
    "k_giant": 10.0,
    "a_dwarf": 5.0,
    "m_dwarf": 5.0,
    "white_dwarf_da": 10.0,
    "cv_in_quiescence": 10.0,
}
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
    true = 0.31 * 299_792.458
    spectrum = observed("galaxy_passive", true, 20.0, 1)
    fit = fit_velocity(spectrum, *bundled("galaxy_passive"), z=0.3085)
    assert fit.is_trusted
    assert fit.velocity_kms == pytest.approx(true, abs=3.0 * fit.error_kms)


def test_noise_has_no_velocity() -> None:
    fits = [
        fit_velocity(observed("g_dwarf", 100.0, 0.3, seed), *bundled("g_dwarf"))
        for seed in range(20)
    ]
    assert not any(fit.is_trusted for fit in fits)
    assert {fit.reason for fit in fits} <= {"noisy", "edge"}


def test_a_smooth_spectrum_has_no_velocity() -> None:
    noise = 0.01 * np.random.default_rng(0).normal(size=SDSS_PIXELS.size)
    flux = (SDSS_PIXELS / 5000.0) ** -2 + noise
    smooth = Spectrum(wavelength=SDSS_PIXELS, flux=flux, ivar=np.full(flux.size, 1e4))
    assert not fit_velocity(smooth, *bundled("g_dwarf")).is_trusted


def test_without_overlap_there_is_no_velocity() -> None:
    wavelength, flux = bundled("g_dwarf")
    spectrum = observed("g_dwarf", 0.0, 20.0, 0)
    assert fit_velocity(spectrum, wavelength * 4.0, flux).reason == "no_overlap"
    assert fit_velocity(spectrum, wavelength, np.full(flux.size, np.nan)).reason == "no_overlap"
    bad = Spectrum(wavelength=SDSS_PIXELS, flux=np.full(SDSS_PIXELS.size, np.nan))
    assert fit_velocity(bad, wavelength, flux).reason == "no_pixels"


def test_a_velocity_beyond_the_search_is_said_to_be_there() -> None:
    fit = fit_velocity(observed("a_dwarf", 900.0, 30.0, 0), *bundled("a_dwarf"), range_kms=500.0)
    assert fit.reason in ("edge", "noisy")


@pytest.mark.parametrize(
    ("file", "template"),
    [
        ("spec-59550-TD062610N184524H01_sp07-211.fits.gz", "horizontal_branch_a_star"),
        ("spec-59550-TD062610N184524H01_sp12-241.fits.gz", "f_dwarf"),
        ("spec-55862-B6212_sp06-020.fits", "k_giant"),
        ("spec-55915-F5591503_sp03-127.fits.gz", "k_giant"),
    ],
)
def test_the_velocity_of_a_real_star_is_that_of_its_survey(
    labelled_spectra: Path, file: str, template: str
) -> None:
    spectrum = read(labelled_spectra / file)
    assert spectrum.z is not None
    fit = fit_velocity(spectrum, *bundled(template))
    assert fit.is_trusted
    assert fit.velocity_kms == pytest.approx(spectrum.z * 299_792.458, abs=15.0)
