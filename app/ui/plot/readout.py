"""What stands under the mouse, in words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from agent.spectra.lines import Line, LineLists
from agent.spectra.measure.zoom_measurements import zoom_numbers
from agent.spectra.sampling import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from app.ui.plot.marks import Mark
from app.ui.plot.trace import Range

LONGEST = 40
"""Characters of a unit nobody knows, as it stands on the axis."""
MOST_TOKENS = 40
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PLAIN = "erg s cm m nm Hz W J Jy mJy MJy sr arcsec pix photon ct adu Å µm µJy K"
SPELT: dict[str, str] = {name: name for name in PLAIN.split()} | {
    "ergs": "erg",
    "Erg": "erg",
    "sec": "s",
    "um": "µm",
    "micron": "µm",
    "μm": "µm",  # the Greek letter; above it is the sign
    "uJy": "µJy",
    "pixel": "pix",
    "count": "ct",
    "counts": "ct",
    "photons": "photon",
    "ADU": "adu",
    "A": "Å",
    "AA": "Å",
    "Ang": "Å",
    "ang": "Å",
    "Angstrom": "Å",
    "angstrom": "Å",
    "Angstroms": "Å",
    "angstroms": "Å",
    "\u212b": "Å",
}
FACTOR = re.compile(
    r"(?:(?P<mantissa>\d(?:\.\d{1,6})?)[eE]|10(?:\*\*|\^))\(?(?P<power>[+-]?\d{1,2})\)?[\s*]*"
)
TOKEN = re.compile(r"[^\W\d_]+|(?:\*\*|\^)?\(?[+-]?\d{1,2}\)?|[/().*]")


@dataclass(frozen=True)
class Unit:
    """`text` is without the power of ten that stands before it."""

    text: str
    power: int = 0
    mantissa: str = ""
    """A factor before the power; empty: 1."""


def power_text(exponent: int) -> str:
    """10 to that, in raised digits."""
    return "10" + _raised(exponent)


@lru_cache(maxsize=64)
def read_unit(words: str) -> Unit:
    """A file's own words: those that are not understood stay as they are, on one short line."""
    plain = " ".join(words[: 4 * LONGEST].split())
    found = FACTOR.match(plain)
    rest = plain if found is None else plain[found.end() :]
    parts = _parts(rest)
    if parts is None:
        kept = "".join(each for each in plain if each.isprintable())
        return Unit(kept if len(kept) <= LONGEST else kept[: LONGEST - 1] + "…")
    text = " ".join(name + (_raised(power) if power != 1 else "") for name, power in parts)
    if found is None:
        return Unit(text)
    mantissa = found["mantissa"] or ""
    return Unit(text, int(found["power"]), "" if mantissa in ("1", "1.0") else mantissa)


def _parts(text: str) -> list[tuple[str, int]] | None:
    """Names of units and their powers; None where it is not understood."""
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text.replace(" ", "") or len(tokens) > MOST_TOKENS:
        return None
    found: list[tuple[str, int]] = []
    signs, sign = [1], 1
    for token in tokens:
        if token == "/":
            sign = -1
        elif token == "(":
            signs.append(signs[-1] * sign)
            sign = 1
        elif token == ")":
            if len(signs) == 1:
                return None
            signs.pop()
        elif token in SPELT:
            found.append((SPELT[token], signs[-1] * sign))
            sign = 1
        elif token not in ("*", "."):
            if not found or abs(found[-1][1]) != 1 or not (power := _power(token)):
                return None
            found[-1] = found[-1][0], found[-1][1] * power
    return found if len(signs) == 1 else None


def _power(token: str) -> int:
    digits = token.strip("*^()")
    return int(digits) if digits.lstrip("+-").isdigit() else 0


def _raised(power: int) -> str:
    return str(power).translate(RAISED)


UNITS = {"centroid": "Å", "ew": "Å", "ew_error": "Å", "fwhm_kms": "km/s", "sigma": "σ"}


def measured_text(spectrum: Spectrum, window: Range, z: float) -> str:
    """Lines of `name: value`; wavelengths in vacuum angstrom, at rest where z is not 0."""
    lo, hi = (end / (1.0 + z) for end in window)
    found = zoom_numbers(spectrum, lo, hi, z)
    lines = [
        f"object: {spectrum.object_id}" + (" (SIMULATED)" if spectrum.simulated else ""),
        f"range: {window[0]:.2f} to {window[1]:.2f} Å, observed, vacuum",
        *([f"z: {z:.6g}; range at rest: {lo:.2f} to {hi:.2f} Å"] if z else []),
        f"pixels: {found['n_pixels']}, bad: {found['n_bad']}",
    ]
    if "snr" in found:
        lines.append(f"S/N per pixel: {found['snr']}")
    if "feature" in found:
        lines.append(f"strongest feature: {_line_text(found['feature'])}")
    lines += [_line_text(line) for line in found.get("lines", ())]
    lines += [
        f"{edge['name']}: drop {edge['drop']}, {edge['sigma']} σ" for edge in found.get("edges", ())
    ]
    if "reason" in found:
        lines.append(str(found["reason"]))
    return "\n".join(lines) + "\n"


def _line_text(line: Mapping[str, Any]) -> str:
    names = {"ew": "EW", "fwhm_kms": "FWHM"}
    values = [
        f"{names.get(key, key)} {line[key]}"
        + (f" ± {line['ew_error']}" if key == "ew" and "ew_error" in line else "")
        + f" {UNITS[key]}"
        for key in ("centroid", "ew", "fwhm_kms", "sigma")
        if key in line
    ]
    return f"{line['name']} ({line['kind']}): " + ", ".join(values)


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
