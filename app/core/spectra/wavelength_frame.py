"""How wavelengths are shown: Å or nm, vacuum or air, observed or at rest, or as a velocity."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from agent.spectra.air import air_to_vacuum, vacuum_to_air
from agent.spectra.lines import Line
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FloatArray, Window

A_PER_NM = 10.0
UNITS = ("Å", "nm")
MEDIA = ("vacuum", "air", "file")
SLOWEST_KMS = -0.999 * LIGHT_KMS
"""A velocity about a line is c (λ / λ₀ - 1), which no wavelength takes to -c."""


@dataclass(frozen=True, kw_only=True)
class WavelengthFrame:
    """Converts between wavelengths as the program has them and the numbers that are shown.

    The program has vacuum angstrom in the observed frame.
    """

    unit: str = "Å"
    is_air: bool = False
    is_rest: bool = False
    z: float = 0.0  # the redshift that rest wavelengths are free of
    line: Line | None = None  # The line that velocities are about; None shows wavelengths.

    @property
    def unit_shown(self) -> str:
        return self.unit if self.line is None else "km/s"

    @property
    def is_usual(self) -> bool:
        """Whether this is vacuum angstrom, observed."""
        return self == WavelengthFrame(z=self.z)

    @property
    def description(self) -> str:
        """Unit, frame and medium: `nm, rest, air`."""
        at = "rest" if self.is_rest else "observed"
        if self.line is not None:
            return f"km/s about {self.line.label}, {at}"
        return f"{self.unit}, {at}, {'air' if self.is_air else 'vacuum'}"

    @property
    def ascii_description(self) -> str:
        """The same for the header of a file."""
        if self.line is not None:
            return replace(self, line=replace(self.line, label=self.line.id)).description
        return self.description.replace("Å", "Angstrom")

    @property
    def of_wavelengths(self) -> WavelengthFrame:
        """The same without velocities."""
        return replace(self, line=None)

    @property
    def of_rest(self) -> WavelengthFrame:
        """For wavelengths that are at rest already, such as those of lists and tasks."""
        return replace(self, line=None, is_rest=False)

    def shown(self, wavelength: float) -> float:
        return float(self.all_shown(np.float64(wavelength)))

    def all_shown(self, wavelength: FloatArray | np.float64) -> FloatArray:
        at = np.asarray(wavelength / self._stretch)
        if self.line is not None:
            return LIGHT_KMS * (at / self.line.wavelength - 1.0)
        return (vacuum_to_air(at) if self.is_air else at) / self._angstrom

    def observed(self, value: float) -> float:
        """The wavelength of a number that is shown."""
        if self.line is not None:
            speed = max(value, SLOWEST_KMS)
            return self.line.wavelength * (1.0 + speed / LIGHT_KMS) * self._stretch
        at = value * self._angstrom
        return (float(air_to_vacuum(at)) if self.is_air else at) * self._stretch

    def text(self, wavelength: float, decimals: int = 1) -> str:
        """A wavelength with its unit; `decimals` are those of a number in angstrom."""
        return f"{self.number(wavelength, decimals)} {self.unit_shown}"

    def number(self, wavelength: float, decimals: int = 1) -> str:
        value = self.shown(wavelength)
        if self.line is not None:
            return f"{value:+.{max(decimals - 1, 0)}f}".replace("-", "\N{MINUS SIGN}")
        return f"{value:.{decimals + (self.unit == 'nm')}f}"

    def range_text(self, window: Window, decimals: int = 0) -> str:
        low, high = (self.number(end, decimals) for end in window)
        return f"{low}–{high} {self.unit_shown}"

    @property
    def _stretch(self) -> float:
        return 1.0 + self.z if self.is_rest else 1.0

    @property
    def _angstrom(self) -> float:
        return A_PER_NM if self.unit == "nm" else 1.0
