"""Velocity of the star, needed before any line is measured."""

import math
from dataclasses import dataclass

import numpy as np

from agent.spectra.lines import builtin_lines
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.measurement import LineMeasurement, Measurement, measured, refused
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FloatArray, Spectrum, covers, frame_z

LINES = (
    "H_alpha", "H_beta", "H_gamma", "HeI_4471", "HeII_5411", "CaI_4227", "MgI_5183", "FeI_5270",
    "CaII_8542", "CaII_8662",
)  # fmt: skip
SEARCH_KMS = 500.0
MIN_LINES = 3
MAX_ERROR_KMS = 40.0
MAX_KMS = 600.0  # a higher velocity means that the lines are misidentified
FILE_ERROR_KMS = 30.0
MIN_SIGNIFICANCE = 5.0
# Strong lines of galaxies and quasars, neighbours together. At its true redshift such an object
# shows lines in at least two of these places; of 400 wrong redshifts of simulated CVs none did.
PLACES_OF_GALAXIES = (
    ("H_alpha",), ("H_beta", "OIII_5007"), ("MgII_2799",), ("CIII_1909",), ("CIV_1549",),
)  # fmt: skip
GALAXY_SEARCH_KMS = 3000.0  # broad lines of a quasar are shifted by as much
GALAXY_SIGNIFICANCE = 3.5
# Wavelength calibration and line asymmetry limit every line to this at R 1800.
ERROR_FLOOR_KMS = 15.0
# Ten times that: with a larger error a line has not a hundredth of the weight of a good one.
MAX_LINE_ERROR_KMS = 150.0


@dataclass(frozen=True)
class StarVelocity:
    """Velocity in km/s in the frame of the file; an empty source means it is unknown."""

    kms: float = 0.0
    error_kms: float = 0.0
    source: str = ""


def star_velocity(spectrum: Spectrum) -> StarVelocity:
    """Velocity from the lines if enough of them agree, else from the file, else 0."""
    velocity = velocity_from_lines(spectrum)
    if (
        velocity.value is not None
        and abs(velocity.value) < MAX_KMS
        and (velocity.error or 0.0) < MAX_ERROR_KMS
        and velocity.n_pixels >= MIN_LINES  # here the number of lines that agree
    ):
        return StarVelocity(velocity.number, velocity.error or 0.0, f"{velocity.n_pixels} lines")
    z = frame_z(spectrum)
    if z is not None:
        return StarVelocity(LIGHT_KMS * z, FILE_ERROR_KMS, "the file's redshift")
    return StarVelocity()


def against_redshift(spectrum: Spectrum, velocity: StarVelocity, z: float) -> str:
    """Why the lines refute the redshift `z` of a header; empty if they do not.

    Either more lines agree near 0 than at `z` (lines of a disc are too wide to agree: two of
    hydrogen in emission will do), or too few lines are seen at `z`. Of 998 simulated galaxies and
    quasars three are wrongly put at 0, and none of their answers changes by that.
    """
    lines, is_lines, _ = velocity.source.partition(" lines")
    at_rest = int(lines) if is_lines else _emission_near_0(spectrum)
    moved = velocity_from_lines(spectrum, LIGHT_KMS * z)
    agree = 0 if moved.value is None else moved.n_pixels
    if at_rest >= 2 and agree < at_rest:
        return "the lines lie at 0"
    return "" if agree or _may_show_a_galaxy(spectrum, z) else "its lines do not lie there"


def _may_show_a_galaxy(spectrum: Spectrum, z: float) -> bool:
    """Whether lines are seen in two places, or the spectrum covers fewer than two of them."""
    reach = GALAXY_SEARCH_KMS / LIGHT_KMS

    def is_inside(line: str) -> bool:
        at = builtin_lines()[line].wavelength * (1.0 + z)
        return covers(spectrum, at * (1.0 - reach), at * (1.0 + reach))

    def is_seen(line: str) -> bool:
        result = measure_line(spectrum, line, LIGHT_KMS * z, GALAXY_SEARCH_KMS)
        return result.significance > GALAXY_SIGNIFICANCE

    inside = [lines for place in PLACES_OF_GALAXIES if (lines := [*filter(is_inside, place)])]
    return len(inside) < 2 or sum(any(map(is_seen, lines)) for lines in inside) >= 2


def _emission_near_0(spectrum: Spectrum) -> int:
    """How many of the first three Balmer lines are clearly in emission near rest."""
    results = (measure_line(spectrum, line, 0.0, SEARCH_KMS) for line in LINES[:3])
    return sum(each.kind == "emission" and each.significance > MIN_SIGNIFICANCE for each in results)


def velocity_from_lines(spectrum: Spectrum, near_kms: float = 0.0) -> Measurement:
    """Weighted median velocity of the clear lines near `near_kms`; km/s in the file's frame."""
    results = [measure_line(spectrum, line, near_kms, SEARCH_KMS) for line in LINES]
    usable = [line for line in results if _is_usable(line)]
    if len(usable) < 2:
        return refused("velocity", "fewer than two clear lines", "km/s")
    values = np.array([line.velocity_kms for line in usable], dtype=np.float64)
    errors = np.array([line.velocity_error_kms for line in usable], dtype=np.float64)
    errors = np.hypot(errors, ERROR_FLOOR_KMS)
    middle = _weighted_median(values, 1.0 / errors**2)
    # Noise puts one line of 16,000 beyond four errors. Within 200 km/s, about what a resolution of
    # R 1800 tells apart, none is left out.
    keep = np.abs(values - middle) < 4.0 * np.maximum(errors, 50.0)
    if keep.sum() < 2:
        return refused("velocity", "the lines do not agree", "km/s")
    values, errors = values[keep], errors[keep]
    middle = _weighted_median(values, 1.0 / errors**2)
    # sqrt(pi / 2) = 1.2533: by so much the error of a median exceeds that of a mean.
    formal = 1.2533 / math.sqrt(float((1.0 / errors**2).sum()))
    # 1.4826 times the median deviation is the standard deviation of Gaussian values.
    spread = 1.4826 * float(np.median(np.abs(values - middle))) / math.sqrt(values.size)
    return measured("velocity", middle, max(formal, spread), "km/s", None, int(values.size))


def _is_usable(line: LineMeasurement) -> bool:
    return (
        line.is_detected
        and line.significance > MIN_SIGNIFICANCE
        and line.velocity_error_kms is not None
        and line.velocity_error_kms < MAX_LINE_ERROR_KMS
        and not {"unsafe", "blended", "masked_core", "double_peaked"} & set(line.flags)
    )


def _weighted_median(values: FloatArray, weights: FloatArray) -> float:
    order = np.argsort(values)
    running = np.cumsum(weights[order])
    middle = running - 0.5 * weights[order]
    return float(np.interp(0.5 * running[-1], middle, values[order]))
