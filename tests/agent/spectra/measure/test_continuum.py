from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.continuum import pseudo_continuum
from tests.agent.spectra.measure.known_lines import WAVELENGTH, gaussian, observed


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_pseudo_continuum_passes_lines_of_either_sign(
    sign: float, rng: np.random.Generator
) -> None:
    lines = [gaussian(str(at), "", at, 25.0, sign * 0.6) for at in (4102.9, 4341.7, 4862.7, 6564.6)]
    truth = (WAVELENGTH / 6000.0) ** -1.5
    continuum = pseudo_continuum(observed(lines, 25.0, rng, continuum=truth))
    assert np.median(np.abs(continuum / truth - 1.0)) < 0.01
    assert np.percentile(np.abs(continuum / truth - 1.0), 98) < 0.06


def test_pseudo_continuum_of_noise_is_unbiased(rng: np.random.Generator) -> None:
    continuum = pseudo_continuum(observed([], 4.0, rng))
    assert abs(continuum.mean() - 1.0) < 0.02
