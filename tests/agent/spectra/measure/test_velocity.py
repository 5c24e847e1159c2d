from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.velocity import velocity_from_lines
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import STAR, observed


def moved(spectrum: Spectrum, velocity_kms: float) -> Spectrum:
    factor = 1.0 + velocity_kms / LIGHT_KMS
    return Spectrum(
        wavelength=spectrum.wavelength * factor,
        flux=spectrum.flux,
        ivar=spectrum.ivar,
        survey=spectrum.survey,
    )


@pytest.mark.parametrize("velocity", [-310.0, 45.0, 180.0])
def test_velocity_from_lines(velocity: float, rng: np.random.Generator) -> None:
    found = velocity_from_lines(moved(observed(STAR, 30.0, rng), velocity))
    assert found.error is not None
    assert abs(found.number - velocity) < max(4 * found.error, 15.0)
    assert found.error < 25.0


def test_velocity_of_noise_is_refused(rng: np.random.Generator) -> None:
    assert velocity_from_lines(observed([], 10.0, rng)).value is None
