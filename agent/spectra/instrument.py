"""Spectrograph properties: resolution, the join of the arms, and unreliable regions."""

import numpy as np

from agent.spectra.lines import Line, builtin_lines
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window

SKY_HALF_WIDTH = 5.0  # angstrom; residuals of narrow sky lines reach two resolution elements
# Where the blue arm is joined to the next, vacuum angstrom.
JOINS = {
    "LAMOST": (5700.0, 5900.0), "SDSS": (5900.0, 6200.0), "DESI": (5760.0, 5800.0),
    "4MOST": (5240.0, 5540.0), "PFS": (6300.0, 6500.0),
}  # fmt: skip
FIXED_RESOLUTION = {"LAMOST": 1800.0, "LAMOST-MRS": 7500.0}


def resolution_at(spectrum: Spectrum, wavelength: float) -> float | None:
    """R = wavelength / FWHM from the file, else of the survey; None if unknown."""
    if spectrum.resolution is not None and spectrum.resolution > 1:
        return spectrum.resolution
    survey = spectrum.survey.upper()
    if survey in FIXED_RESOLUTION:
        return FIXED_RESOLUTION[survey]
    if survey in ("SDSS", "BOSS", "EBOSS"):
        return _interpolated(wavelength, 3800.0, 1500.0, 9000.0, 2500.0)
    if survey == "DESI":
        return _interpolated(wavelength, 3600.0, 2000.0, 9800.0, 5500.0)
    return None


def lsf_fwhm(spectrum: Spectrum, wavelength: float) -> float | None:
    """FWHM of an unresolved line, angstrom; None if the resolution is unknown."""
    resolution = resolution_at(spectrum, wavelength)
    return None if resolution is None else wavelength / resolution


def arm_join(spectrum: Spectrum) -> Window | None:
    """The range in which two arms are joined; None if the spectrum does not span it."""
    join = JOINS.get(spectrum.survey.upper())
    low, high = spectrum.range
    if join is None or low > join[0] - 100 or high < join[1] + 100:
        return None
    return join


def terrestrial_range(line: Line) -> Window:
    """What a sky line or telluric band covers, vacuum angstrom."""
    return line.extent or (line.wavelength - SKY_HALF_WIDTH, line.wavelength + SKY_HALF_WIDTH)


def in_terrestrial(wavelength: FloatArray) -> BoolArray:
    """Which wavelengths lie in lines of the night sky or in telluric bands."""
    inside = np.zeros(wavelength.size, dtype=np.bool_)
    for line in builtin_lines().terrestrial:
        low, high = terrestrial_range(line)
        inside |= (wavelength > low) & (wavelength < high)
    return inside


def unsafe_regions(
    spectrum: Spectrum, lo: float, hi: float, min_share: float = 0.0
) -> tuple[str, ...]:
    """Labels of sky, telluric and arm-join regions in [lo, hi] (observed, vacuum angstrom).

    Regions that cover less than `min_share` of the window are omitted: a narrow sky line affects
    a narrow line, not a broad one.
    """

    def covers(first: float, last: float) -> bool:
        shared = min(last, hi) - max(first, lo)
        return shared > 0 and shared >= min_share * (hi - lo)

    terrestrial = builtin_lines().terrestrial
    labels = [line.label for line in terrestrial if covers(*terrestrial_range(line))]
    join = arm_join(spectrum)
    if join is not None and covers(*join):
        labels.append("join of the arms")
    return tuple(labels)


def _interpolated(x: float, x0: float, y0: float, x1: float, y1: float) -> float:
    part = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return y0 + part * (y1 - y0)
