"""Measures a known line near its expected wavelength, or its upper limit if it is absent."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from agent.spectra.instrument import lsf_fwhm, unsafe_regions
from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.line_profile import PEAKEDNESS, profile
from agent.spectra.measure.line_search import (
    DEFAULT_LSF_PX,
    INNER,
    MAX_FWHM_KMS,
    MIN_SIDE_A,
    MIN_SIDE_PX,
    NO_PROFILE,
    ON_HUMP,
    is_too_full,
    mean_of,
    measure_feature,
    pixel_width,
    under_continuum,
)
from agent.spectra.measure.measurement import LineMeasurement, Measurement, measured, refused
from agent.spectra.measure.sidebands import (
    FeatureArea,
    LinearContinuum,
    continuum_beside,
    integrate_feature,
)
from agent.spectra.pixel_grid import LIGHT_KMS, PixelGrid, doppler, pixel_grid
from agent.spectra.spectrum import FloatArray, Spectrum, Window

SEARCH_KMS = 400.0
STRONGER_BESIDE = "a stronger feature lies beside it"
# Bands as of M stars from M2 on, which few discs leave as deep, and where the first of TiO begins.
DEEP_TIO5, BANDS_FROM = 0.7, 4750.0
MAX_METAL_KMS = 1500.0
MAX_WINDOW_FWHM = 1.5
NO_BASE = 20.0
"""Odds against a broad base before the data are seen: most lines have none."""
LEAST_SHARE = 0.1  # less likely than this, a base is not worth another fit
WINGS_SIGMA = 3.0  # a dip has no base but what blends add: only a clear one counts, and whole
# Widths of a core and of a base that are tried, in those of the measured core, which a base widens.
CORE_WIDTHS, BASE_WIDTHS = np.geomspace(0.5, 1.2, 7), np.geomspace(2.0, 8.0, 6)
# Largest distance from the core to the centre of a broad base, relative to the window.
BASE_OFFSET = 0.06

# Default width of a side window: this share of the line's window, at least AREA_SIDE_A.
SIDE_SHARE, AREA_SIDE_A = 0.5, 12.0
MIN_CENTROID_SIGMA = 3.0

# Name, pixels, continuum, observed window and area of a line.
IntegratedLine = tuple[str, PixelGrid, LinearContinuum, Window, FeatureArea]


def measure_line(
    spectrum: Spectrum, line: Line | str, velocity_kms: float = 0.0, search_kms: float = SEARCH_KMS
) -> LineMeasurement:
    """A line whose centre is within `search_kms` of the expected one, in emission or absorption."""
    if isinstance(line, str):
        if line not in builtin_lines():
            return LineMeasurement(line[:60], reason="no line has this name")
        line = builtin_lines()[line]
    shift = doppler(velocity_kms) if line.moves_with_star else 1.0
    if not (math.isfinite(shift) and shift > 0):
        return LineMeasurement(line.id, reason="no such velocity")
    expected = line.wavelength * shift
    reach = expected * search_kms / LIGHT_KMS
    near = (expected - reach, expected + reach)
    is_hydrogen = line.species == "H I"
    is_among_bands = is_hydrogen and line.wavelength > BANDS_FROM
    has_bands = is_among_bands and _has_bands(spectrum, velocity_kms)
    result = measure_feature(
        spectrum,
        near,
        line.id,
        max_fwhm(line, shift),
        line.wavelength,
        is_hydrogen=is_hydrogen,
        has_bands=has_bands,
    )
    if result.centroid is not None and result.fwhm is not None:
        if abs(result.centroid - expected) > max(1.2 * reach, 0.35 * result.fwhm):
            return LineMeasurement(
                line.id, significance=result.significance, reason=STRONGER_BESIDE
            )
        is_on_hump = has_bands and result.kind == "emission" and "broad" not in result.flags
        if is_on_hump or ON_HUMP in result.flags:
            return result  # what its windows hold besides is no base, but the hump
        return _with_wings(spectrum, line, result, velocity_kms)
    if result.reason == NO_PROFILE and line.window is not None:
        # The equivalent width in the line's fixed windows, for a line that no profile fits.
        area = equivalent_width(spectrum, line, velocity_kms)
        return LineMeasurement(
            line.id, ew=area.value, ew_error=area.error, significance=area.significance,
            window=area.window, n_pixels=area.n_pixels, reason=area.reason or NO_PROFILE,
        )  # fmt: skip
    return result if result.reason else _upper_limit(spectrum, line, shift, result)


def _has_bands(spectrum: Spectrum, velocity_kms: float) -> bool:
    return measure_index(spectrum, "TiO5", velocity_kms).number < DEEP_TIO5


def max_fwhm(line: Line, shift: float) -> float:
    """Largest FWHM, in angstrom, of the line: a wider feature is a band or a blend."""
    if line.species == "H I":
        return line.wavelength * shift * MAX_FWHM_KMS / LIGHT_KMS
    if line.window is not None:
        return MAX_WINDOW_FWHM * (line.window[1] - line.window[0]) * shift
    return line.wavelength * shift * MAX_METAL_KMS / LIGHT_KMS


def _with_wings(
    spectrum: Spectrum, line: Line, core: LineMeasurement, velocity_kms: float
) -> LineMeasurement:
    """Take the equivalent width from the line's fixed windows, as far as it is larger there.

    If a narrow core has a broad base (polars, discs), its own side windows are on the base.
    """
    if line.window is None or core.ew is None or core.peak is None or core.fwhm is None:
        return core
    width = line.window[1] - line.window[0]
    integrated = _integrated("EW", spectrum, line, velocity_kms)
    if core.fwhm > 0.5 * width or isinstance(integrated, Measurement):
        return core
    wide = _width_of(integrated, velocity_kms)
    if wide.value is None or wide.error is None:
        return core
    gained = abs(wide.value) - abs(core.ew)
    middle = _centre_of(integrated)
    if wide.value * core.peak > 0 or gained <= 0 or middle.value is None or core.centroid is None:
        return core
    is_dip = core.peak < 0
    if is_dip:
        share = float(gained >= WINGS_SIGMA * wide.error)
    else:
        share = 1.0 / (1.0 + NO_BASE * math.exp(-0.5 * _gain_of_base(integrated, core)))
    if share < LEAST_SHARE:
        return core
    beside = replace(core, flags=(*core.flags, "neighbours")) if share > 0.5 else core
    # A base has the same centre as the core; a neighbour, such as [N II] beside Hα, has not.
    # What noise may have moved it by, two standard deviations, is not held against emission.
    moved = 0.0 if is_dip else 2.0 * (middle.error or 0.0)
    offset = (abs(middle.value - core.centroid) - moved) * abs(wide.value) / gained
    if offset > max(0.5 * core.fwhm, BASE_OFFSET * width):
        return beside
    found = replace(
        core, ew=wide.value, ew_error=wide.error, window=wide.window, n_pixels=wide.n_pixels
    )
    _, _, continuum, _, _ = integrated
    if "double_peaked" not in core.flags:  # else there is a dip where the top is looked for
        found = under_continuum(spectrum, found, continuum)
    return beside if is_too_full(found, doppler(velocity_kms)) else _between(share, found, core)


def _gain_of_base(integrated: IntegratedLine, core: LineMeasurement) -> float:
    """How much lower chi-squared is with a broad base than without one, at the best widths."""
    _, grid, _, (low, high), _ = integrated
    assert core.centroid is not None and core.fwhm is not None
    side = SIDE_SHARE * (high - low)
    where = grid.slice(low - side, high + side)
    good = grid.good[where]
    x, sigma = grid.wavelength[where][good], grid.sigma[where][good]
    cores, bases = (
        [profile(x, 1.0, core.centroid, core.fwhm * each, PEAKEDNESS) / sigma for each in widths]
        for widths in (CORE_WIDTHS, BASE_WIDTHS)
    )
    flux, level = grid.flux[where][good] / sigma, (1.0 / sigma, (x - core.centroid) / side / sigma)
    alone = [np.stack([*level, each]) for each in cores]
    both = [np.stack([*rows, each]) for rows in alone for each in bases]
    left = _least_chi2(flux, both)
    # Where the errors are too small, what is left over is no noise. Six values were fitted.
    return max(0.0, _least_chi2(flux, alone) - left) / max(1.0, left / max(x.size - 6, 1))


def _least_chi2(flux: FloatArray, models: list[FloatArray]) -> float:
    """The least chi-squared of the models; the last row of each must be in emission, to count."""
    rows = np.stack(models)
    target = rows @ flux
    # Not `solve`: a core without a good pixel in it has no height.
    inverse = np.linalg.pinv(rows @ rows.transpose(0, 2, 1), hermitian=True)
    found = np.einsum("ijk,ik->ij", inverse, target)
    left = float(flux @ flux) - np.where(found[:, -1] > 0, (found * target).sum(axis=1), 0.0)
    return float(left.min())


def _between(share: float, first: LineMeasurement, second: LineMeasurement) -> LineMeasurement:
    """The first, with sizes and errors of which a part is the second's."""
    sizes: dict[str, Any] = {}
    for name in ("ew", "fwhm", "peak"):
        pairs = ((getattr(e, name), getattr(e, f"{name}_error")) for e in (first, second))
        (value, error), (other, its) = pairs
        sizes[name], sizes[f"{name}_error"] = mean_of(share, value, error, other, its)
    kms = share * (first.fwhm_kms or 0.0) + (1.0 - share) * (second.fwhm_kms or 0.0)
    return replace(first, **sizes, fwhm_kms=kms)


def _upper_limit(
    spectrum: Spectrum, line: Line, shift: float, undetected: LineMeasurement
) -> LineMeasurement:
    """The equivalent width of an unresolved line at the expected wavelength."""
    grid = pixel_grid(spectrum)
    centre = line.wavelength * shift
    pixel = pixel_width(grid, centre)
    half = INNER * (lsf_fwhm(spectrum, centre) or DEFAULT_LSF_PX * pixel)
    outer = half + max(MIN_SIDE_A, MIN_SIDE_PX * pixel)
    window = (centre - half, centre + half)
    blue, red = (centre - outer, window[0]), (window[1], centre + outer)
    continuum = continuum_beside(grid, blue, red, "line")
    if isinstance(continuum, str):
        return LineMeasurement(line.id, reason=continuum)
    area = integrate_feature(grid, continuum, window)
    if isinstance(area, str):
        return LineMeasurement(line.id, window=window, reason=area)
    return LineMeasurement(
        line.id, ew=area.width / shift, ew_error=area.error / shift,
        significance=undetected.significance, window=window,
        n_pixels=int(grid.good[grid.slice(*window)].sum()),
        unsafe=unsafe_regions(spectrum, *window),
    )  # fmt: skip


# Equivalent width and centroid in the windows of a line.
def equivalent_width(spectrum: Spectrum, line: Line, velocity_kms: float = 0.0) -> Measurement:
    """Angstrom at rest, absorption positive; the error includes noise and continuum."""
    integrated = _integrated("EW", spectrum, line, velocity_kms)
    if isinstance(integrated, Measurement):
        return integrated
    return _width_of(integrated, velocity_kms)


def _width_of(integrated: IntegratedLine, velocity_kms: float) -> Measurement:
    name, grid, _, observed, area = integrated
    shift = doppler(velocity_kms)
    n_pixels = int(grid.good[grid.slice(*observed)].sum())
    return measured(name, area.width / shift, area.error / shift, "Å", observed, n_pixels)


def _centre_of(integrated: IntegratedLine) -> Measurement:
    name, grid, continuum, observed, area = integrated
    if abs(area.width) < MIN_CENTROID_SIGMA * area.error:
        return refused(name, "no line above 3 sigma", "Å", observed)
    pixels = grid.slice(*observed)
    wavelength, width = grid.wavelength[pixels], grid.width[pixels]
    level = continuum.at(wavelength)
    depth = width * (1.0 - grid.flux[pixels] / level)
    total = float(depth.sum())
    if total == 0:
        return refused(name, "no line above 3 sigma", "Å", observed)
    middle = float(depth @ wavelength) / total
    noise = (wavelength - middle) * width * grid.sigma[pixels] / level
    # A wrong continuum tilts the weights: one term for each side.
    tilt = (wavelength - middle) * (width - depth) / level
    share = continuum.red_share(wavelength)
    red = float(tilt @ share) * continuum.red.error
    blue = float(tilt @ (1 - share)) * continuum.blue.error
    error = math.hypot(math.sqrt(float(noise @ noise)), red, blue) / abs(total)
    return measured(name, middle, error, "Å", observed, int(wavelength.size))


def _integrated(
    quantity: str, spectrum: Spectrum, line: Line, velocity_kms: float
) -> IntegratedLine | Measurement:
    """The line integrated in its windows, or a refusal."""
    name, grid, shift = f"{quantity}_{line.id}", pixel_grid(spectrum), doppler(velocity_kms)
    window = line.window or (line.wavelength - 10.0, line.wavelength + 10.0)
    sidebands = line.continuum
    if len(sidebands) != 2:
        side = max(AREA_SIDE_A, SIDE_SHARE * (window[1] - window[0]))
        sidebands = ((window[0] - side, window[0]), (window[1], window[1] + side))
    observed = (window[0] * shift, window[1] * shift)
    if observed[0] < grid.edges[0] or observed[1] > grid.edges[-1] or not grid.is_usable:
        return refused(name, "outside the spectrum", "Å", window)
    blue, red = ((lo * shift, hi * shift) for lo, hi in sidebands)
    continuum = continuum_beside(grid, blue, red, "feature")
    if isinstance(continuum, str):
        return refused(name, continuum, "Å", window)
    area = integrate_feature(grid, continuum, observed)
    if isinstance(area, str):
        return refused(name, area, "Å", observed)
    return name, grid, continuum, observed, area
