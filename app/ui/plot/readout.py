"""What stands under the mouse, in words."""

from __future__ import annotations

import math

import numpy as np

from agent.spectra.lines import Line, LineLists
from agent.spectra.sampling import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from app.ui.plot.marks import Mark
from app.ui.plot.unit_text import power_text, read_unit

NEAR_KMS = 1500.0
"""Lines farther from a click are not what was meant."""
MOST_NAMED = 3
TELLING = ("line", "band_head")


def reading(spectrum: Spectrum, wavelength: float, z: float, mark: Mark | None = None) -> str:
    """Wavelength, wavelength at rest where it differs, flux of the nearest pixel; the mark's name
    and its own wavelength at rest."""
    parts = [] if mark is None else [f"{mark.line.label} {mark.line.wavelength:.1f}"]
    parts.append(f"{wavelength:.1f} Å")
    if z:
        parts.append(f"λ₀ {wavelength / (1.0 + z):.1f} Å")
    flux = _flux_at(spectrum, wavelength)
    if flux:
        parts.append(flux)
    return "   ".join(parts)


def neighbours(lists: LineLists, wavelength: float, z: float) -> str:
    """Known lines near a place, each with the velocity it would have there."""
    rest = wavelength / (1.0 + z)
    moving = lists.nearest(rest, rest * NEAR_KMS / LIGHT_KMS, TELLING)
    found = [(_velocity(rest, line), line) for line in moving]
    here = lists.nearest(wavelength, 6.0, ("sky",))
    named = [f"{line.label} {velocity:+.0f} km/s" for velocity, line in found[:MOST_NAMED]]
    return ", ".join([*named, *(line.label for line in here[:1])]).replace("-", "\N{MINUS SIGN}")


def flux_text(value: float) -> str:
    if value == 0 or 1e-2 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.3e}"


def flux_title(relative: str, words: str, unit: str, exponent: int) -> str:
    """Of the axis: `words` with the file's own unit, or what it is called without one. The numbers
    on it are divided by 10 ** `exponent`."""
    known = read_unit(unit)
    power = known.power + exponent
    factors = [known.mantissa] if known.mantissa else []
    factors += [power_text(power)] if power else []
    inside = " ".join(filter(None, (" × ".join(factors), known.text)))
    return (words if unit.strip() else relative) + (f" ({inside})" if inside else "")


def _velocity(rest: float, line: Line) -> float:
    return LIGHT_KMS * (rest / line.wavelength - 1.0)


def _flux_at(spectrum: Spectrum, wavelength: float) -> str:
    lo, hi = spectrum.range
    if not lo <= wavelength <= hi:
        return ""
    right = int(spectrum.wavelength.searchsorted(wavelength))
    near = np.array([max(right - 1, 0), min(right, len(spectrum) - 1)])
    pixel = int(near[np.argmin(np.abs(spectrum.wavelength[near] - wavelength))])
    value = float(spectrum.flux[pixel])
    if not math.isfinite(value):
        return "NaN"
    return f"F {flux_text(value)}" + ("" if spectrum.good[pixel] else " ✕")
