"""The redshift by which a candidate star is shown at rest."""

from __future__ import annotations

from agent.spectra.spectrum import Spectrum

FASTEST_STAR = 0.005
"""1,500 km/s. Above this a redshift is not the motion of a star in the Galaxy: a pipeline took the
candidate for a galaxy, and its spectrum must not be moved by it."""


def frame_z(spectrum: Spectrum) -> float | None:
    """The file's redshift where it can be a star's motion, else None."""
    z = spectrum.z
    return z if z is not None and abs(z) <= FASTEST_STAR and z != 0.0 else None
