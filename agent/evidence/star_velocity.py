"""Velocity of the star, needed before any line is measured."""

from __future__ import annotations

from dataclasses import dataclass

from agent.spectra.measure.measurement import Measurement
from agent.spectra.measure.velocity import velocity_from_lines
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, frame_z

LINES = (
    "H_alpha",
    "H_beta",
    "H_gamma",
    "HeI_4471",
    "HeII_5411",
    "CaI_4227",
    "MgI_5183",
    "FeI_5270",
    "CaII_8542",
    "CaII_8662",
)
MIN_LINES = 3
MAX_ERROR_KMS = 40.0
MAX_KMS = 600.0  # a higher velocity means that the lines are misidentified
FILE_ERROR_KMS = 30.0


@dataclass(frozen=True)
class StarVelocity:
    """Velocity in km/s in the frame of the file; an empty source means it is unknown."""

    kms: float = 0.0
    error_kms: float = 0.0
    source: str = ""


def star_velocity(spectrum: Spectrum) -> StarVelocity:
    """Velocity from the lines if enough of them agree, else from the file, else 0."""
    velocity = velocity_from_lines(spectrum, LINES)
    if _is_sure(velocity):
        return StarVelocity(velocity.number, velocity.error or 0.0, f"{velocity.n_pixels} lines")
    z = frame_z(spectrum)
    if z is not None:
        return StarVelocity(LIGHT_KMS * z, FILE_ERROR_KMS, "the file's redshift")
    return StarVelocity()


def _is_sure(velocity: Measurement) -> bool:
    return (
        velocity.value is not None
        and abs(velocity.value) < MAX_KMS
        and (velocity.error or 0.0) < MAX_ERROR_KMS
        and velocity.n_pixels >= MIN_LINES  # here the number of lines that agree
    )
