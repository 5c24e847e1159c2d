"""Parses coordinates in headers: degrees, radians or sexagesimal text, B1950 or J2000."""

import math
import re
from typing import Any

import numpy as np

from agent.spectra.fits.fits_header import Header
from agent.spectra.readers.base import position

# FK4 to FK5 for a star without proper motion: rotation and E-terms of aberration from
# Standish (1982, A&A 115, 20) and Aoki et al. (1983, A&A 128, 263). Good to about 0.5 arcsec.
_ROTATION = np.array(
    [
        [0.9999256782, -0.0111820611, -0.0048579477],
        [0.0111820610, 0.9999374784, -0.0000271765],
        [0.0048579479, -0.0000271474, 0.9999881997],
    ]
)
_E_TERMS = np.array([-1.62557e-6, -0.31919e-6, -0.13843e-6])
_SEXAGESIMAL = re.compile(
    r"\s*([+-]?)(\d{1,3})[:\sh°d]+(\d{1,2})[:\sm']+(\d{1,2}(?:\.\d*)?)[s\"]?\s*$"
)


def b1950_to_j2000(ra: float, dec: float) -> tuple[float, float]:
    """Convert FK4 (B1950) to FK5 (J2000) coordinates, degrees."""
    alpha, delta = math.radians(ra), math.radians(dec)
    cos = math.cos(delta)
    direction = np.array([cos * math.cos(alpha), cos * math.sin(alpha), math.sin(delta)])
    direction = direction - _E_TERMS + (direction @ _E_TERMS) * direction
    x, y, z = _ROTATION @ direction
    return math.degrees(math.atan2(y, x)) % 360.0, math.degrees(math.atan2(z, math.hypot(x, y)))


def parse_sexagesimal(text: str) -> float | None:
    """The number in '+06:12:41' or '00 57 13.0', in the unit of the first field."""
    match = _SEXAGESIMAL.match(text)
    if match is None:
        return None
    sign, whole, minutes, seconds = match.groups()
    value = int(whole) + int(minutes) / 60 + float(seconds) / 3600
    return -value if sign == "-" else value


def header_position(header: Header, radians: bool = False) -> dict[str, Any]:
    """RA and DEC of a header in J2000 degrees, empty if they are missing or not plausible.

    `radians` is for libraries that give numbers in radians, as STELIB does.
    """
    ra, dec = _angle(header, "RA", radians), _angle(header, "DEC", radians)
    if ra is None or dec is None or not position(ra, dec):
        return {}
    if _is_b1950(header):
        ra, dec = b1950_to_j2000(ra, dec)
    return position(ra, dec)


def _angle(header: Header, keyword: str, radians: bool) -> float | None:
    value = header.number(keyword)
    if value is not None:
        return math.degrees(value) if radians else value
    value = parse_sexagesimal(header.text(keyword))
    return value * 15 if value is not None and keyword == "RA" else value


def _is_b1950(header: Header) -> bool:
    if header.text("RADECSYS").upper().startswith("FK4"):
        return True
    return header.text("EQUINOX").upper().startswith("B1950") or header.number("EQUINOX") == 1950.0
