"""What the flux axis shows: the flux of the file, per wavelength or frequency, or normalised.

And the units of it, as files write them.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from agent.ellipsis import shortened
from agent.spectra.measure.continuum import continuum_of
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_grid
from agent.spectra.spectrum import FloatArray, Spectrum

AS_IN_FILE, PER_WAVELENGTH, PER_FREQUENCY = "file", "per_wavelength", "per_frequency"
NORMALISED = "normalised"
QUANTITIES = (AS_IN_FILE, PER_WAVELENGTH, PER_FREQUENCY, NORMALISED)
LIGHT_A_PER_S = LIGHT_KMS * 1e13
FLOOR = 0.05  # least continuum, as a fraction of its median, that a flux is divided by


def can_show(spectrum: Spectrum, quantity: str) -> bool:
    is_density = quantity in (PER_WAVELENGTH, PER_FREQUENCY)
    return not is_density or flux_density(spectrum.flux_unit) is not None


def conversion(spectrum: Spectrum, quantity: str) -> FloatArray | None:
    """What each pixel's flux is multiplied by; None where it stays as it is in the file."""
    if quantity == AS_IN_FILE or not can_show(spectrum, quantity):
        return None
    if quantity == NORMALISED:
        return inverse_continuum(spectrum)
    known = flux_density(spectrum.flux_unit)
    assert known is not None
    kind, size = known
    if kind == quantity:
        return np.full_like(spectrum.wavelength, size)
    square = spectrum.wavelength**2
    return size * (square / LIGHT_A_PER_S if quantity == PER_FREQUENCY else LIGHT_A_PER_S / square)


def inverse_continuum(spectrum: Spectrum) -> FloatArray | None:
    """1 over the running continuum, which is that of our measurements; None without one."""
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return None
    continuum = continuum_of(grid)
    typical = float(np.median(np.abs(continuum)))
    if not typical > 0:
        return None
    return np.asarray(1.0 / (np.maximum(continuum, FLOOR * typical) * grid.scale))


def converted(spectrum: Spectrum, quantity: str, factor: FloatArray | None) -> Spectrum:
    """The spectrum with fluxes, errors and unit of a quantity, by its `conversion`."""
    if factor is None:
        return spectrum
    ivar = spectrum.ivar
    with np.errstate(all="ignore"):
        flux = spectrum.flux * factor
        ivar = None if ivar is None else ivar / factor / factor
    unit = "" if quantity == NORMALISED else CGS[quantity]
    return replace(spectrum, flux=flux, ivar=ivar, flux_unit=unit)


# Units of flux as files write them, and which of them are flux densities. astropy.units takes 0.2 s
# to import, which the window would feel, and refuses many a header's unit.
MAX_UNIT = 40  # characters of an unknown unit shown on the axis
MAX_TOKENS = 40
MAX_POWER = 9
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PLAIN = "erg s cm m nm Hz W J Jy mJy MJy sr arcsec pix photon ct adu Å µm µJy K"
ALSO = {
    **{"erg": "ergs Erg", "s": "sec", "µJy": "uJy"},
    "µm": "um micron μm",  # the last with the Greek letter mu; the key has the micro sign
    **{"pix": "pixel", "ct": "count counts", "photon": "photons", "adu": "ADU"},
    "Å": "A AA Ang ang Angstrom angstrom Angstroms angstroms \u212b",
}
UNIT_SPELLINGS: dict[str, str] = {name: name for name in PLAIN.split()} | {
    spelling: name for name, spellings in ALSO.items() for spelling in spellings.split()
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
    mantissa: str = ""  # Factor before the power of ten; empty for 1.


def power_text(exponent: int) -> str:
    """The power of ten with superscript digits."""
    return "10" + _raised(exponent)


@lru_cache(maxsize=64)
def read_unit(text: str) -> Unit:
    """Parse a unit from a file; one that is not understood is kept, shortened to one line."""
    split = _split(text)
    if split is None:
        plain = _plain(text)
        kept = "".join(each for each in plain if each.isprintable())
        return Unit(shortened(kept, MAX_UNIT))
    factor, parts = split
    known = " ".join(name + (_raised(power) if power != 1 else "") for name, power in parts)
    if factor is None:
        return Unit(known)
    mantissa = factor["mantissa"] or ""
    return Unit(known, int(factor["power"]), "" if mantissa in ("1", "1.0") else mantissa)


def _plain(text: str) -> str:
    return " ".join(text[: 4 * MAX_UNIT].split())


def _split(text: str) -> tuple[re.Match[str] | None, list[tuple[str, int]]] | None:
    """The factor and the names with their powers; None where the text is not understood."""
    plain = _plain(text)
    factor = FACTOR.match(plain)
    rest = plain if factor is None else plain[factor.end() :]
    tokens = TOKEN.findall(rest)
    if "".join(tokens) != rest.replace(" ", "") or len(tokens) > MAX_TOKENS:
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
            digits = token.strip("*^()")
            power = int(digits) if digits.lstrip("+-").isdigit() else 0
            if not power or not parts or abs(parts[-1][1]) != 1:
                return None
            parts[-1] = parts[-1][0], parts[-1][1] * power
    return (factor, parts) if len(signs) == 1 else None


def _raised(power: int) -> str:
    return str(power).translate(RAISED)


Dimensions = Mapping[str, int]
BASE: dict[str, tuple[float, Dimensions]] = {
    "erg": (1.0, {"erg": 1}),
    "J": (1e7, {"erg": 1}),
    "W": (1e7, {"erg": 1, "s": -1}),
    "s": (1.0, {"s": 1}),
    "cm": (1.0, {"cm": 1}),
    "m": (1e2, {"cm": 1}),
    "Å": (1.0, {"Å": 1}),
    "nm": (1e1, {"Å": 1}),
    "µm": (1e4, {"Å": 1}),
    "Hz": (1.0, {"Hz": 1}),
    **{
        prefix + "Jy": (factor * 1e-23, {"erg": 1, "s": -1, "cm": -2, "Hz": -1})
        for prefix, factor in (("", 1.0), ("m", 1e-3), ("µ", 1e-6), ("M", 1e6))
    },
}
"""What a unit is in erg, s, cm, Å and Hz."""
NAMED = {"flam": ("per_wavelength", 1.0), "fnu": ("per_frequency", 1.0)}
"""Names that HST's tools write into TUNIT."""
DENSITIES = {
    "per_wavelength": {"erg": 1, "s": -1, "cm": -2, "Å": -1},
    "per_frequency": {"erg": 1, "s": -1, "cm": -2, "Hz": -1},
}
CGS = {"per_wavelength": "erg s-1 cm-2 Angstrom-1", "per_frequency": "erg s-1 cm-2 Hz-1"}


@lru_cache(maxsize=64)
def flux_density(text: str) -> tuple[str, float] | None:
    """Whether a unit is one per wavelength or per frequency, and its size in that of CGS."""
    if (named := NAMED.get(text.strip().casefold())) is not None:
        return named
    split = _split(text)
    if split is None:
        return None
    factor, parts = split
    size = 1.0 if factor is None else float(factor["mantissa"] or 1) * 10.0 ** int(factor["power"])
    found: dict[str, int] = {}
    for name, power in parts:
        if name not in BASE or abs(power) > MAX_POWER:
            return None
        scale, dimensions = BASE[name]
        size *= scale**power
        for base, its_power in dimensions.items():
            found[base] = found.get(base, 0) + power * its_power
    found = {base: power for base, power in found.items() if power}
    kind = next((kind for kind, dimensions in DENSITIES.items() if dimensions == found), None)
    return (kind, size) if kind is not None and 0.0 < size < math.inf else None
