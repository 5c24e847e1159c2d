"""The bands of the catalogues: where they lie, how wide they are and what magnitude 0 means.

A band is taken as a top hat between two wavelengths, which is an approximation: real ones have
wings. Colours of usual stars come out within about 0.05 mag, those with strong bands within 0.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

AB_JY = 3631.0
LIGHT_A_S = 2.99792458e18
"""Angstrom a second."""
JY = 1e-23
"""erg / s / cm2 / Hz."""


@dataclass(frozen=True, kw_only=True)
class Band:
    service: str
    column: str
    """The magnitude among the service's columns; its error is `COLUMN_error`."""
    label: str
    centre: float
    """Angstrom; the effective wavelength."""
    low: float
    high: float
    """Angstrom; the ends of the top hat."""
    zero_jy: float
    """Flux density of magnitude 0."""

    def flux(self, magnitude: float) -> float:
        """f_lambda of a magnitude, in erg / s / cm2 / angstrom."""
        return float(self.zero_jy * JY * 10.0 ** (-0.4 * magnitude) * LIGHT_A_S / self.centre**2)


def _around(centre: float, width: float) -> tuple[float, float]:
    return centre - 0.5 * width, centre + 0.5 * width


def _bands() -> list[Band]:
    made: list[Band] = []

    def add(
        service: str,
        column: str,
        label: str,
        centre: float,
        ends: tuple[float, float],
        zero_jy: float = AB_JY,
    ) -> None:
        low, high = ends
        made.append(
            Band(
                service=service, column=column, label=label, centre=centre, low=low, high=high,
                zero_jy=zero_jy,
            )
        )  # fmt: skip

    # Morrissey et al. 2007, ApJS 173, 682: effective wavelengths and ends of the bands.
    add("galex", "fuv", "FUV", 1538.6, (1344.0, 1786.0))
    add("galex", "nuv", "NUV", 2315.7, (1771.0, 2831.0))
    # The survey's camera (Fukugita et al. 1996, AJ 111, 1748; Doi et al. 2010, AJ 139, 1628):
    # effective wavelengths and widths at half maximum.
    for column, centre, width in (
        ("u", 3551.0, 599.0),
        ("g", 4686.0, 1379.0),
        ("r", 6166.0, 1382.0),
        ("i", 7480.0, 1535.0),
        ("z", 8932.0, 1370.0),
    ):
        add("sdss", column, f"SDSS {column}", centre, _around(centre, width))
    # Tonry et al. 2012, ApJ 750, 99, table 4: effective wavelengths, blue and red edges.
    for column, centre, low, high in (
        ("g", 4810.0, 4140.0, 5510.0),
        ("r", 6170.0, 5500.0, 6890.0),
        ("i", 7520.0, 6900.0, 8190.0),
        ("z", 8660.0, 8180.0, 9220.0),
        ("y", 9620.0, 9180.0, 10010.0),
    ):
        add("panstarrs", column, f"PS1 {column}", centre, (low, high))
    # Riello et al. 2021, A&A 649, A3, as the SVO filter service gives them: pivot wavelengths,
    # effective widths and zero points in the Vega system.
    add("gaia", "bp", "BP", 5109.7, _around(5109.7, 2157.5), 3552.0)
    add("gaia", "g", "G", 6217.6, _around(6217.6, 4053.0), 3228.8)
    add("gaia", "rp", "RP", 7769.0, _around(7769.0, 2924.4), 2555.0)
    # Cohen et al. 2003, AJ 126, 1090.
    add("twomass", "j", "J", 12350.0, _around(12350.0, 1620.0), 1594.0)
    add("twomass", "h", "H", 16620.0, _around(16620.0, 2510.0), 1024.0)
    add("twomass", "k", "Ks", 21590.0, _around(21590.0, 2620.0), 666.7)
    # Jarrett et al. 2011, ApJ 735, 112.
    add("allwise", "w1", "W1", 33526.0, _around(33526.0, 6626.0), 309.54)
    add("allwise", "w2", "W2", 46028.0, _around(46028.0, 10423.0), 171.79)
    add("allwise", "w3", "W3", 115608.0, _around(115608.0, 55069.0), 31.674)
    add("allwise", "w4", "W4", 220883.0, _around(220883.0, 41013.0), 8.363)
    return made


BANDS = tuple(_bands())
SERVICES = tuple(dict.fromkeys(each.service for each in BANDS))


def bands_of(service: str) -> Mapping[str, Band]:
    """The bands of a service by its columns."""
    return {each.column: each for each in BANDS if each.service == service}
