"""Magnitudes that a spectrum would have in a band, and how they compare with measured ones."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agent.spectra.spectrum import FloatArray, Spectrum
from app.services.catalogues.answer import Answer, finite_number
from app.services.photometry.bands import BANDS, JY, LIGHT_A_S, Band, is_limit

MIN_GOOD = 0.8  # of the pixels in a band
COLOUR_LIMIT = 0.35
"""Magnitudes by which one band may differ from the others: flux calibration across a fibre
spectrum is no better than this at its ends."""
LEVEL_LIMIT = 1.0
"""Magnitudes by which all bands may: a fibre loses half of the light of a star well centred at
worst."""
SIGMAS = 3.0


@dataclass(frozen=True, kw_only=True)
class FluxPoint:
    """A measured magnitude as a flux; f_lambda in erg / s / cm2 / angstrom."""

    band: Band
    magnitude: float
    error: float | None
    flux: float


@dataclass(frozen=True, kw_only=True)
class ComparedMagnitude:
    """A measured magnitude beside the one of the spectrum."""

    point: FluxPoint
    synthetic: float
    """With the zero point of the spectrum's own unit; of a relative flux, moved to agree on
    average."""

    @property
    def difference(self) -> float:
        """Spectrum less catalogue; positive: the spectrum is fainter."""
        return self.synthetic - self.point.magnitude


@dataclass(frozen=True, kw_only=True)
class MagnitudeComparison:
    compared: tuple[ComparedMagnitude, ...] = ()
    is_absolute: bool = False
    """Whether the spectrum has physical flux, so that its level can be compared, too."""
    offset: float = 0.0  # what was added to the magnitudes of a spectrum of relative flux
    scale: float | None = None
    """What turns the spectrum's flux into f_lambda for a plot; None where nothing tells."""
    level: float | None = None  # median difference, where the flux is physical
    worst: ComparedMagnitude | None = None
    """The band that differs most from the others, if by more than errors allow."""
    worst_by: float = 0.0

    @property
    def disagrees(self) -> bool:
        return self.worst is not None or (self.level is not None and abs(self.level) > LEVEL_LIMIT)


def flux_points(answers: Mapping[str, Answer]) -> list[FluxPoint]:
    """The magnitudes of the nearest matches, by wavelength; limits are left out."""
    found = []
    for band in BANDS:
        answer = answers.get(band.service)
        match = None if answer is None else answer.nearest
        if match is None or is_limit(band.service, band.column, match.values):
            continue
        magnitude = finite_number(match.values.get(band.column))
        if magnitude is None or not -5.0 < magnitude < 40.0:
            continue
        error = finite_number(match.values.get(f"{band.column}_error"))
        point = FluxPoint(
            band=band,
            magnitude=magnitude,
            error=error if error is not None and 0.0 < error < 5.0 else None,
            flux=band.flux(magnitude),
        )
        found.append(point)
    return sorted(found, key=lambda each: each.band.centre)


def compare(
    spectrum: Spectrum, points: Sequence[FluxPoint], unit: float | None = None
) -> MagnitudeComparison:
    """Magnitudes of the spectrum beside the measured ones, in the bands that it covers.

    `unit` is that of its flux in erg / s / cm2 / angstrom; None: the flux is relative.
    """
    pairs = [(each, synthetic_magnitude(spectrum, each.band, unit or 1.0)) for each in points]
    both = [(each, made) for each, made in pairs if made is not None]
    if not both:
        return MagnitudeComparison(is_absolute=unit is not None, scale=unit)
    differences = np.array([made - each.magnitude for each, made in both])
    middle = float(np.median(differences))
    offset = 0.0 if unit is not None else -middle
    compared = tuple(ComparedMagnitude(point=each, synthetic=made + offset) for each, made in both)
    by = differences - middle
    number = int(np.argmax(np.abs(by)))
    error = both[number][0].error or 0.0
    limit = math.hypot(COLOUR_LIMIT, SIGMAS * error)
    is_off = len(both) >= 2 and abs(float(by[number])) > limit
    return MagnitudeComparison(
        compared=compared,
        is_absolute=unit is not None,
        offset=offset,
        scale=unit if unit is not None else 10.0 ** (-0.4 * offset),
        level=middle if unit is not None else None,
        worst=compared[number] if is_off else None,
        worst_by=float(by[number]) if is_off else 0.0,
    )


def synthetic_magnitude(spectrum: Spectrum, band: Band, unit: float = 1.0) -> float | None:
    """The magnitude in a top hat; `unit` is that of the flux in erg / s / cm2 / angstrom.

    None where the spectrum does not cover the band or has too few good pixels there.
    """
    wavelength = spectrum.wavelength
    if wavelength[0] > band.low or wavelength[-1] < band.high:
        return None
    inside = (wavelength >= band.low) & (wavelength <= band.high)
    good = inside & spectrum.good
    if inside.sum() < 5 or good.sum() < MIN_GOOD * inside.sum():
        return None
    x: FloatArray = wavelength[good]
    photons = np.trapezoid(spectrum.flux[good] * unit * x, x)
    reference = np.trapezoid(band.zero_jy * JY * LIGHT_A_S / x, x)
    if not (np.isfinite(photons) and photons > 0.0):
        return None
    return float(-2.5 * np.log10(photons / reference))
