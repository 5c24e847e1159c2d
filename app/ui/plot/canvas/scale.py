"""Conversion between wavelength and flux and the plot's pixels, from its top left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from agent.spectra.spectrum import FloatArray

Number = TypeVar("Number", float, FloatArray)


@dataclass(frozen=True)
class Scale:
    """Maps wavelengths `lo` to `hi` to `width` pixels, fluxes `bottom` to `top` to `height`."""

    lo: float
    hi: float
    bottom: float
    top: float
    width: float
    height: float

    def x(self, wavelength: Number) -> Number:
        return (wavelength - self.lo) * (self.width / (self.hi - self.lo))

    def y(self, flux: Number) -> Number:
        return (self.top - flux) * (self.height / (self.top - self.bottom))

    def wavelength(self, x: float) -> float:
        return self.lo + x * self.per_pixel

    def flux(self, y: float) -> float:
        return self.top - y * self.flux_per_pixel

    @property
    def per_pixel(self) -> float:
        """Angstrom per pixel."""
        return (self.hi - self.lo) / self.width

    @property
    def flux_per_pixel(self) -> float:
        return (self.top - self.bottom) / self.height
