"""Features of spectra: what changes them, what does not, and that they tell classes apart."""

from dataclasses import replace

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.similar.features import SIZE, features, features_key
from app.core.spectra.prefetch import SpectrumKey
from tests.bench.bench_similar import labelled, precision_at_5, unit
from tests.conftest import SHARED


def star(*lines, slope=0.0, noise=0.0, seed=1, depth=-0.6):
    """A spectrum with lines of 30 angstrom FWHM at these wavelengths."""
    wavelength = np.arange(3700.0, 9100.0, 1.5)
    flux = (wavelength / 6000.0) ** slope
    for line in lines:
        flux *= 1.0 + depth * np.exp(-0.5 * ((wavelength - line) / 13.0) ** 2)
    flux = flux + np.random.default_rng(seed).normal(0.0, noise, wavelength.size)
    ivar = np.full(wavelength.size, 1.0 / noise**2) if noise else None
    return Spectrum(wavelength=wavelength, flux=flux, ivar=ivar)


def likeness(one, other):
    return float(unit(features(one)) @ unit(features(other)))


BALMER = (4341.0, 4862.0, 6564.0)


def test_scale_and_continuum_do_not_count_lines_do():
    blue = star(*BALMER, slope=-2.0)
    red = replace(blue, flux=1e-17 * star(*BALMER, slope=2.0).flux)
    assert likeness(blue, red) > 0.9
    here = star(*BALMER)
    assert likeness(here, star(4500.0, 5200.0, 7000.0)) < 0.3
    assert likeness(here, star(*BALMER, depth=0.6)) < -0.5
    plain = star(*BALMER)
    flux, mask = plain.flux.copy(), np.zeros(len(plain), bool)
    flux[900:920], mask[900:920] = 50.0, True
    assert likeness(plain, replace(plain, flux=flux, mask=mask)) > 0.99
    assert likeness(plain, replace(plain, flux=flux)) < 0.95
    plain, noisy = star(*BALMER), star(*BALMER, noise=0.3)
    assert likeness(plain, noisy) > likeness(plain, replace(noisy, ivar=None)) + 0.05
    keys = {features_key(SpectrumKey(7, path, row)) for path in ("a", "b\udcff") for row in (0, 1)}
    assert len(keys) == 4
    assert features_key(SpectrumKey(7, "a")) == features_key(SpectrumKey(8, "a"))


@pytest.mark.parametrize("spectrum", [
    Spectrum(wavelength=np.arange(10_000.0, 11_000.0), flux=np.ones(1000)),
    Spectrum(wavelength=np.arange(4000.0, 9000.0), flux=np.zeros(5000)),
    Spectrum(wavelength=np.arange(4000.0, 9000.0), flux=np.full(5000, np.nan)),
    Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.array([1.0, 2.0])),
    Spectrum(wavelength=np.arange(4000.0, 9000.0), flux=np.ones(5000)),
])  # fmt: skip
def test_where_nothing_can_be_compared_there_are_none(spectrum):
    assert features(spectrum) is None


@pytest.mark.parametrize("scale", [1e-300, 1e300, -1.0])
def test_any_scale_is_taken(scale):
    spectrum = star(*BALMER)
    vector = features(replace(spectrum, flux=spectrum.flux * scale))
    assert vector is None or (vector.shape == (SIZE,) and vector.dtype == np.int8)


@pytest.mark.skipif(not (SHARED / "labelled").is_dir(), reason="real survey files are not here")
def test_neighbours_of_real_spectra_are_mostly_of_their_class():
    spectra, classes = labelled()
    vectors = np.array([unit(features(each)) for each in spectra])
    assert precision_at_5(vectors, classes)[0] > 0.75
