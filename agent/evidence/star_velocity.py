"""The velocity of the star, before anything is measured at its place."""

from __future__ import annotations

from dataclasses import dataclass

from agent.spectra.measure.measurement import Measurement
from agent.spectra.measure.velocity import velocity_from_lines
from agent.spectra.rest_frame import frame_z
from agent.spectra.sampling import LIGHT_KMS
from agent.spectra.spectrum import Spectrum

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
FEWEST_LINES = 3
LARGEST_ERROR_KMS = 40.0
FASTEST_KMS = 600.0
"""Beyond that the lines are others than we take them for."""
FILE_ERROR_KMS = 30.0


@dataclass(frozen=True)
class StarVelocity:
    """km/s in the frame of the file, and where it comes from; no source: taken to be at rest."""

    kms: float = 0.0
    error_kms: float = 0.0
    source: str = ""


def star_velocity(spectrum: Spectrum) -> StarVelocity:
    """From the lines where enough of them agree, else from the file, else 0."""
    found = velocity_from_lines(spectrum, LINES)
    if _is_sure(found):
        return StarVelocity(found.number, found.error or 0.0, f"{found.n_pixels} lines")
    z = frame_z(spectrum)
    if z is not None:
        return StarVelocity(LIGHT_KMS * z, FILE_ERROR_KMS, "the file's redshift")
    return StarVelocity()


def _is_sure(found: Measurement) -> bool:
    """`n_pixels` of a velocity from lines counts the lines that agree."""
    return (
        found.value is not None
        and abs(found.value) < FASTEST_KMS
        and (found.error or 0.0) < LARGEST_ERROR_KMS
        and found.n_pixels >= FEWEST_LINES
    )
