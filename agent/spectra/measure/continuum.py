"""A pseudo-continuum that ignores lines and bands: a stiff broken line fitted with clipping."""

from itertools import pairwise

import numpy as np

from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.pixel_grid import IndexArray, PixelGrid, kept_with, median, pixel_grid
from agent.spectra.smoothing import smooth_box
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

KNOT_STEP_A = 150.0
MAX_KNOTS = 600
STIFFNESS = 0.3  # weight of the curvature relative to the pixels of one knot
N_ITERATIONS = 8
CONVERGED = 0.003  # the fit has converged once a smaller share of the pixels is clipped or restored
# Absorption is more common than emission, so the lower cut is tighter. Noise alone is not biased.
LOW_CLIP, HIGH_CLIP = 2.0, 2.5
SMOOTHING_PX = 5
FLOOR = 0.02  # relative to the typical flux: pixels with smaller errors have equal weights

# Free of strong lines in hot stars and accretion discs, vacuum angstrom.
CLEAR_WINDOWS = (
    (4020.0, 4060.0), (4150.0, 4280.0), (4400.0, 4460.0), (4500.0, 4600.0), (4720.0, 4780.0),
    (5030.0, 5140.0), (5220.0, 5560.0), (5600.0, 5680.0), (5920.0, 6260.0), (6330.0, 6500.0),
    (6620.0, 6660.0), (6700.0, 6840.0), (7100.0, 7150.0), (7350.0, 7560.0), (7720.0, 8100.0),
    (8700.0, 8740.0),
)  # fmt: skip


def pseudo_continuum(spectrum: Spectrum, knot_step: float = KNOT_STEP_A) -> FloatArray:
    """Continuum in flux units on the spectrum's own pixels; all NaN if no pixel is good.

    It follows variations over more than about two `knot_step` (angstrom). In stars with many
    bands it is below the true continuum: use it to find lines, not to measure colours.
    """
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return np.full(len(spectrum), np.nan)
    with np.errstate(over="ignore"):
        return fit_continuum(grid, knot_step) * grid.scale


@kept_with
def continuum_of(grid: PixelGrid) -> FloatArray:
    """The pseudo-continuum in units of the grid."""
    continuum = fit_continuum(grid)
    continuum.setflags(write=False)
    return continuum


def fit_continuum(grid: PixelGrid, knot_step: float = KNOT_STEP_A) -> FloatArray:
    wavelength, flux, good = grid.wavelength, grid.flux, grid.good
    low, high = float(wavelength[0]), float(wavelength[-1])
    n_cells = int(np.clip(np.ceil((high - low) / max(knot_step, 1e-3)), 1, MAX_KNOTS))
    knots = np.linspace(low, high, n_cells + 1)
    cell = np.clip(np.searchsorted(knots, wavelength, side="right") - 1, 0, knots.size - 2)
    part = (wavelength - knots[cell]) / (knots[cell + 1] - knots[cell])
    everywhere = np.ones_like(good)
    noise = grid.sigma / np.sqrt(SMOOTHING_PX)
    weight = 1.0 / np.maximum(grid.sigma, FLOOR) ** 2
    continuum = _cell_medians(wavelength, flux, good, knots)
    kept = ~good
    for _ in range(N_ITERATIONS):
        residual = smooth_box(flux - continuum, everywhere, SMOOTHING_PX)
        # 1.4826 times the median deviation is the standard deviation of Gaussian values.
        spread = np.maximum(noise, 1.4826 * median(np.abs(residual[good])))
        keep = good & (residual > -LOW_CLIP * spread) & (residual < HIGH_CLIP * spread)
        n_changed = int((keep != kept).sum())
        if n_changed <= CONVERGED * keep.size or keep.sum() < 2:
            break
        kept = keep
        knot_flux = _fit_knots(flux, np.where(keep, weight, 0.0), cell, part, knots.size)
        continuum = np.interp(wavelength, knots, knot_flux)
    return continuum


def _cell_medians(
    wavelength: FloatArray, flux: FloatArray, good: BoolArray, knots: FloatArray
) -> FloatArray:
    """Broken line through the median of the good pixels of each cell, at its middle."""
    borders = np.searchsorted(wavelength, knots)
    borders[-1] = wavelength.size
    middles, medians = [], []
    for first, last in pairwise(borders.tolist()):
        values = flux[first:last][good[first:last]]
        if values.size:
            middles.append(0.5 * (wavelength[first] + wavelength[last - 1]))
            medians.append(median(values))
    return np.interp(wavelength, middles, medians)


def _fit_knots(
    flux: FloatArray, weight: FloatArray, cell: IndexArray, part: FloatArray, n_knots: int
) -> FloatArray:
    """Weighted least squares for the knots of a broken line, with a penalty on curvature."""
    from scipy.linalg import solveh_banded  # takes 0.2 s: the window opens without it

    left, right = weight * (1.0 - part), weight * part

    def total(values: FloatArray, shift: int = 0) -> FloatArray:
        return np.asarray(np.bincount(cell + shift, values, n_knots), dtype=np.float64)

    bands = np.zeros((3, n_knots))
    bands[2] = total(left * (1.0 - part)) + total(right * part, 1)
    bands[1, 1:] = total(left * part)[:-1]
    wanted = total(left * flux) + total(right * flux, 1)
    _add_curvature(bands, STIFFNESS * float(bands[2].mean()))
    return np.asarray(solveh_banded(bands, wanted, check_finite=False))


def _add_curvature(bands: FloatArray, strength: float) -> None:
    """Add strength * D'D of second differences to a banded matrix.

    A small diagonal term keeps the matrix regular where no pixel reaches a knot.
    """
    n_knots = bands.shape[1]
    bands[2] += 1e-9 * strength
    if n_knots < 3:
        bands[2] += 1e-6 * strength
        return
    for offset, factor in enumerate((1.0, -2.0, 1.0)):
        bands[2, offset : n_knots - 2 + offset] += strength * factor**2
    bands[1, 1 : n_knots - 1] += -2.0 * strength
    bands[1, 2:] += -2.0 * strength
    bands[0, 2:] += strength


def power_law_index(spectrum: Spectrum, lo: float, hi: float) -> Measurement:
    """Index of F_lambda ~ wavelength^index from the clear windows between lo and hi."""
    name = f"slope_{lo:.0f}_{hi:.0f}"
    grid = pixel_grid(spectrum)
    windows = np.array([window for window in CLEAR_WINDOWS if window[0] >= lo and window[1] <= hi])
    if len(windows) < 2 or not grid.is_usable:
        return refused(name, "fewer than two clear windows", "", (lo, hi))
    sums = grid.sums(windows[:, 0], windows[:, 1])
    mean, error = sums.mean, sums.error
    usable = (sums.coverage > 0.75) & (mean > 3 * error)
    if usable.sum() < 2 or float(np.ptp(sums.centre[usable])) < 0.4 * (hi - lo):
        return refused(name, "too little of the range is above the noise", "", (lo, hi))
    x = np.log(sums.centre[usable])
    y, sigma = np.log(mean[usable]), error[usable] / mean[usable]
    # Structure in the windows, about 2 %, limits bright spectra rather than noise.
    weight = 1.0 / (sigma**2 + 0.02**2)
    middle = float((weight * x).sum() / weight.sum())
    power = float((weight * (x - middle) ** 2).sum())
    index = float((weight * (x - middle) * y).sum()) / power
    return measured(name, index, power**-0.5, "", (lo, hi), int(sums.n_pixels[usable].sum()))
