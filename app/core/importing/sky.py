"""Sky positions in degrees, from degrees, radians, hours or sexagesimal text."""

import math

import numpy as np

from agent.spectra.readers.coordinates import parse_sexagesimal
from agent.spectra.spectrum import FloatArray
from app.core.importing.formats.contents import Cells

HOURS = ("h", "hr", "hour", "hours", "hourangle")
RADIANS = ("rad", "radian", "radians")
FULL_CIRCLE, POLE = 360.0, 90.0


def angles(cells: Cells, unit: str, *, is_ra: bool) -> list[float | None]:
    """The angles in degrees; None where a cell is not an angle."""
    unit = unit.strip().lower()
    factor = 15.0 if is_ra and unit in HOURS else 1.0
    if unit in RADIANS:
        factor = 180.0 / math.pi
    found = cells.numbers()
    if None in found:
        texts = cells.texts()
        found = [
            _sexagesimal(text, is_ra) if number is None else number * factor
            for number, text in zip(found, texts, strict=True)
        ]
    elif factor != 1.0:
        found = [number * factor for number in found if number is not None]
    return found


def positions(
    ra: list[float | None], dec: list[float | None]
) -> tuple[list[float | None], list[float | None], int]:
    """Keep positions with two valid coordinates; also returns how many others were given."""
    if _all_within(ra, 0.0, FULL_CIRCLE) and _all_within(dec, -POLE, POLE):
        return ra, dec, 0
    pairs = [*zip(ra, dec, strict=True)]
    good = [pair if _is_on_sky(*pair) else (None, None) for pair in pairs]
    invalid = sum(before != after for before, after in zip(pairs, good, strict=True))
    return [a for a, _ in good], [d for _, d in good], invalid


def unit_vectors(ra: FloatArray, dec: FloatArray) -> FloatArray:
    """Positions in degrees as rows x, y, z of length 1; NaN where one is not finite."""
    ra, dec = (np.radians(np.where(np.isfinite(each), each, np.nan)) for each in (ra, dec))
    return np.stack([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)], axis=1)


def chord(arcsec: float) -> float:
    """The distance of two unit vectors that are so far apart in the sky."""
    return 2.0 * math.sin(math.radians(arcsec / 3600.0) / 2.0)


def iau_name(ra: float, dec: float) -> str:
    """A name such as J023417.51-010203.4; truncated, not rounded, by IAU convention."""
    seconds = math.floor(ra / 15 * 3600 * 100) / 100 % 86400
    arcsec = math.floor(abs(dec) * 3600 * 10) / 10
    sign = "-" if dec < 0 else "+"
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    degrees, arcmin = int(arcsec // 3600), int(arcsec % 3600 // 60)
    return (f"J{hours:02d}{minutes:02d}{seconds % 60:05.2f}"
            f"{sign}{degrees:02d}{arcmin:02d}{arcsec % 60:04.1f}")  # fmt: skip


def _sexagesimal(text: str, is_ra: bool) -> float | None:
    value = parse_sexagesimal(text.replace("−", "-"))
    if value is None or not is_ra:
        return value
    is_degrees = "d" in text or "°" in text or value >= 24
    return value if is_degrees else value * 15


def _all_within(values: list[float | None], low: float, high: float) -> bool:
    if not values:
        return True
    try:
        return low <= min(values) and max(values) <= high  # type: ignore[type-var, operator]
    except TypeError:  # None among them
        return False


def _is_on_sky(ra: float | None, dec: float | None) -> bool:
    if ra is None or dec is None:
        return False
    return 0.0 <= ra <= FULL_CIRCLE and -POLE <= dec <= POLE
