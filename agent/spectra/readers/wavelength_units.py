"""Converts wavelengths of any unit to angstrom."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.readers.base import NotMine
from agent.spectra.spectrum import FloatArray

ANGSTROM = {
    "angstrom": 1.0, "angstroms": 1.0, "angstroem": 1.0, "ang": 1.0, "a": 1.0, "aa": 1.0, "å": 1.0,
    "nm": 10.0, "nanometer": 10.0, "nanometers": 10.0, "nanometre": 10.0,
    "um": 1e4, "µm": 1e4, "μm": 1e4, "micron": 1e4, "microns": 1e4, "micrometer": 1e4,
    "micrometers": 1e4, "mm": 1e7, "cm": 1e8, "m": 1e10, "meter": 1e10, "meters": 1e10,
}  # fmt: skip


_UNIT = re.compile(r"\W*((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)?(.*)", re.DOTALL)
_OTHER = re.compile(
    r"[a-zA-Z]*[Hh]z|[kKMGT]?e[vV]|1/.*|.*-\d|km/?s.*|(?i:pix(el)?s?|deg(rees?)?|arcsec|rad|h|s|sec)",
    re.DOTALL,
)


def factor_of(unit: str) -> float | None:
    """Angstrom per unit, as of `nm` or `0.1nm`; None if the unit is empty or unknown."""
    number, name = _UNIT.match(unit.lower()[:60]).groups()  # type: ignore[union-attr]
    factor = None if re.search(r"[\d/^]", name) else ANGSTROM.get(re.sub(r"[^a-zåµμ]", "", name))
    return factor if factor is None or number is None else factor * float(number)


def counts_pixels(values: NDArray[Any]) -> bool:
    """Whether these are the numbers of the pixels, 0, 1, 2, ... or 1, 2, 3, ..."""
    return bool(values.size > 2 and values[0] in (0, 1) and np.allclose(np.diff(values), 1))


def to_angstrom(values: NDArray[Any], unit: str, logarithmic: str = "") -> tuple[FloatArray, str]:
    """Values in angstrom, and a note if the unit was guessed.

    `logarithmic` is 'log10', 'ln' or '', from the name of the column or the type of the axis.
    """
    values = np.asarray(values, dtype=np.float64)
    plain = unit.lower().replace(" ", "")
    if plain.startswith("log"):
        logarithmic, unit = "log10", plain.removeprefix("log10").removeprefix("log")
    elif plain.startswith("ln"):
        logarithmic, unit = "ln", plain.removeprefix("ln")
    factor = factor_of(unit)
    if factor is None and _OTHER.fullmatch(unit[:60]):
        raise NotMine(f"its first axis is in {unit[:20]}, not a wavelength")
    if logarithmic:
        base = np.exp(values) if logarithmic == "ln" else 10.0**values
        return (base, "") if factor is None else (base * factor, "")
    return (values * factor, "") if factor is not None else _guessed(values)


def _guessed(values: FloatArray) -> tuple[FloatArray, str]:
    """Guess the unit from the range of the values; no note if they look like angstrom."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return values, ""
    low, high = float(finite.min()), float(finite.max())
    if low > 3.0 and high < 4.7:
        return 10.0**values, "no wavelength unit: taken as log10 of angstrom"
    if low > 7.5 and high < 11.0:
        return np.exp(values), "no wavelength unit: taken as ln of angstrom"
    if low > 0.05 and high <= 30.0:
        return values * 1e4, "no wavelength unit: taken as micrometre"
    if 100.0 < low < 900.0 and high < 1300.0:
        return values * 10.0, "no wavelength unit: taken as nanometre"
    return values, ""
