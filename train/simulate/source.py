"""A noiseless spectrum of a source on one common wavelength grid: the input of the telescope."""

from dataclasses import dataclass, field

import numpy as np

from agent.spectra.spectrum import FloatArray

Rng = np.random.Generator
Parameters = dict[str, float | str]

STEP_KMS = 25.0
LIGHT_KMS = 299_792.458
GRID: FloatArray = np.exp(np.arange(np.log(3300.0), np.log(10700.0), STEP_KMS / LIGHT_KMS))
"""Vacuum angstrom in a constant velocity step, so that a Doppler shift is a shift in pixels."""
GRID.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Source:
    """A noiseless spectrum on GRID and the parameters it was made from.

    `flux` is F_lambda in arbitrary units, with reddening and intrinsic line widths. Stars are at
    rest and the telescope applies `velocity_kms`; for galaxies and quasars the redshift `z` is
    already in the flux and `velocity_kms` is 0. `valid` is the range that holds information:
    empirical bases cover less than GRID.
    """

    label: str
    subtype: str
    flux: FloatArray
    velocity_kms: float = 0.0
    z: float = 0.0
    resolution: float | None = None
    """Resolution of a flux from a library; None for synthetic flux, which is unlimited."""
    valid: tuple[float, float] = (float(GRID[0]), float(GRID[-1]))
    parameters: Parameters = field(default_factory=dict)
