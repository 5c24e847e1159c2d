import numpy as np
import pytest

from agent.spectra import rebinning
from agent.spectra.measure import window_measure
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.pixel_grid import pixel_edges, pixel_grid, scatter
from agent.spectra.rebinning import measurable, rebinned
from agent.spectra.smoothing import smooth_box, smooth_gaussian, smooth_parts
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import WAVELENGTH


def fine(rng: np.random.Generator, pixels: int = 400_000, **more: object) -> Spectrum:
    wavelength = np.linspace(3700.0, 9000.0, pixels)
    line = 1.0 - 0.5 * np.exp(-0.5 * ((wavelength - 6564.6) / 5.0) ** 2)
    flux = 100.0 * line + rng.normal(0, 30.0, pixels)
    given = {"wavelength": wavelength, "flux": flux, "ivar": np.full(pixels, 1 / 900.0)}
    return Spectrum(**(given | more))  # type: ignore[arg-type]


def test_usual_spectra_and_wider_pixels_stay_as_they_are(rng: np.random.Generator) -> None:
    usual = fine(rng, rebinning.MAX_MEASURED)
    assert measurable(usual) is usual
    wavelength = np.linspace(4000.0, 9000.0, 300)
    spectrum = Spectrum(wavelength=wavelength, flux=np.arange(300.0))
    coarse = rebinned(spectrum, 10.0)
    np.testing.assert_allclose(coarse.wavelength, wavelength, rtol=1e-15)
    np.testing.assert_array_equal(coarse.flux, spectrum.flux)


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


def test_a_million_pixels_are_not_measured_one_by_one(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = []

    def measure(spectrum: Spectrum, *where: float) -> object:
        measured.append(len(spectrum))
        return measure_window(spectrum, *where)

    monkeypatch.setattr(window_measure, "measure_window", measure)
    window_measure.zoom_numbers(fine(rng, 1_000_000), 6400.0, 6700.0)
    assert len(measured) == 1 and measured[0] < rebinning.MAX_MEASURED


def test_smoothing_keeps_a_constant_adds_widths_and_survives_nothing() -> None:
    flux = np.full(200, 5.0)
    good = np.ones(200, dtype=bool)
    flux[90:95], good[90:95] = np.nan, False
    for smooth in (smooth_box(flux, good, 9), smooth_gaussian(flux, good, 7.5)):
        assert smooth == pytest.approx(5.0)
    x = np.arange(401.0)
    narrow = np.exp(-4 * np.log(2) * ((x - 200) / 12.0) ** 2)
    wide = smooth_gaussian(narrow, np.ones(401, dtype=bool), 16.0)
    assert (wide > 0.5 * wide.max()).sum() == pytest.approx(20.0, abs=1.0)
    assert wide.sum() == pytest.approx(narrow.sum(), rel=1e-3)
    nothing = np.zeros(8, dtype=bool)
    flux = np.full(8, np.nan)
    assert np.isnan(smooth_box(flux, nothing, 3)).all()
    assert smooth_gaussian(np.ones(8), ~nothing, 1e9) == pytest.approx(1.0)
    assert smooth_box(np.ones(8), ~nothing, 1e12) == pytest.approx(1.0)


def test_parts_on_each_side_of_a_gap_are_smoothed_by_themselves() -> None:
    wavelength = np.concatenate([np.arange(4000.0, 4100.0), np.arange(5000.0, 5100.0)])
    flux = np.where(wavelength < 4500.0, 1.0, 9.0)
    flux[30] = np.nan
    mean, error = smooth_parts(wavelength, flux, np.ones(200), 12.0)
    assert np.isnan(mean[30]) and error is not None
    known = np.isfinite(mean)
    assert mean[known] == pytest.approx(flux[known])
    assert np.nanmedian(error) == pytest.approx(1.0 / np.sqrt(12.0 * 1.5053), rel=0.05)
    assert smooth_parts(wavelength, flux, None, 12.0)[1] is None


GRID = np.arange(4000.0, 4100.0)


def test_sums_are_exact_between_pixels_and_leave_bad_ones_out() -> None:
    spectrum = Spectrum(wavelength=GRID, flux=np.full(GRID.size, 3.0), ivar=np.full(GRID.size, 4.0))
    grid = pixel_grid(spectrum)
    sums = grid.sums(np.array([4010.2, 4020.0]), np.array([4013.9, 4020.25]))
    assert sums.mean * grid.scale == pytest.approx([3.0, 3.0])
    assert sums.covered == pytest.approx([3.7, 0.25])
    # Parts 0.3, 1, 1, 1, 0.4 of five pixels with sigma 0.5; a quarter of one.
    expected = 0.5 * np.sqrt([0.3**2 + 3 + 0.4**2, 0.25**2]) / [3.7, 0.25]
    assert sums.error * grid.scale == pytest.approx(expected)
    flux = np.ones(GRID.size)
    flux[15] = 1e6
    mask = np.zeros(GRID.size, dtype=bool)
    mask[15] = True
    grid = pixel_grid(Spectrum(wavelength=GRID, flux=flux, mask=mask))
    sums = grid.sums(np.array([4010.0]), np.array([4020.0]))
    assert sums.mean == pytest.approx([1.0])
    assert sums.coverage == pytest.approx([0.9])


def test_pixel_edges_meet_halfway() -> None:
    edges = pixel_edges(np.array([1.0, 2.0, 4.0]))
    assert edges.tolist() == [0.5, 1.5, 3.0, 5.0]


def test_noise_from_flux_sees_through_slopes(rng: np.random.Generator) -> None:
    flux = 50.0 * (WAVELENGTH / 5000.0) ** 2 + rng.normal(0, 0.7, WAVELENGTH.size)
    noise = scatter(flux, np.ones(flux.size, dtype=bool))
    assert np.median(noise) == pytest.approx(0.7, rel=0.05)


def test_a_spectrum_without_finite_flux_is_not_usable() -> None:
    flux = np.array([np.inf, np.nan])
    assert not pixel_grid(Spectrum(wavelength=np.array([1.0, 2.0]), flux=flux)).is_usable
