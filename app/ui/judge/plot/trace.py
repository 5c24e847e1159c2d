"""Prepares a spectrum for drawing: its quantity, smoothing, scaling, gaps and bad pixels."""

import math
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from PySide6.QtGui import QPolygonF

from agent.spectra.gaps import GAP, gap_starts, with_gaps
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_edges
from agent.spectra.smoothing import smooth_parts
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window
from app.core.spectra.flux_quantity import AS_IN_FILE, NORMALISED, conversion, converted
from app.ui.judge.plot.canvas.curve import CurveShapes, polylines
from app.ui.judge.plot.canvas.layers import wide_gaps
from app.ui.judge.plot.canvas.paint import keep
from app.ui.judge.plot.canvas.plot_box import Scale
from app.ui.session.candidate.view_options import ViewOptions

PLAIN = (1e-2, 1e5)  # typical fluxes within this range are shown without a power of ten
LARGEST = 1e9  # values beyond this many typical fluxes are no measurements and are drawn as gaps
ENOUGH_PX = 500
LOWEST = 1e-12  # smaller fluxes, and those below zero, are drawn there on a logarithmic axis


@dataclass(frozen=True, eq=False)
class Trace:
    """A spectrum as drawn. Fluxes and errors are divided by 10 ** `exponent`; NaN is a gap."""

    wavelength: FloatArray
    flux: FloatArray  # smoothed, good pixels only
    raw: FloatArray  # as in the file, bad pixels too
    error: FloatArray | None  # one sigma of `flux`, after smoothing; None where the file gives none
    bad: tuple[Window, ...]  # wavelength ranges of bad pixels
    exponent: int
    smoothing_px: float
    pixel_kms: float
    quantity: str = AS_IN_FILE  # what the fluxes are; as in the file where that cannot be converted
    flux_unit: str = ""
    conversion: tuple[FloatArray, FloatArray] | None = None
    """Wavelengths of the file, and what its flux is multiplied by there; None: nothing."""
    is_log: bool = False  # whether the flux axis is logarithmic
    flux_ranges: dict[tuple[Window, bool], Window] = field(default_factory=dict)
    """What `flux_range` has found, by its arguments."""
    _polylines: dict[Scale, list[QPolygonF]] = field(default_factory=dict)
    curves: CurveShapes = field(default_factory=dict)
    """What `Curve.shape_at` has computed of it."""
    columns: dict[object, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    """What `band_columns` has computed of it."""

    def on_axis(self, flux: FloatArray) -> FloatArray:
        """Fluxes of the trace as drawn; a logarithmic axis has their decimal logarithms."""
        return np.log10(np.maximum(flux, LOWEST)) if self.is_log else flux

    def converted(self, wavelength: float, flux: float) -> float:
        """A flux of the file in the quantity shown."""
        conversion = self.conversion
        return flux if conversion is None else flux * float(np.interp(wavelength, *conversion))

    def place(self, wavelength: float, flux: float) -> float:
        """Where on the axis a flux of the file belongs."""
        return float(self.place_all(np.array([wavelength]), np.array([flux]))[0])

    def place_all(self, wavelength: FloatArray, flux: FloatArray) -> FloatArray:
        factor = 1.0 if self.conversion is None else np.interp(wavelength, *self.conversion)
        return self.on_axis(np.asarray(flux * factor / self.unit))

    def polylines(self, scale: Scale) -> list[QPolygonF]:
        """The curve in the pixels of a small plot, computed once for a scale."""
        if scale in self._polylines:
            return self._polylines[scale]
        inside = slice(*self.wavelength.searchsorted((scale.lo, scale.hi)).tolist())
        flux = self.on_axis(self.flux[inside])
        return keep(self._polylines, scale, polylines(self.wavelength[inside], flux, scale))

    @cached_property
    def gaps(self) -> tuple[Window, ...]:
        return wide_gaps(self.wavelength, self.raw)

    @cached_property
    def underlay(self) -> tuple[FloatArray, FloatArray]:
        """The raw flux drawn under the curve.

        Under a smoothed curve that is the whole spectrum, else only the bad pixels, each run with
        its two neighbours, so that it joins the curve, and with a gap to the next run.
        """
        if self.is_smoothed:
            return self.wavelength, self.raw
        known = np.isfinite(self.flux)
        hidden = ~(known & _beside(known))
        raw = np.where(hidden, self.raw, np.nan)
        kept = hidden | ~_beside(~hidden)
        return self.wavelength[kept], raw[kept]

    @property
    def range(self) -> Window:
        return float(self.wavelength[0]), float(self.wavelength[-1])

    @property
    def unit(self) -> float:
        return float(10.0**self.exponent)

    @property
    def is_smoothed(self) -> bool:
        return self.smoothing_px > 0

    @property
    def smoothing_kms(self) -> float:
        return self.smoothing_px * self.pixel_kms


def _beside(which: BoolArray) -> BoolArray:
    """Whether all neighbours of each pixel are set; the first and the last have only one."""
    both = np.ones_like(which)
    both[1:] &= which[:-1]
    both[:-1] &= which[1:]
    return both


def trace(
    spectrum: Spectrum, smoothing_px: float = 0.0, quantity: str = AS_IN_FILE, is_log: bool = False
) -> Trace:
    factor = conversion(spectrum, quantity)
    spectrum = converted(spectrum, quantity, factor)
    exponent = _exponent(spectrum)
    unit = 10.0**exponent
    with np.errstate(over="ignore", invalid="ignore"):
        raw = spectrum.flux / unit
        sigma = None if spectrum.sigma is None else spectrum.sigma / unit
    raw = np.where(np.abs(raw) < LARGEST, raw, np.nan)
    good = spectrum.good & np.isfinite(raw)
    flux = np.where(good, raw, np.nan)
    error = None if sigma is None else np.where(good & (sigma < LARGEST), sigma, np.nan)
    wavelength = spectrum.wavelength
    if smoothing_px > 0:
        flux, error = smooth_parts(wavelength, flux, error, smoothing_px)
    pixel_kms = LIGHT_KMS * float(np.median(np.diff(wavelength) / wavelength[1:]))
    bad = bad_ranges(wavelength, ~good)
    if error is None:
        wavelength, flux, raw = with_gaps(wavelength, GAP, flux, raw)
    else:
        wavelength, flux, raw, error = with_gaps(wavelength, GAP, flux, raw, error)
    made = Trace(wavelength, flux, raw, error, bad, exponent, smoothing_px, pixel_kms)
    made = replace(made, flux_unit=spectrum.flux_unit, is_log=is_log)
    if factor is None:
        return made
    return replace(made, quantity=quantity, conversion=(spectrum.wavelength, factor))


AskedTrace = tuple[float, str, bool]
"""Smoothing, quantity, and whether the flux axis is logarithmic."""
MAX_SYNC_PIXELS = 100_000  # longer spectra are smoothed and converted outside the GUI thread
MAX_SYNC_NORMALISED = 20_000  # as many are normalised within a frame


def asked_trace(options: ViewOptions) -> AskedTrace:
    return options.smoothing_px, options.flux, options.flux_log


def takes_long(spectrum: Spectrum, smoothing_px: float, quantity: str, _: bool) -> bool:
    """Whether a trace is to be made outside the GUI thread."""
    if quantity == NORMALISED and "scipy.linalg" not in sys.modules:
        return True  # importing it takes 0.2 s
    if quantity == NORMALISED and len(spectrum) > MAX_SYNC_NORMALISED:
        return True
    return len(spectrum) > MAX_SYNC_PIXELS and (smoothing_px > 0 or quantity != AS_IN_FILE)


def rough_median(values: FloatArray) -> float:
    """About the median, from some hundred of the values: it is needed at each key."""
    return float(np.median(values[:: max(1, values.size // ENOUGH_PX)]))


def bad_ranges(wavelength: FloatArray, bad: BoolArray) -> tuple[Window, ...]:
    """Runs of bad pixels, from the outer edge of the first to that of the last pixel.

    A gap in the wavelengths ends a run, and the pixels beside it are as wide as their neighbours.
    """
    if not bad.any():
        return ()
    starts = gap_starts(wavelength, GAP)
    edges = pixel_edges(wavelength)
    low, high = edges[:-1].copy(), edges[1:].copy()
    widest = GAP * float(np.median(np.diff(wavelength)))
    low[starts] = wavelength[starts] - np.minimum(high[starts] - wavelength[starts], widest)
    before = starts - 1
    high[before] = wavelength[before] + np.minimum(wavelength[before] - low[before], widest)
    is_first, is_last = bad.copy(), bad.copy()
    is_first[1:] &= ~bad[:-1]
    is_last[:-1] &= ~bad[1:]
    is_first[starts], is_last[before] = bad[starts], bad[before]
    return tuple(zip(low[is_first].tolist(), high[is_last].tolist(), strict=True))


def _exponent(spectrum: Spectrum) -> int:
    magnitudes = np.abs(spectrum.flux[spectrum.good])
    magnitudes = magnitudes[magnitudes > 0]
    typical = rough_median(magnitudes) if magnitudes.size else 1.0
    if PLAIN[0] <= typical < PLAIN[1] or not math.isfinite(typical):
        return 0
    return max(min(math.floor(math.log10(typical)), 300), -300)
