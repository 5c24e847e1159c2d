"""Positions on the sky, moved by their proper motion from one year to another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

MAS_PER_DEG = 3.6e6
ARCSEC_PER_DEG = 3600.0
MAX_YEARS = 200.0


@dataclass(frozen=True, kw_only=True)
class Position:
    """Degrees, ICRS; without an epoch it is taken to be that of the catalogue asked."""

    ra: float
    dec: float
    epoch: float | None = None
    pm_ra: float = 0.0  # mas a year, times the cosine of the declination
    pm_dec: float = 0.0

    def __post_init__(self) -> None:
        numbers = self.ra, self.dec, self.pm_ra, self.pm_dec
        if not all(map(math.isfinite, numbers)) or abs(self.dec) > 90.0:
            raise ValueError(f"no position on the sky: {self.ra}, {self.dec}")

    def at(self, epoch: float) -> Position:
        """The position in another year."""
        if self.epoch is None:
            return replace(self, epoch=epoch)
        years = max(-MAX_YEARS, min(epoch - self.epoch, MAX_YEARS))
        dec = self.dec + years * self.pm_dec / MAS_PER_DEG
        cosine = max(math.cos(math.radians(self.dec)), 1e-6)
        ra = self.ra + years * self.pm_ra / MAS_PER_DEG / cosine
        return replace(self, ra=ra % 360.0, dec=max(-90.0, min(dec, 90.0)), epoch=epoch)


def separation_arcsec(a: Position, b: Position) -> float:
    return arcsec_between(a.ra, a.dec, b.ra, b.dec)


def arcsec_between(ra_a: float, dec_a: float, ra_b: float, dec_b: float) -> float:
    """The angle between two places in degrees, exact for small ones, too."""
    half_ra, half_dec = (0.5 * math.radians(each) for each in (ra_a - ra_b, dec_a - dec_b))
    cosines = math.cos(math.radians(dec_a)) * math.cos(math.radians(dec_b))
    chord = math.sin(half_dec) ** 2 + cosines * math.sin(half_ra) ** 2
    return math.degrees(2.0 * math.asin(min(1.0, math.sqrt(chord)))) * ARCSEC_PER_DEG


Range = tuple[float, float]


def boxes(ra: float, dec: float, radius: float) -> list[tuple[Range, Range]]:
    """Ranges of ra and dec (degrees) around a circle, for what has no cone; two past 0 h."""
    low, high = max(dec - radius, -90.0), min(dec + radius, 90.0)
    cosine = math.cos(math.radians(max(abs(low), abs(high))))
    half = radius / cosine if cosine > 1e-9 else 180.0
    if half >= 180.0:
        return [((0.0, 360.0), (low, high))]
    first, last = ra - half, ra + half
    if first < 0.0:
        return [((first + 360.0, 360.0), (low, high)), ((0.0, last), (low, high))]
    if last > 360.0:
        return [((first, 360.0), (low, high)), ((0.0, last - 360.0), (low, high))]
    return [((first, last), (low, high))]
