"""The measurement of one line."""

from __future__ import annotations

from dataclasses import dataclass

from agent.spectra.spectrum import Window


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
    fwhm: float | None = None
    """Observed angstrom, including the instrument's width."""
    fwhm_error: float | None = None
    fwhm_kms: float | None = None
    """Corrected for the instrument's width if it is known; 0 for an unresolved line."""
    peak: float | None = None
    """Relative to the continuum, negative for absorption."""
    significance: float = 0.0
    """Of the profile; if none was found, of the highest noise that the search met."""
    separation_kms: float | None = None
    """Between the two peaks of a double-peaked line."""
    window: Window | None = None
    n_pixels: int = 0
    flags: tuple[str, ...] = ()
    unsafe: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_detected(self) -> bool:
        return self.centroid is not None

    @property
    def kind(self) -> str:
        """'emission', 'absorption', or empty if nothing was found."""
        if self.peak is None:
            return ""
        return "emission" if self.peak > 0 else "absorption"
