"""What the measurement of one line answers."""

from __future__ import annotations

from dataclasses import dataclass

from agent.spectra.spectrum import Window


@dataclass(frozen=True)
class LineMeasurement:
    """One line as found. Wavelengths are observed vacuum angstrom; `ew` is at rest, absorption > 0.

    Where nothing was found above 3 sigma `is_detected` is False, `ew` and `ew_error` bound what
    could hide there and the rest is None. Where nothing can be said `ew` is None; see `reason`.
    """

    line: str
    ew: float | None = None
    ew_error: float | None = None
    centroid: float | None = None
    centroid_error: float | None = None
    velocity_kms: float | None = None
    velocity_error_kms: float | None = None
    fwhm: float | None = None
    """Angstrom as observed, the instrument's width included."""
    fwhm_error: float | None = None
    fwhm_kms: float | None = None
    """With the instrument's width taken out where it is known; 0 for an unresolved line."""
    peak: float | None = None
    """Height over the continuum as a part of it, negative for absorption."""
    significance: float = 0.0
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
        """emission, absorption, or empty where nothing was found."""
        if self.peak is None:
            return ""
        return "emission" if self.peak > 0 else "absorption"
