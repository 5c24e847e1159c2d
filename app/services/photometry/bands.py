"""The bands of the catalogues: where they lie, how wide they are and what magnitude 0 means.

A band is taken as a top hat between two wavelengths, which is an approximation: real ones have
wings. Colours of usual stars come out within about 0.03 mag, those with strong bands within 0.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from app.services.catalogues.answer import Value

AB_JY = 3631.0
LIGHT_A_S = 2.99792458e18  # angstrom a second
JY = 1e-23  # erg / s / cm2 / Hz
BANDS_OF_LETTERS = {"twomass": ("j", "h", "k"), "allwise": ("w1", "w2", "w3", "w4")}
"""The column `quality` has a letter for each of these."""
NOT_MEASURED = ("U", "X")
"""U: fainter than that; X: no brightness could be measured. So the explanatory supplements of
2MASS (column ph_qual) and AllWISE (ph_qual)."""


@dataclass(frozen=True)
class Band:
    service: str
    column: str  # The magnitude among the service's columns; its error is `COLUMN_error`.
    label: str
    centre: float  # Angstrom; the pivot wavelength.
    low: float
    high: float  # Angstrom; the ends of the top hat.
    zero_jy: float = AB_JY  # flux density of magnitude 0

    def flux(self, magnitude: float) -> float:
        """f_lambda of a magnitude, in erg / s / cm2 / angstrom."""
        return float(self.zero_jy * JY * 10.0 ** (-0.4 * magnitude) * LIGHT_A_S / self.centre**2)


def _around(centre: float, width: float) -> tuple[float, float]:
    return centre - 0.5 * width, centre + 0.5 * width


# Wavelengths are pivots of the curves that speclite 1.0.0 ships, which turn f_nu into f_lambda
# exactly: with them the zero points of 2MASS and AllWISE give the fluxes that their authors
# publish (f_lambda of W3: 6.515e-17 W / cm2 / um). Where ends are fitted, black bodies of 3,000
# to 30,000 K, Vega and the Sun have the magnitudes of the curve in the top hat, too: within
# 0.01 mag, in Gaia's broad bands 0.03, in u 0.07.
BANDS = (
    # Morrissey et al. 2007, ApJS 173, 682: ends of the bands.
    Band("galex", "fuv", "FUV", 1536.8, 1344.0, 1786.0),
    Band("galex", "nuv", "NUV", 2299.1, 1771.0, 2831.0),
    # Doi et al. 2010, AJ 139, 1628: the survey's camera; ends of u, g and r fitted.
    Band("sdss", "u", "SDSS u", 3591.5, 3335.0, 3898.0),
    Band("sdss", "g", "SDSS g", 4701.4, 4049.0, 5386.0),
    Band("sdss", "r", "SDSS r", 6177.2, 5591.0, 6783.0),
    Band("sdss", "i", "SDSS i", 7496.5, 6712.5, 8247.5),
    Band("sdss", "z", "SDSS z", 8904.2, 8247.0, 9617.0),
    # Tonry et al. 2012, ApJ 750, 99, table 4: blue and red edges; ends of g and r fitted.
    Band("panstarrs", "g", "PS1 g", 4849.1, 4176.0, 5559.0),
    Band("panstarrs", "r", "PS1 r", 6201.2, 5509.0, 6920.0),
    Band("panstarrs", "i", "PS1 i", 7535.0, 6900.0, 8190.0),
    Band("panstarrs", "z", "PS1 z", 8674.2, 8180.0, 9220.0),
    Band("panstarrs", "y", "PS1 y", 9627.8, 9180.0, 10010.0),
    # Riello et al. 2021, A&A 649, A3: pivots and zero points in the Vega system, as the SVO filter
    # service gives them and the curves confirm within 0.001 mag; ends fitted, BP from 3720 on, as
    # spectra of LAMOST begin there.
    Band("gaia", "bp", "BP", 5109.7, 3720.0, 6650.0, 3552.0),
    Band("gaia", "g", "G", 6217.6, 3881.0, 8902.0, 3228.8),
    Band("gaia", "rp", "RP", 7769.0, 6250.0, 9380.0, 2555.0),
    # Zero points: Cohen et al. 2003, AJ 126, 1090, 0.013 to 0.02 mag above those of today's Vega.
    Band("twomass", "j", "J", 12355.0, *_around(12350.0, 1620.0), 1594.0),
    Band("twomass", "h", "H", 16457.2, *_around(16460.0, 2510.0), 1024.0),
    Band("twomass", "k", "Ks", 21602.9, *_around(21590.0, 2620.0), 666.7),
    # Zero points: Jarrett et al. 2011, ApJ 735, 112.
    Band("allwise", "w1", "W1", 33682.2, *_around(33526.0, 6626.0), 309.54),
    Band("allwise", "w2", "W2", 46179.0, *_around(46028.0, 10423.0), 171.79),
    Band("allwise", "w3", "W3", 120727.9, *_around(115608.0, 55069.0), 31.674),
    Band("allwise", "w4", "W4", 221943.7, *_around(220883.0, 41013.0), 8.363),
)
SERVICES = tuple(dict.fromkeys(each.service for each in BANDS))


def is_limit(service: str, column: str, values: Mapping[str, Value]) -> bool:
    """Whether the magnitude in this column is a limit, as that the star is fainter."""
    if values.get(f"{column}_limit"):
        return True
    columns, letters = BANDS_OF_LETTERS.get(service, ()), values.get("quality")
    if column not in columns or not isinstance(letters, str):
        return False
    at = columns.index(column)
    return letters[at : at + 1] in NOT_MEASURED
