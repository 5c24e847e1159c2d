from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.slope import power_law_index
from tests.agent.spectra.measure.known_lines import STAR, WAVELENGTH, observed


def test_power_law_index(rng: np.random.Generator) -> None:
    spectrum = observed(STAR, 30.0, rng, continuum=(WAVELENGTH / 5000.0) ** -2.2)
    assert power_law_index(spectrum, 4000.0, 8200.0).value == pytest.approx(-2.2, abs=0.1)
