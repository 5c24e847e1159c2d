"""The result of a measurement: a number with its error, or the reason why there is none."""

import math
from dataclasses import dataclass

from agent.spectra.spectrum import Window


@dataclass(frozen=True)
class Measurement:
    """A number with its error; without a value, `reason` says why.

    `window` is observed vacuum angstrom.
    """

    name: str
    value: float | None
    error: float | None
    unit: str = ""
    window: Window | None = None
    n_pixels: int = 0
    reason: str = ""

    @property
    def number(self) -> float:
        """The value, or NaN: for tables and classifiers."""
        return math.nan if self.value is None else self.value

    @property
    def significance(self) -> float:
        """|value| / error; 0 without a value."""
        if self.value is None or not self.error:
            return 0.0
        return abs(self.value) / self.error


def measured(
    name: str,
    value: float,
    error: float | None,
    unit: str = "",
    window: Window | None = None,
    n_pixels: int = 0,
) -> Measurement:
    """A measurement, or a refusal where the number is not finite."""
    if not math.isfinite(value):
        return refused(name, "the numbers run out of range", unit, window, n_pixels)
    if error is not None and not math.isfinite(error):
        error = None
    return Measurement(name, value, error, unit, window, n_pixels)


def refused(
    name: str, reason: str, unit: str = "", window: Window | None = None, n_pixels: int = 0
) -> Measurement:
    return Measurement(name, None, None, unit, window, n_pixels, reason)


@dataclass(frozen=True)
class LineMeasurement:
    """Wavelengths are observed vacuum angstrom; `ew` is at rest, absorption positive.

    If nothing was found above 3 sigma, `is_detected` is False, `ew` and `ew_error` limit a hidden
    line and the rest is None. If the line cannot be measured, `ew` is None and `reason` says why.
    """

    line: str
    ew: float | None = None
    ew_error: float | None = None
    centroid: float | None = None
    centroid_error: float | None = None
    velocity_kms: float | None = None
    velocity_error_kms: float | None = None
    fwhm: float | None = None  # observed angstrom, including the instrument's width
    fwhm_error: float | None = None
    fwhm_kms: float | None = None
    """Corrected for the instrument's width if it is known; 0 for an unresolved line."""
    peak: float | None = None  # relative to the continuum, negative for absorption
    peak_error: float | None = None
    significance: float = 0.0
    """Of the profile; if none was found, of the highest noise that the search met."""
    separation_kms: float | None = None  # between the two peaks of a double-peaked line
    window: Window | None = None
    n_pixels: int = 0
    flags: tuple[str, ...] = ()
    unsafe: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_detected(self) -> bool:
        return self.centroid is not None

    @property
    def fwhm_kms_error(self) -> float | None:
        """As that of 100 km/s at least: the instrument's own width is known no better."""
        if self.fwhm_kms is None or not self.fwhm or self.fwhm_error is None:
            return None
        return self.fwhm_error / self.fwhm * max(self.fwhm_kms, 100.0)

    @property
    def kind(self) -> str:
        """'emission', 'absorption', or empty if nothing was found."""
        if self.peak is None:
            return ""
        return "emission" if self.peak > 0 else "absorption"
