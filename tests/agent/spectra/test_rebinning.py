from __future__ import annotations

import numpy as np
import pytest

from agent.spectra import rebinning
from agent.spectra.measure import zoom_measurements
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.rebinning import measurable, rebinned
from agent.spectra.spectrum import Spectrum


def fine(rng: np.random.Generator, pixels: int = 400_000, **more: object) -> Spectrum:
    wavelength = np.linspace(3700.0, 9000.0, pixels)
    line = 1.0 - 0.5 * np.exp(-0.5 * ((wavelength - 6564.6) / 5.0) ** 2)
    flux = 100.0 * line + rng.normal(0, 30.0, pixels)
    given = {"wavelength": wavelength, "flux": flux, "ivar": np.full(pixels, 1 / 900.0)}
    return Spectrum(**(given | more))  # type: ignore[arg-type]


def test_usual_spectra_stay_themselves(rng: np.random.Generator) -> None:
    usual = fine(rng, rebinning.MAX_MEASURED)
    assert measurable(usual) is usual


def test_flux_error_and_line_are_kept(rng: np.random.Generator) -> None:
    spectrum = fine(rng, resolution=100_000.0, z=1e-4)
    coarse = measurable(spectrum)
    assert measurable(spectrum) is coarse
    assert 20_000 < len(coarse) < 30_000
    assert (coarse.z, coarse.resolution) == (1e-4, rebinning.BEST_RESOLUTION)
    steps = np.diff(np.log(coarse.wavelength)) * 299_792.458
    assert np.median(steps) == pytest.approx(10.0, rel=0.01)
    pulls = (coarse.flux - 100.0)[:5000] * np.sqrt(coarse.ivar[:5000])
    assert np.std(pulls) == pytest.approx(1.0, abs=0.05)
    assert abs(np.mean(pulls)) < 0.1
    measured = measure_line(coarse, "H_alpha")
    whole = measure_line(rebinned(spectrum, 2.0), "H_alpha")
    assert measured.ew == pytest.approx(whole.ew, rel=0.01)
    assert measured.ew_error == pytest.approx(whole.ew_error, rel=0.1)
    assert measured.centroid == pytest.approx(6564.6, abs=0.2)


def test_bad_pixels_do_not_count_and_gaps_stay_gaps(rng: np.random.Generator) -> None:
    spectrum = fine(rng)
    flux = np.where(np.arange(400_000) % 3 == 0, 1e30, spectrum.flux)
    flux[200_000:210_000] = np.nan
    kept = (spectrum.wavelength < 5000) | (spectrum.wavelength > 6000)
    part = Spectrum(
        wavelength=spectrum.wavelength[kept],
        flux=flux[kept],
        ivar=np.where(np.arange(400_000) % 3 == 0, 0.0, 1 / 900.0)[kept],
    )
    coarse = rebinned(part, 10.0)
    assert coarse.flux[coarse.good].max() < 1000.0
    assert coarse.flux[coarse.good].min() > -500.0
    assert 0 < coarse.n_bad < len(coarse) / 10
    assert not ((coarse.wavelength > 5000.1) & (coarse.wavelength < 5999.9)).any()
    assert coarse.good[coarse.wavelength < 4999].all()


def test_wider_pixels_stay_as_they_are() -> None:
    wavelength = np.linspace(4000.0, 9000.0, 300)
    spectrum = Spectrum(wavelength=wavelength, flux=np.arange(300.0))
    coarse = rebinned(spectrum, 10.0)
    np.testing.assert_allclose(coarse.wavelength, wavelength, rtol=1e-15)
    np.testing.assert_array_equal(coarse.flux, spectrum.flux)


def test_a_million_pixels_are_not_measured_one_by_one(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = []

    def measure(spectrum: Spectrum, *where: float) -> object:
        measured.append(len(spectrum))
        return measure_window(spectrum, *where)

    monkeypatch.setattr(zoom_measurements, "measure_window", measure)
    zoom_measurements.zoom_numbers(fine(rng, 1_000_000), 6400.0, 6700.0)
    assert len(measured) == 1 and measured[0] < rebinning.MAX_MEASURED
