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
    """The angle between two positions, exact for small ones, too."""
    dec_a, dec_b = math.radians(a.dec), math.radians(b.dec)
    half_ra = 0.5 * math.radians(a.ra - b.ra)
    half_dec = 0.5 * (dec_a - dec_b)
    chord = math.sin(half_dec) ** 2 + math.cos(dec_a) * math.cos(dec_b) * math.sin(half_ra) ** 2
    return math.degrees(2.0 * math.asin(min(1.0, math.sqrt(chord)))) * ARCSEC_PER_DEG
