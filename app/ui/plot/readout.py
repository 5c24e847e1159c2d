"""Texts about a position on the plot: the readout, nearby lines, units and measurements."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from agent.evidence.measurements import window_table
from agent.spectra.lines import Line, LineLists, label_of
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, Window
from app.ui.plot.marks import Mark

MAX_UNIT = 40
"""Characters of an unknown unit shown on the axis."""
MAX_TOKENS = 40
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PLAIN = "erg s cm m nm Hz W J Jy mJy MJy sr arcsec pix photon ct adu Å µm µJy K"
UNIT_SPELLINGS: dict[str, str] = {name: name for name in PLAIN.split()} | {
    "ergs": "erg",
    "Erg": "erg",
    "sec": "s",
    "um": "µm",
    "micron": "µm",
    "μm": "µm",  # the Greek letter mu; the key "µm" of PLAIN is the micro sign
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
    """A flux unit; `text` is without its power of ten."""

    text: str
    power: int = 0
    mantissa: str = ""
    """Factor before the power of ten; empty for 1."""


def power_text(exponent: int) -> str:
    """The power of ten with superscript digits."""
    return "10" + _raised(exponent)


@lru_cache(maxsize=64)
def read_unit(text: str) -> Unit:
    """Parse a unit from a file; one that is not understood is kept, shortened to one line."""
    plain = " ".join(text[: 4 * MAX_UNIT].split())
    factor = FACTOR.match(plain)
    rest = plain if factor is None else plain[factor.end() :]
    parts = _parts(rest)
    if parts is None:
        kept = "".join(each for each in plain if each.isprintable())
        return Unit(kept if len(kept) <= MAX_UNIT else kept[: MAX_UNIT - 1] + "…")
    known = " ".join(name + (_raised(power) if power != 1 else "") for name, power in parts)
    if factor is None:
        return Unit(known)
    mantissa = factor["mantissa"] or ""
    return Unit(known, int(factor["power"]), "" if mantissa in ("1", "1.0") else mantissa)


def _parts(text: str) -> list[tuple[str, int]] | None:
    """Unit names with their powers; None where the text is not understood."""
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text.replace(" ", "") or len(tokens) > MAX_TOKENS:
        return None
    parts: list[tuple[str, int]] = []
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
        elif token in UNIT_SPELLINGS:
            parts.append((UNIT_SPELLINGS[token], signs[-1] * sign))
            sign = 1
        elif token not in ("*", "."):
            if not parts or abs(parts[-1][1]) != 1 or not (power := _power(token)):
                return None
            parts[-1] = parts[-1][0], parts[-1][1] * power
    return parts if len(signs) == 1 else None


def _power(token: str) -> int:
    digits = token.strip("*^()")
    return int(digits) if digits.lstrip("+-").isdigit() else 0


def _raised(power: int) -> str:
    return str(power).translate(RAISED)


QUANTITIES = (
    ("centroid", "centroid ", "Å"),
    ("ew", "EW ", "Å"),
    ("fwhm_kms", "FWHM ", "km/s"),
    ("sigma", "", "σ"),
)
"""Keys of a measurement, each with what is written before and after its value."""


def measurements_text(spectrum: Spectrum, window: Window, z: float) -> str:
    """What is measured in the window, as lines of `name: value`.

    Wavelengths are in vacuum angstrom, in the rest frame where z is not 0.
    """
    lo, hi = (end / (1.0 + z) for end in window)
    numbers = window_table(spectrum, lo, hi, z)
    lines = [
        f"object: {spectrum.object_id}" + (" (SIMULATED)" if spectrum.simulated else ""),
        f"range: {window[0]:.2f} to {window[1]:.2f} Å, observed, vacuum",
        *([f"z: {z:.6g}; rest range: {lo:.2f} to {hi:.2f} Å"] if z else []),
        f"pixels: {numbers['n_pixels']}, bad: {numbers['n_bad']}",
    ]
    if "snr" in numbers:
        lines.append(f"S/N per pixel: {numbers['snr']:g}")
    if "feature" in numbers:
        lines.append(_line_text("strongest feature", numbers["feature"]))
    lines += [_line_text(label_of(line["name"]), line) for line in numbers.get("lines", ())]
    lines += [
        f"{label_of(edge['name'])}: drop {edge['drop']:g}, {edge['sigma']:g} σ"
        for edge in numbers.get("edges", ())
    ]
    if "reason" in numbers:
        lines.append(str(numbers["reason"]))
    return "\n".join(lines) + "\n"


def _line_text(name: str, line: Mapping[str, Any]) -> str:
    values = [
        f"{before}{line[key]:g}"
        + (f" ± {line['ew_error']:g}" if key == "ew" and "ew_error" in line else "")
        + f" {unit}"
        for key, before, unit in QUANTITIES
        if key in line
    ]
    return f"{name} ({line['kind']}): " + ", ".join(values)


NEAR_KMS = 1500.0
"""Lines farther than this from a click are not listed."""
MAX_NAMED = 3
NAMED_KINDS = ("line", "band_head")


def readout_text(spectrum: Spectrum, wavelength: float, z: float, mark: Mark | None = None) -> str:
    """The readout: the mark's name and rest wavelength, then wavelength and flux at the mouse.

    The rest wavelength is included where z is not 0; the flux is that of the nearest pixel.
    """
    parts = [] if mark is None else [f"{mark.line.label} {mark.line.wavelength:.1f}"]
    parts.append(f"{wavelength:.1f} Å")
    if z:
        parts.append(f"λ₀ {wavelength / (1.0 + z):.1f} Å")
    flux = _flux_at(spectrum, wavelength)
    if flux:
        parts.append(flux)
    return "   ".join(parts)


def lines_nearby(lists: LineLists, wavelength: float, z: float) -> str:
    """Known lines near a wavelength, each with the velocity that would shift it there."""
    rest = wavelength / (1.0 + z)
    near = lists.nearest(rest, rest * NEAR_KMS / LIGHT_KMS, NAMED_KINDS)[:MAX_NAMED]
    sky = lists.nearest(wavelength, 6.0, ("sky",))[:1]
    named = [f"{line.label} {_velocity(rest, line):+.0f} km/s" for line in near]
    return ", ".join([*named, *(line.label for line in sky)]).replace("-", "\N{MINUS SIGN}")


def flux_text(value: float) -> str:
    if value == 0 or 1e-2 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.3e}"


def flux_title(relative: str, absolute: str, unit: str, exponent: int) -> str:
    """Title of the flux axis: `absolute` with the file's unit, or `relative` without one.

    The numbers on the axis are divided by 10 ** `exponent`.
    """
    known = read_unit(unit)
    power = known.power + exponent
    factors = [known.mantissa] if known.mantissa else []
    factors += [power_text(power)] if power else []
    inside = " ".join(filter(None, (" × ".join(factors), known.text)))
    return (absolute if unit.strip() else relative) + (f" ({inside})" if inside else "")


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
